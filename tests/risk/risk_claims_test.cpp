#include <string>

#include "simulator/risk.hpp"
#include "support/catch.hpp"

// What the rule `ahead` promises, in a town where nothing is given: neither who listens, nor what
// they choose, nor how long ways and visits take. Two days of the town's time, the first to learn.

namespace headroom::sim {
namespace {

// The smaller the places, the fewer people a town has, and the more towns are looked at.
std::size_t towns(const std::string& capacity) {
  if (capacity == "uniform-2") return 8;
  if (capacity == "uniform-5") return 4;
  return capacity == "uniform-200" ? 1 : 2;
}

RiskResult measure(const std::string& capacity, float risk, Policy policy = Policy::kGreedy) {
  RiskOptions options;
  options.capacity = capacity;
  options.engine.ledger.risk = risk;
  options.engine.allot.policy = policy;
  options.seeds = towns(capacity);
  Workers workers(1);
  const RiskResult result = measure_risk(options, workers);
  WARN(capacity << (policy == Policy::kPrice ? ", prices" : ", greedy") << ": risk " << risk
                << " came to " << result.whole.overload_time.mean() << " ("
                << result.whole.overload_time.low() << " to " << result.whole.overload_time.high()
                << "), seats used " << result.whole.seats_used.mean());
  REQUIRE(result.whole.items > 5);
  return result;
}

void check_comes_true(const RiskResult& result, double risk, double factor) {
  CHECK(result.whole.overload_time.mean() < risk * factor);
  CHECK(result.whole.overload_time.mean() > risk / factor);
}

TEST_CASE("risk: 5 % comes true at places of every size, and their seats are used") {
  struct Wanted {
    const char* capacity;
    double used;
  };
  for (const auto& [capacity, used] :
       {Wanted{"uniform-2", 0.49}, Wanted{"uniform-5", 0.62}, Wanted{"uniform-20", 0.78},
        Wanted{"uniform-60", 0.88}, Wanted{"uniform-200", 0.92}, Wanted{"actual", 0.84}}) {
    const RiskResult result = measure(capacity, 0.05F);
    check_comes_true(result, 0.05, 1.4);
    CHECK(result.whole.seats_used.mean() > used);
  }
}

TEST_CASE("risk: others come true as well") {
  for (const char* capacity : {"uniform-5", "uniform-20"}) {
    check_comes_true(measure(capacity, 0.01F), 0.01, 1.8);
    CHECK(measure(capacity, 0.04F).whole.overload_time.mean() < 0.05);
    check_comes_true(measure(capacity, 0.1F), 0.1, 1.4);
    check_comes_true(measure(capacity, 0.2F), 0.2, 1.8);
  }
}

// They keep away from places that are likely to be full, at the cost of a few seats.
TEST_CASE("risk: prices stay below it") {
  const RiskResult result = measure("uniform-20", 0.05F, Policy::kPrice);
  CHECK(result.whole.overload_time.mean() < 0.05 * 1.4);
  CHECK(result.whole.seats_used.mean() > 0.75);
}

TEST_CASE("risk: visits of exactly the same length, and a shock of demand") {
  RiskOptions options;
  options.engine.allot.policy = Policy::kGreedy;
  options.engine.ledger.risk = 0.05F;
  options.world.dwell_shape = 0.0;
  options.world.shock = 1.5;
  options.seeds = 2;
  Workers workers(1);
  const RiskResult result = measure_risk(options, workers);
  check_comes_true(result, 0.05, 1.4);
  CHECK(result.after.overload_time.mean() < 0.07);
}

}  // namespace
}  // namespace headroom::sim
