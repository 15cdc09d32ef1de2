#include "headroom/rank/prices.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

namespace {

// Everybody could be given everything; a seat each.
Demand random_demand(std::size_t askers, std::size_t items, std::uint32_t n, std::uint64_t seed) {
  Demand demand;
  Draws draws(seed, Purpose::kWorld, askers);
  for (std::size_t i = 0; i < askers; ++i) {
    Demand::Asker asker;
    asker.n = n;
    asker.begin = demand.items.size();
    for (std::uint32_t j = 0; j < items; ++j) {
      demand.items.push_back(ItemIx{j});
      demand.chances.push_back(static_cast<float>(draws.uniform()));
    }
    asker.end = demand.items.size();
    demand.askers.push_back(asker);
  }
  return demand;
}

// The best lists there are, by trying all. With a seat each and whole capacities the linear program
// has a whole solution, so this is its optimum.
double best_value(const Demand& demand, std::size_t asker, std::vector<int> left) {
  if (asker == demand.askers.size()) return 0.0;
  const Demand::Asker& one = demand.askers[asker];
  const auto items = static_cast<unsigned>(one.end - one.begin);
  double best = 0.0;
  for (unsigned set = 0; set < 1U << items; ++set) {
    if (std::popcount(set) > static_cast<int>(one.n)) continue;
    double value = 0.0;
    bool fits = true;
    auto rest = left;
    for (unsigned j = 0; j < items; ++j) {
      if ((set >> j & 1U) == 0) continue;
      fits = fits && --rest[j] >= 0;
      value += static_cast<double>(demand.chances[one.begin + j]);
    }
    if (fits) best = std::max(best, value + best_value(demand, asker + 1, rest));
  }
  return best;
}

}  // namespace

TEST_CASE("the bound is never below the best lists, and next to it") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Demand demand = random_demand(4, 4, 2, seed);
    std::vector<int> left;
    std::vector<float> capacity;
    Draws draws(seed, Purpose::kSpread, 0);
    for (int j = 0; j < 4; ++j) {
      left.push_back(1 + static_cast<int>(draws.below(3)));
      capacity.push_back(static_cast<float>(left.back()));
    }
    Workers workers(1);
    const double best = best_value(demand, 0, left);
    const Prices prices = solve_prices(demand, capacity, {}, {.cold = 400}, workers);
    CAPTURE(seed, best, prices.bound);
    CHECK(prices.bound >= best - 1e-5);
    CHECK(prices.bound <= best * 1.01);
    CHECK(bound_at(demand, capacity, prices.bound_prices, workers) ==
          Approx(prices.bound).epsilon(1e-5));
    // At any prices it is a bound, if not a good one.
    for (int k = 0; k < 20; ++k) {
      std::vector<float> any;
      for (int j = 0; j < 4; ++j) any.push_back(static_cast<float>(draws.uniform()));
      CHECK(bound_at(demand, capacity, any, workers) >= best - 1e-5);
    }
  }
}

TEST_CASE("what nobody lacks costs nothing") {
  const Demand demand = random_demand(30, 20, 5, 3);
  std::vector<float> capacity(20, 1000.0F);
  capacity[7] = 2.0F;
  Workers workers(1);
  const Prices prices = solve_prices(demand, capacity, {}, {}, workers);
  for (std::size_t j = 0; j < 20; ++j) {
    CAPTURE(j);
    if (j == 7) {
      CHECK(prices.values[j] > 0.0F);
    } else {
      CHECK(prices.values[j] == 0.0F);
    }
  }
}

TEST_CASE("a place that holds more than an item has is not offered") {
  Demand demand = random_demand(3, 3, 1, 5);
  for (Demand::Asker& asker : demand.askers) asker.seats = 3.0F;
  const std::vector<float> capacity = {2.9F, 2.9F, 3.0F};
  Workers workers(1);
  float best = 0.0F;
  for (std::size_t i = 0; i < 3; ++i) best = std::max(best, demand.chances[3 * i + 2]);
  const Prices prices = solve_prices(demand, capacity, {}, {.cold = 300}, workers);
  CHECK(prices.bound == Approx(3.0 * static_cast<double>(best)).epsilon(0.01));
}

TEST_CASE("prices are the same on any number of threads, and a warm solve stays there") {
  const Demand demand = random_demand(500, 60, 5, 9);
  const std::vector<float> capacity(60, 30.0F);
  Workers one(1), two(2), five(5);
  const Prices alone = solve_prices(demand, capacity, {}, {}, one);
  CHECK(alone.values == solve_prices(demand, capacity, {}, {}, two).values);
  CHECK(alone.values == solve_prices(demand, capacity, {}, {}, five).values);
  const Prices warm = solve_prices(demand, capacity, alone, {}, one);
  CHECK(warm.bound <= alone.bound * 1.001);
  CHECK(warm.bound >= alone.bound * 0.999);
}

TEST_CASE("nobody, nothing and no candidates have no prices") {
  Workers workers(1);
  CHECK(solve_prices({}, std::vector<float>(3, 1.0F), {}, {}, workers).values ==
        std::vector<float>(3));
  CHECK(solve_prices({}, {}, {}, {}, workers).values.empty());
  Demand demand;
  demand.askers.emplace_back();
  CHECK(solve_prices(demand, std::vector<float>(2, 1.0F), {}, {}, workers).values ==
        std::vector<float>(2));
}

TEST_CASE("a solve that does not converge says so") {
  const Demand demand = random_demand(200, 40, 5, 11);
  const std::vector<float> capacity(40, 10.0F);  // 1,000 places asked for, 400 there
  Workers workers(1);
  const Prices good = solve_prices(demand, capacity, {}, {}, workers);
  CHECK(good.converged);
  CHECK(good.gap < 0.01);
  CHECK(good.gap >= 0.0);
  CHECK(solve_prices(demand, capacity, good, {}, workers).converged);
  // One look at no prices at all is no solve.
  const Prices hasty = solve_prices(demand, capacity, {}, {.cold = 1}, workers);
  CHECK_FALSE(hasty.converged);
  CHECK(hasty.gap > 0.2);

  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto converges = [&](const auto& spoil) {
    Demand spoilt = demand;
    spoil(spoilt);
    return solve_prices(spoilt, capacity, {}, {}, workers).converged;
  };
  CHECK(converges([](Demand&) {}));
  CHECK_FALSE(converges([](Demand& d) { d.chances[17] = kInfinity; }));
  CHECK_FALSE(converges([](Demand& d) { d.askers[3].lists = kNan; }));
  CHECK_FALSE(converges([](Demand& d) { d.askers[3].lists = kInfinity; }));
  // What is not a number is no candidate.
  CHECK(converges([](Demand& d) { std::fill_n(d.chances.begin(), 400, kNan); }));

  // Prices of before that are of no use are not gone on from.
  Prices spoilt = good;
  spoilt.values[5] = kNan;
  const Prices anew = solve_prices(demand, capacity, spoilt, {}, workers);
  CHECK(anew.converged);
  CHECK(anew.values == good.values);
}

TEST_CASE("the gap is between the bound and lists that fit, the best there are between them") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Demand demand = random_demand(4, 4, 2, seed);
    const std::vector<int> left = {1, 2, 1, 3};
    const std::vector<float> capacity(left.begin(), left.end());
    Workers workers(1);
    const double best = best_value(demand, 0, left);
    for (const unsigned iterations : {1U, 5U, 20U, 400U}) {
      const PriceOptions options{.cold = iterations, .enough = 0.0F};
      const Prices prices = solve_prices(demand, capacity, {}, options, workers);
      CAPTURE(seed, iterations, best, prices.bound, prices.gap);
      CHECK(prices.bound >= best - 1e-5);
      CHECK(prices.bound * (1.0 - prices.gap) <= best + 1e-5);
    }
  }
}

TEST_CASE("what is kept of the candidates changes nothing") {
  // Many candidates each, few of which matter; prices start far off and fall, so that what did not
  // matter comes to.
  const Demand demand = random_demand(60, 400, 5, 21);
  std::vector<float> capacity(400, 0.7F);
  Draws draws(21, Purpose::kSpread, 0);
  for (float& c : capacity) c += static_cast<float>(draws.uniform());
  Workers workers(1);
  Prices from;
  from.curvature.assign(400, 1.0F);
  for (int j = 0; j < 400; ++j) from.values.push_back(static_cast<float>(draws.uniform()));
  const Prices prices =
      solve_prices(demand, capacity, from, {.warm = 100, .enough = 0.0F}, workers);
  // By its definition, without anything kept from a step before.
  double bound = 0.0;
  for (std::size_t j = 0; j < 400; ++j) {
    bound += static_cast<double>(prices.bound_prices[j]) * static_cast<double>(capacity[j]);
  }
  for (const Demand::Asker& asker : demand.askers) {
    std::vector<float> worth;
    for (std::size_t k = asker.begin; k < asker.end; ++k) {
      const std::size_t item = index(demand.items[k]);
      if (capacity[item] < asker.seats) continue;
      worth.push_back(std::max(0.0F, demand.chances[k] - prices.bound_prices[item]));
    }
    std::sort(worth.rbegin(), worth.rend());
    for (std::size_t k = 0; k < 5; ++k) bound += static_cast<double>(worth[k]);
  }
  CHECK(prices.bound == Approx(bound).epsilon(1e-6));
  CHECK(prices.gap < 0.02);
}
