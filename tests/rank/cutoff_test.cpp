#include "headroom/rank/cutoff.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

namespace {

// Factors of rank 1 with v = 1: the score of an item is the user's number, whatever the item.
Factors with_scores(const std::vector<float>& user_scores, std::size_t items) {
  Factors factors;
  factors.rank = 1;
  factors.users = user_scores;
  factors.items.assign(items, 1.0F);
  return factors;
}

Factors random_factors(std::size_t users, std::size_t items, std::uint64_t seed, bool ties) {
  Draws draws(seed, Purpose::kWorld, 0);
  Factors factors;
  factors.rank = 2;
  const auto draw = [&] {
    return ties ? static_cast<float>(draws.below(3)) : static_cast<float>(draws.normal());
  };
  for (std::size_t n = 0; n < 2 * users; ++n) factors.users.push_back(draw());
  for (std::size_t n = 0; n < 2 * items; ++n) factors.items.push_back(draw());
  return factors;
}

std::vector<std::uint32_t> admitted(const Cutoff& cutoff, const Factors& factors, std::uint32_t j) {
  std::vector<std::uint32_t> users;
  for (std::uint32_t i = 0; i < factors.user_count(); ++i) {
    float score = 0.0F;
    factors.score_run(UserIx{i}, ItemIx{j}, std::span(&score, 1));
    if (cutoff.admits(UserIx{i}, ItemIx{j}, score)) users.push_back(i);
  }
  return users;
}

// Algorithm 1 as printed: all users sorted by their score of the item, the first c_j stay.
std::vector<std::uint32_t> by_sorting(const Factors& factors, std::uint32_t j, float capacity) {
  std::vector<std::uint32_t> users(factors.user_count());
  std::iota(users.begin(), users.end(), 0U);
  std::stable_sort(users.begin(), users.end(), [&](std::uint32_t a, std::uint32_t b) {
    return factors.score(UserIx{a}, ItemIx{j}) > factors.score(UserIx{b}, ItemIx{j});
  });
  const double seats =
      std::min(std::floor(static_cast<double>(capacity)), static_cast<double>(users.size()));
  users.resize(static_cast<std::size_t>(seats));
  std::sort(users.begin(), users.end());
  return users;
}

}  // namespace

TEST_CASE("an item admits its floor(c) best users, and all where there is room for all") {
  const Factors factors = with_scores({0.5F, -1.0F, 3.0F, 2.0F}, 9);
  const std::vector<float> capacity = {0.0F, 0.99F, 1.0F, 1.99F, 2.0F, 3.5F, 4.0F, 4.5F, 1e9F};
  Workers workers(2);
  const Cutoff cutoff(factors, capacity, workers);
  using Users = std::vector<std::uint32_t>;
  const std::vector<Users> expected = {{},        {},           {2},          {2},         {2, 3},
                                       {0, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
  for (std::uint32_t j = 0; j < capacity.size(); ++j) {
    INFO("capacity " << capacity[j]);
    CHECK(admitted(cutoff, factors, j) == expected[j]);
  }
}

TEST_CASE("among equal scores the first users are admitted, no more than fit") {
  const Factors factors = with_scores({1.0F, 2.0F, 1.0F, 1.0F, 2.0F, 1.0F}, 7);
  const std::vector<float> capacity = {0, 1, 2, 3, 4, 5, 6};
  Workers workers(1);
  const Cutoff cutoff(factors, capacity, workers);
  using Users = std::vector<std::uint32_t>;
  CHECK(admitted(cutoff, factors, 1) == Users{1});
  CHECK(admitted(cutoff, factors, 2) == Users{1, 4});
  CHECK(admitted(cutoff, factors, 3) == Users{0, 1, 4});
  CHECK(admitted(cutoff, factors, 5) == Users{0, 1, 2, 3, 4});
}

TEST_CASE("the cutoff is that of a full sort, over more items than a block holds") {
  constexpr std::size_t kUsers = 23, kItems = 600;
  for (const bool ties : {false, true}) {
    const Factors factors = random_factors(kUsers, kItems, 3, ties);
    Draws draws(4, Purpose::kWorld, 0);
    std::vector<float> capacity;
    for (std::size_t j = 0; j < kItems; ++j) {
      capacity.push_back(static_cast<float>(draws.uniform() * 28.0));
    }
    for (const std::size_t threads : {1, 3}) {
      Workers workers(threads);
      const Cutoff cutoff(factors, capacity, workers);
      for (std::uint32_t j = 0; j < kItems; ++j) {
        INFO("item " << j << ", capacity " << capacity[j]);
        CHECK(admitted(cutoff, factors, j) == by_sorting(factors, j, capacity[j]));
      }
    }
  }
}

TEST_CASE("in a stream a share of the sampled scores is above the cutoff, and no more") {
  Draws draws(8, Purpose::kWorld, 0);
  for (const std::size_t count : {1, 2, 7, 100}) {
    std::vector<float> sample;
    for (std::size_t n = 0; n < count; ++n) sample.push_back(static_cast<float>(draws.normal()));
    for (const double share : {0.0, 0.01, 0.3, 0.5, 0.999, 1.0, 7.0}) {
      auto work = sample;
      const float least = cutoff_score(work, share);
      const auto above = static_cast<double>(
          std::count_if(sample.begin(), sample.end(), [&](float s) { return s > least; }));
      CAPTURE(count, share, least);
      CHECK(above ==
            std::min(std::floor(share * static_cast<double>(count)), static_cast<double>(count)));
    }
  }
  std::vector<float> equal(10, 1.0F);
  CHECK_FALSE(1.0F > cutoff_score(equal, 0.5));  // rather none than more than fit
  CHECK(cutoff_score({}, 0.5) < -1e30F);         // nothing is known that speaks against it
  CHECK(cutoff_score({}, 0.0) > 1e30F);
}
