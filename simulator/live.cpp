#include "simulator/live.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>

#include "headroom/io/file.hpp"
#include "simulator/experiment.hpp"
#include "simulator/kafka_lists.hpp"
#include "simulator/list_makers.hpp"
#include "simulator/live_files.hpp"
#include "simulator/metrics.hpp"
#include "simulator/progress.hpp"

namespace headroom::sim {
namespace {

std::string with_alpha(const char* name, float alpha) {
  char digits[32];
  char* const end = std::to_chars(digits, digits + sizeof digits, alpha).ptr;
  return std::string(name).append(" ").append(digits, end);
}

std::optional<double> ratio(double part, double of) {
  return of > 0.0 ? std::optional(part / of) : std::nullopt;
}

double coverage_of(const std::vector<std::uint32_t>& shown) {
  const auto some = std::count_if(shown.begin(), shown.end(), [](auto n) { return n > 0; });
  return static_cast<double>(some) / static_cast<double>(shown.size());
}

std::unique_ptr<ListMaker> plain_maker_of(const LivePolicy& policy, const LifePlan& plan) {
  switch (policy.maker) {
    case LivePolicy::Maker::kBatch:
      return std::make_unique<BatchLists>(plan);
    case LivePolicy::Maker::kPopularity:
      return std::make_unique<PopularLists>(plan);
    case LivePolicy::Maker::kRandom:
      return std::make_unique<RandomLists>(plan);
    case LivePolicy::Maker::kEngine:
      break;
  }
  return nullptr;
}

// One policy in one city.
class LiveRun {
 public:
  LiveRun(const LivePolicy& policy, const LifePlan& plan, EngineOptions engine, const LiveWay& way)
      : policy_(policy), plan_(plan), engine_(std::move(engine)), way_(way) {
    engine_.allot.policy = policy.policy;
    engine_.pressure.alpha = policy.alpha;
  }

  LifeSeen make() {
    if (const auto plain = plain_maker_of(policy_, plan_)) return live_with(*plain);
    if (way_.run.kafka) return through_kafka();
    EngineLists lists(engine_, plan_.options(), alone_, witness());
    return live_with(lists);
  }
  const std::optional<Carried>& carried() const { return carried_; }

 private:
  std::uint64_t seed() const { return plan_.options().seed; }

  ListWitness witness() const {
    if (way_.lists.empty()) return nullptr;
    make_folder(way_.lists);
    const auto file = std::make_shared<ListFile>(way_.lists / list_file_name(policy_, seed()));
    return [file](std::span<const RankedList> lists) { file->add(lists); };
  }

  LifeSeen live_with(ListMaker& lists) const {
    Passing passing(way_.run);
    return live(plan_, lists, [&](Time now, const LifeSeen&) { passing.wait(now); });
  }

  LifeSeen through_kafka() {
    OwnTopics topics(*way_.run.kafka, policy_.name + "-" + std::to_string(seed()),
                     way_.run.keep_topics);
    const auto begun = std::chrono::steady_clock::now();
    LifeSeen seen;
    {
      KafkaLists lists(engine_, plan_.options(), alone_, topics.connection(), witness());
      seen = live_with(lists);
      carried_ = {policy_.name,
                  seed(),
                  topics.name(),
                  lists.road().events_sent(),
                  lists.road().lists_delivered(),
                  0.0};
    }
    carried_->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    topics.remove();
    return seen;
  }

  const LivePolicy& policy_;
  const LifePlan& plan_;
  EngineOptions engine_;
  const LiveWay& way_;
  Workers alone_{1};
  std::optional<Carried> carried_;
};

}  // namespace

std::vector<LivePolicy> live_policies(const EngineOptions& engine,
                                      const std::vector<float>& alphas) {
  using Maker = LivePolicy::Maker;
  std::vector<LivePolicy> out = {{"unconstrained", Maker::kEngine, Policy::kNone, 0.0F, false},
                                 {"cutoff", Maker::kEngine, Policy::kCutoff, 0.0F, false},
                                 {"greedy", Maker::kEngine, Policy::kGreedy, 0.0F, false}};
  for (const float alpha : alphas) {
    out.push_back({with_alpha("cap", alpha), Maker::kEngine, Policy::kNone, alpha, false});
  }
  out.push_back({"price", Maker::kEngine, Policy::kPrice, 0.0F, false});
  for (const float alpha : alphas) {
    out.push_back({with_alpha("price+cap", alpha), Maker::kEngine, Policy::kPrice, alpha, false});
  }
  out.push_back({"batch", Maker::kBatch, Policy::kNone, 0.0F, false});
  out.push_back({"popularity", Maker::kPopularity, Policy::kNone, 0.0F, false});
  out.push_back({"random", Maker::kRandom, Policy::kNone, 0.0F, false});
  const auto same = [&](const LivePolicy& policy) {
    return policy.maker == Maker::kEngine && policy.policy == engine.allot.policy &&
           policy.alpha == engine.pressure.alpha;
  };
  auto known = std::find_if(out.begin(), out.end(), same);
  if (known == out.end()) {
    const std::string name =
        with_alpha(to_string(engine.allot.policy).data(), engine.pressure.alpha);
    known = out.insert(out.begin(),
                       {name, Maker::kEngine, engine.allot.policy, engine.pressure.alpha, false});
  }
  known->is_default = true;
  return out;
}

const std::vector<LiveFigure>& live_figures() {
  using In = const LifeSeen&;
  static const std::vector<LiveFigure> kFigures = {
      {"value", "value", "chances to be glad of all who got a seat, summed",
       [](In s) { return s.all().value; }},
      {"seated", "seated", "people who got a seat", [](In s) { return s.all().seated; }},
      {"turned_away", "away", "people who met a full place and went",
       [](In s) { return s.all().turned_away; }},
      {"gave_up", "gave up", "people who waited and went", [](In s) { return s.all().gave_up; }},
      {"wait_minutes", "wait", "minutes that people waited, mean over all who came",
       [](In s) { return ratio(s.all().waited, s.all().went); }},
      {"overload_time", "over t", "share of (item, minute) with more people than seats",
       [](In s) { return ratio(s.overload_minutes, s.item_minutes); }},
      {"overload_people", "over p", "share of those whom a list sent that met a full place",
       [](In s) { return ratio(s.by_list.met_full, s.by_list.went); }},
      {"gini", "gini", "of how often places are shown: 0 all alike, 1 all on one",
       [](In s) { return gini_of(s.shown); }},
      {"coverage", "cover", "share of the places that are on some list",
       [](In s) { return coverage_of(s.shown); }},
      {"listen_bias", "p bias",
       "listening as estimated less who went to a place of the list, mean over lists",
       [](In s) { return ratio(s.bias, s.judged); }},
      {"listen_rmse", "p rmse", "listening as estimated beside the truth, root of the mean square",
       [](In s) {
         const auto square = ratio(s.squares, s.judged);
         return square ? std::optional(std::sqrt(*square)) : std::nullopt;
       }},
      {"listen_regret", "p regret", "log loss above that of who knows the truth, nats a list",
       [](In s) { return ratio(s.regret, s.judged); }},
      {"value_by_list", "by list", "of the value, what lists brought",
       [](In s) { return s.by_list.value; }},
      {"seated_by_list", "listed", "people whom a list brought to a seat",
       [](In s) { return s.by_list.seated; }},
      {"followed", "followed", "share of lists that were followed",
       [](In s) { return ratio(s.followed, s.listed); }},
      {"organic_overload_time", "org t", "as overload_time, by those alone whom no list sent",
       [](In s) { return ratio(s.organic_overload_minutes, s.item_minutes); }},
  };
  return kFigures;
}

std::size_t LiveRuns::default_policy() const {
  const auto at = std::find_if(policies.begin(), policies.end(),
                               [](const LivePolicy& policy) { return policy.is_default; });
  return static_cast<std::size_t>(at - policies.begin());
}

LiveRuns run_live(const LifeOptions& life, const EngineOptions& engine,
                  const std::vector<LivePolicy>& policies, std::size_t seeds, Workers& workers,
                  const LiveWay& way) {
  LiveRuns runs{policies, seeds, std::vector<LifeSeen>(policies.size() * seeds), {}, {}};
  std::vector<std::unique_ptr<LifePlan>> plans(seeds);
  workers.each(seeds, [&](std::size_t seed) {
    LifeOptions options = life;
    options.seed += seed;
    plans[seed] = std::make_unique<LifePlan>(options);
  });
  for (const auto& plan : plans) runs.unconstrained.push_back(plan->unconstrained_overload());
  ProgressBar bar("about");
  std::mutex of_bar;
  std::size_t done = 0;
  bar.show(0.0, policies.front().name);
  const auto make = [&](std::size_t n) {
    const LivePolicy& policy = policies[n / seeds];
    LiveRun run(policy, *plans[n % seeds], engine, way);
    runs.seen[n] = run.make();
    if (run.carried()) runs.carried.push_back(*run.carried());
    const std::lock_guard lock(of_bar);
    bar.show(static_cast<double>(++done) / static_cast<double>(runs.seen.size()), policy.name);
  };
  if (way.run.kafka) {
    for (std::size_t n = 0; n < runs.seen.size(); ++n) make(n);
  } else {
    workers.each(runs.seen.size(), make);
  }
  return runs;
}

namespace {

std::optional<Interval> over_seeds(std::size_t seeds,
                                   const std::function<std::optional<double>(std::size_t)>& of) {
  std::vector<double> values;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const auto value = of(seed);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return interval_of(values);
}

}  // namespace

std::optional<Interval> figure_of(const LiveRuns& runs, std::size_t policy,
                                  const LiveFigure& figure) {
  return over_seeds(runs.seeds, [&](std::size_t seed) { return figure.of(runs.at(policy, seed)); });
}

std::optional<Interval> difference_of(const LiveRuns& runs, std::size_t policy,
                                      const LiveFigure& figure) {
  return over_seeds(runs.seeds, [&](std::size_t seed) -> std::optional<double> {
    const auto own = figure.of(runs.at(policy, seed));
    const auto other = figure.of(runs.at(runs.default_policy(), seed));
    if (!own || !other) return std::nullopt;
    return *own - *other;
  });
}

}  // namespace headroom::sim
