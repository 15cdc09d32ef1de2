// What lists under capacity promise in a replay: Gowalla New York, filtered as in the paper, each
// pair once, the paper's own form of the learner; a list holds its seats for a day, whole, by the
// rule `now`; capacities `actual`, scaled.

#include "simulator/event_stream.hpp"
#include "simulator/readers.hpp"
#include "simulator/replay.hpp"
#include "support/catch.hpp"
#include "support/real_data.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

ReplayOptions a_day_each(std::uint64_t seed) {
  ReplayOptions options;
  options.engine.learner = bare_learner(options.engine.learner.method);
  options.engine.allot.holding = Holding::kWhole;
  options.engine.ledger.rule = RoomRule::kNow;
  options.engine.refresh.per_second = 0;
  options.engine.pricing.every = std::chrono::hours(4);
  options.engine.pricing.memory = std::chrono::days(6);
  options.hide_visited = true;
  options.period = {std::chrono::days(7), 0};
  options.seed = seed;
  return options;
}

}  // namespace

TEST_CASE("prices keep the hits that greedy lists lose, and seat more people than full lists") {
  const auto folder = test::real_data({"gowalla_newyork_snap"});
  if (folder.empty()) return;
  const Dataset data =
      keep_frequent(read_dataset({.dataset = "snap", .path = folder / "gowalla_newyork_snap"}), 10);
  const ReplayOptions options = a_day_each(1);
  ReplayWorld world{data, event_stream(data, {.first_visits = true}), {}, 1.0};
  world.given = given("actual", "actual", data, options.seed);
  Workers workers;
  const ListTrace trace = trace_unconstrained(world, options, workers);
  for (const double overload : {0.10, 0.27, 0.40, 0.55}) {
    const double scale = capacity_scale(world, options, trace, overload);
    const auto figures = [&](ReplayPolicy policy) {
      return replay(world, options, policy, scale, trace, workers).total;
    };
    const ReplayFigures none = figures(ReplayPolicy::kNone),
                        greedy = figures(ReplayPolicy::kGreedy),
                        price = figures(ReplayPolicy::kPrice);
    INFO("overload " << overload << ": hits " << none.hit_rate << ", greedy " << greedy.hit_rate
                     << ", prices " << price.hit_rate << ", seated " << none.seated << " and "
                     << price.seated << ", WAP " << none.wap << " and " << price.wap);
    CHECK(none.overload_people == Approx(overload).margin(0.002));
    CHECK(price.overload_people == 0.0);
    CHECK(price.overload_time == 0.0);
    if (overload <= 0.4) {
      CHECK(price.hit_rate >= 0.95 * none.hit_rate);
      CHECK(price.wap >= 0.93 * none.wap);
    }
    if (overload >= 0.25) {
      CHECK(none.hit_rate - price.hit_rate <= 0.6 * (none.hit_rate - greedy.hit_rate));
      CHECK(price.seated >= 1.2 * none.seated);
    }
  }
}
