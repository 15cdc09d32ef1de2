#include "simulator/evening.hpp"

#include <algorithm>
#include <map>

#include "simulator/list_makers.hpp"

namespace headroom::sim {
namespace {

using GoesOn = std::function<bool(Time now, const LifeSeen& so_far)>;

struct Played {
  LifeSeen life;
  Time until;
};

// A run that may end before its plan does, with what was seen until then.
Played live_while(const LifePlan& plan, ListMaker& lists, const GoesOn& goes_on) {
  struct Over {};
  Played seen{{}, plan.end()};
  try {
    seen.life = live(plan, lists, [&](Time now, const LifeSeen& so_far) {
      if (goes_on(now, so_far)) return;
      seen = {so_far, now};
      throw Over{};
    });
  } catch (const Over&) {
    const auto quarters =
        std::max<std::int64_t>(0, (seen.until - plan.measured_from()) / kLifeSlice);
    seen.life.curve.resize(static_cast<std::size_t>(quarters));
    seen.life.load.resize(static_cast<std::size_t>(quarters));
  }
  return seen;
}

Played live_unconstrained(const LifePlan& plan, EngineOptions engine, const GoesOn& goes_on) {
  engine.allot.policy = Policy::kNone;
  engine.pressure.alpha = 0.0F;
  Workers alone(1);
  EngineLists lists(engine, plan.options(), alone);
  return live_while(plan, lists, goes_on);
}

}  // namespace

LifeOptions evening_life() {
  LifeOptions life;
  life.users = 1500;
  life.items = 60;
  life.days = 1;
  life.warm_days = 0;
  life.from_hour = 17;
  life.warm_hours = 1;
  life.to_hour = 23;
  life.rush = 0.8;
  life.rush_hour = 20.0;
  life.rush_minutes = 75.0;
  return life;
}

Evening run_evening(const LifePlan& plan, const EngineOptions& engine, ListMaker& headroom,
                    const EveningOnlooker& onlooker) {
  std::map<Time, Crowd> beside;
  Played without = live_unconstrained(plan, engine, [&](Time now, const LifeSeen& so_far) {
    beside[now] = so_far.all();
    return true;
  });
  const Played with = live_while(plan, headroom, [&](Time now, const LifeSeen& so_far) {
    return onlooker(now, so_far.all(), beside.at(now));
  });
  if (with.until < plan.end()) {
    without = live_unconstrained(plan, engine,
                                 [&](Time now, const LifeSeen&) { return now < with.until; });
  }
  using Maker = LivePolicy::Maker;
  Evening evening{{}, with.until};
  LiveRuns& runs = evening.runs;
  runs.policies = {{"headroom", Maker::kEngine, engine.allot.policy, engine.pressure.alpha, true},
                   {"unconstrained", Maker::kEngine, Policy::kNone, 0.0F, false}};
  runs.seeds = 1;
  runs.seen = {with.life, without.life};
  runs.unconstrained = {plan.unconstrained_overload()};
  return evening;
}

}  // namespace headroom::sim
