// What the default promises in the closed loop, at rush hour, over three seeds. Differences are
// paired by seed.

#include "headroom/app/settings.hpp"
#include "simulator/life_settings.hpp"
#include "simulator/live.hpp"
#include "support/catch.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

const LiveFigure& figure(const char* key) {
  for (const LiveFigure& one : live_figures()) {
    if (std::string_view(one.key) == key) return one;
  }
  throw std::logic_error(key);
}

}  // namespace

TEST_CASE("rush hour: the default is worth more, seats more and lets wait less than all others") {
  LifeOptions life;
  read_settings(HEADROOM_SOURCE_DIR "/config/experiments/rush_hour.yaml", life_settings(life));
  const EngineOptions engine;
  std::vector<LivePolicy> policies = live_policies(engine, {0.05F});
  std::erase_if(policies, [](const LivePolicy& policy) {
    return policy.name == "random" || policy.name == "batch";
  });
  Workers workers;
  const LiveRuns runs = run_live(life, engine, policies, 3, workers, {});
  const std::size_t own = runs.default_policy();
  REQUIRE(policies[own].name == "price");
  const LiveFigure &value = figure("value"), &seated = figure("seated"),
                   &wait = figure("wait_minutes");
  const double most = figure_of(runs, own, seated)->mean;
  for (std::size_t other = 0; other < policies.size(); ++other) {
    if (other == own) continue;
    const Interval less = *difference_of(runs, other, value);
    INFO(policies[other].name << ": value " << less.mean << " (" << less.low << " to " << less.high
                              << ") of the default's " << figure_of(runs, own, value)->mean);
    CHECK(less.mean < 0.0);
    CHECK(difference_of(runs, other, seated)->mean < 0.0);
    if (figure_of(runs, other, seated)->mean >= 0.95 * most) {
      CHECK(difference_of(runs, other, wait)->mean > 0.0);
    }
    if (policies[other].name == "unconstrained") {
      CHECK(less.high < 0.0);
      CHECK(figure_of(runs, other, seated)->high < figure_of(runs, own, seated)->low);
    }
  }
}
