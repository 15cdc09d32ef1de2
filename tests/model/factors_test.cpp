#include "headroom/model/factors.hpp"

#include <vector>

#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

namespace {

constexpr std::uint32_t kUsers = 5, kItems = 40, kTiles = 36;

Factors random_factors(std::size_t rank) {
  Draws draws(1, Purpose::kWorld, rank);
  Factors factors;
  factors.rank = rank;
  for (std::size_t n = 0; n < kUsers * rank; ++n) {
    factors.users.push_back(static_cast<float>(draws.normal()));
  }
  for (std::size_t n = 0; n < kItems * rank; ++n) {
    factors.items.push_back(static_cast<float>(draws.normal()));
  }
  return factors;
}

// Items on the tiles of a square, every fifth of them nowhere.
Geography some_geography() {
  std::vector<Tile> tiles;
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(kTiles); ++t) {
    tiles.push_back({t / 6, t % 6});
  }
  Influence influence(tiles);
  std::vector<std::uint32_t> item_tile;
  for (std::uint32_t j = 0; j < kItems; ++j) {
    item_tile.push_back(j % 5 == 0 ? influence.nowhere() : (7 * j) % kTiles);
  }
  return {tiles, item_tile, influence};
}

// User i is active on 2 i tiles, so that user 0 is active on none.
void add_activity(Factors& factors, const Geography& geography) {
  factors.geography = &geography;
  factors.activity_start = {0};
  for (std::uint32_t i = 0; i < kUsers; ++i) {
    for (std::uint32_t n = 0; n < 2 * i; ++n) {
      factors.activity_tile.push_back((5 * n + i) % kTiles);
      factors.activity.push_back(0.5F * static_cast<float>(n) - 1.0F);
    }
    factors.activity_start.push_back(static_cast<std::uint32_t>(factors.activity.size()));
  }
}

// u . v + sum over the user's tiles of x y, in double and by the definition.
double score_by_hand(const Factors& factors, std::uint32_t user, std::uint32_t item) {
  double total = 0.0;
  for (std::size_t k = 0; k < factors.rank; ++k) {
    total += static_cast<double>(factors.users[user * factors.rank + k]) *
             static_cast<double>(factors.items[item * factors.rank + k]);
  }
  if (factors.geography == nullptr) return total;
  const Geography& geography = *factors.geography;
  for (std::size_t a = factors.activity_start[user]; a < factors.activity_start[user + 1]; ++a) {
    for (const auto& [tile, weight] : geography.influence.row(factors.activity_tile[a])) {
      if (tile == geography.item_tile[item]) {
        total += static_cast<double>(factors.activity[a]) * static_cast<double>(weight);
      }
    }
  }
  return total;
}

void check_all_scores(const Factors& factors) {
  for (std::uint32_t i = 0; i < kUsers; ++i) {
    std::vector<float> run(kItems);
    factors.score_run(UserIx{i}, ItemIx{0}, run);
    for (std::uint32_t j = 0; j < kItems; ++j) {
      INFO("user " << i << ", item " << j);
      const double truth = score_by_hand(factors, i, j);
      CHECK(factors.score(UserIx{i}, ItemIx{j}) == Approx(truth).margin(1e-5));
      CHECK(run[j] == Approx(truth).margin(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("a score is u . v, one by one and in a run") {
  for (const std::size_t rank : {1, 2, 10, 17}) {
    const Factors factors = random_factors(rank);
    CHECK(factors.user_count() == kUsers);
    CHECK(factors.item_count() == kItems);
    check_all_scores(factors);
  }
}

TEST_CASE("with geography a score is u . v + x . y, one by one and in a run") {
  const Geography geography = some_geography();
  for (const std::size_t rank : {1, 10}) {
    Factors factors = random_factors(rank);
    add_activity(factors, geography);
    check_all_scores(factors);
  }
}

TEST_CASE("geography moves the scores of active users only, and not those of unknown places") {
  const Geography geography = some_geography();
  const Factors plain = random_factors(4);
  Factors factors = plain;
  add_activity(factors, geography);
  bool moved = false;
  for (std::uint32_t i = 0; i < kUsers; ++i) {
    for (std::uint32_t j = 0; j < kItems; ++j) {
      const float with = factors.score(UserIx{i}, ItemIx{j});
      const float without = plain.score(UserIx{i}, ItemIx{j});
      if (i == 0 || j % 5 == 0) {
        CHECK(with == without);
      } else {
        moved = moved || with != without;
      }
    }
  }
  CHECK(moved);
}

TEST_CASE("a part of a run has the same bits as the whole run") {
  const Geography geography = some_geography();
  Factors factors = random_factors(10);
  add_activity(factors, geography);
  std::vector<float> whole(kItems);
  factors.score_run(UserIx{3}, ItemIx{0}, whole);
  for (std::uint32_t first = 0; first < kItems; first += 3) {
    std::vector<float> part(std::min<std::size_t>(7, kItems - first));
    factors.score_run(UserIx{3}, ItemIx{first}, part);
    for (std::size_t n = 0; n < part.size(); ++n) CHECK(part[n] == whole[first + n]);
  }
}

TEST_CASE("no factors: nobody and nothing") {
  const Factors factors;
  CHECK(factors.user_count() == 0);
  CHECK(factors.item_count() == 0);
}
