#include "simulator/epochs.hpp"

#include "simulator/generated.hpp"
#include "support/catch.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

EpochsRun run(std::size_t threads, std::size_t epochs, std::uint64_t seed = 1) {
  const Ratings ratings = prepare(generate_city({.users = 60, .items = 80, .seed = 2}), {});
  Workers workers(threads);
  EpochsOptions options;
  options.learner = bare_learner(Method::kBpr);
  options.epochs = epochs;
  options.seed = seed;
  return run_epochs(ratings, options, workers);
}

}  // namespace

TEST_CASE("epochs are looked at by quarters first, and learn") {
  const EpochsRun one = run(1, 6);
  REQUIRE(one.points.size() == 4 * 4 + 2);
  CHECK(one.points[0].epoch == 0.25);
  CHECK(one.points[15].epoch == 4.0);
  CHECK(one.points.back().epoch == 6.0);
  CHECK(one.points.back().auc > one.points.front().auc);
  CHECK(one.points.back().auc > 0.6);
  CHECK(one.train >= one.test);
  CHECK(one.train <= one.test + 60);
  CHECK(one.tested_users == 60);
  for (std::size_t n = 1; n < one.points.size(); ++n) {
    CHECK(one.points[n].cpu_seconds >= one.points[n - 1].cpu_seconds);
  }
}

TEST_CASE("epochs are the same on any number of threads, and differ by seed") {
  const EpochsRun one = run(1, 2), two = run(2, 2), other = run(1, 2, 7);
  REQUIRE(one.points.size() == two.points.size());
  for (std::size_t n = 0; n < one.points.size(); ++n) CHECK(one.points[n].auc == two.points[n].auc);
  CHECK(one.points.back().auc != other.points.back().auc);
}
