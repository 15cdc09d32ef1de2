// What prices promise, on real chances: mean over random orders of arrival.
#include "simulator/allot.hpp"
#include "simulator/readers.hpp"
#include "support/catch.hpp"
#include "support/real_data.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

struct Case {
  const char* capacity;
  Arrivals arrivals;
  std::uint32_t visits;
  Shock shock;
  double least;  // share of the bound
};

double mean_share(const AllotProblem& problem, AllotOptions options, AllotPolicy policy,
                  Workers& workers) {
  constexpr std::uint64_t kOrders = 5;
  options.policy = policy;
  double sum = 0.0;
  for (std::uint64_t order = 0; order < kOrders; ++order) {
    const AllotResult result = run_allot(problem, options, order, workers);
    CHECK(result.violations == 0);
    // A stream's bound holds in the long run only.
    if (options.arrivals == Arrivals::kOnce) CHECK(result.value <= result.bound);
    sum += result.share();
  }
  return sum / kOrders;
}

}  // namespace

TEST_CASE("lists by prices come close to the most that any lists could reach") {
  const auto data = test::real_data({"ml-100k"});
  if (data.empty()) return;
  const Ratings ratings =
      prepare(read_dataset({.dataset = "ml-100k", .path = data / "ml-100k"}), {});
  Workers workers;
  for (const Case& one : {Case{"actual", Arrivals::kOnce, 1, Shock::kNone, 0.991},
                          Case{"uniform-1", Arrivals::kOnce, 1, Shock::kNone, 0.963},
                          Case{"reverse-binning", Arrivals::kOnce, 1, Shock::kNone, 0.94},
                          Case{"uniform-1", Arrivals::kOnce, 5, Shock::kNone, 0.99},
                          Case{"actual", Arrivals::kStream, 8, Shock::kNone, 0.968},
                          Case{"uniform-1", Arrivals::kStream, 8, Shock::kNone, 0.925},
                          Case{"actual", Arrivals::kStream, 8, Shock::kResolved, 0.94}}) {
    AllotOptions options;
    options.capacity = parse_capacity(one.capacity);
    options.arrivals = one.arrivals;
    options.visits = one.visits;
    options.shock = one.shock;
    const AllotProblem problem = make_allot_problem(ratings, options, workers);
    const double price = mean_share(problem, options, AllotPolicy::kPrice, workers);
    const double greedy = mean_share(problem, options, AllotPolicy::kGreedy, workers);
    WARN(one.capacity << (one.arrivals == Arrivals::kOnce ? ", once: " : ", stream: ") << "prices "
                      << price << ", greedy " << greedy << ", gap " << problem.gap);
    CHECK(price >= one.least);
    CHECK(price >= greedy + 0.03);
    CHECK(problem.gap <= 0.001);
  }
}
