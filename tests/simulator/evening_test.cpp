#include "simulator/evening.hpp"

#include "simulator/list_makers.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

LifeOptions short_evening() {
  LifeOptions life = evening_life();
  life.users = 300;
  life.items = 30;
  life.history_days = 2;
  life.to_hour = 21;
  return life;
}

EngineOptions without_capacities() {
  EngineOptions engine;
  engine.allot.policy = Policy::kNone;
  return engine;
}

}  // namespace

TEST_CASE("an evening is a window of the day, and its first hours are not measured") {
  const LifePlan plan(short_evening());
  using std::chrono::hours;
  CHECK(plan.measured_from() - plan.live_from() == hours(1));
  CHECK(plan.end() - plan.live_from() == hours(4));
  CHECK(plan.live_from() - std::chrono::floor<std::chrono::days>(plan.live_from()) == hours(17));
  REQUIRE(!plan.trips().empty());
  CHECK(plan.trips().front().at >= plan.live_from());
  CHECK(plan.trips().back().at < plan.end());
  for (const Visit& visit : plan.history()) REQUIRE(visit.at < plan.live_from());
  LifeOptions none = short_evening();
  none.to_hour = 18;
  CHECK(contains(error_of([&] { LifePlan{none}; }), "to_hour: no hour is left"));
}

TEST_CASE("both runs of an evening are of the same people") {
  const LifePlan plan(short_evening());
  const EngineOptions engine = without_capacities();
  Workers alone(1);
  EngineLists lists(engine, plan.options(), alone);
  Time last{};
  const Evening evening = run_evening(
      plan, engine, lists, [&](Time now, const Crowd& headroom, const Crowd& unconstrained) {
        REQUIRE(headroom.seated == unconstrained.seated);
        REQUIRE(headroom.waited == unconstrained.waited);
        last = now;
        return true;
      });
  CHECK(last == plan.end());
  CHECK(evening.until == plan.end());
  CHECK(evening.runs.at(kByHeadroom, 0).all().seated > 10);
  CHECK(evening.runs.at(kByHeadroom, 0).curve.size() == 12);
  CHECK(evening.runs.default_policy() == kByHeadroom);
}

TEST_CASE("an evening that is cut short ends for both at the same time") {
  const LifePlan plan(short_evening());
  const EngineOptions engine = without_capacities();
  Workers alone(1);
  EngineLists lists(engine, plan.options(), alone);
  const Time cut = plan.measured_from() + std::chrono::minutes(100);
  const Evening evening = run_evening(
      plan, engine, lists, [&](Time now, const Crowd&, const Crowd&) { return now < cut; });
  CHECK(evening.until == cut);
  const LifeSeen &with = evening.runs.at(kByHeadroom, 0),
                 &without = evening.runs.at(kUnconstrained, 0);
  CHECK(with.curve.size() == 6);  // whole quarters
  CHECK(with.load.size() == 6);
  CHECK(with.all().seated > 0);
  CHECK(with.all().seated == without.all().seated);
  CHECK(with.item_minutes == without.item_minutes);
}
