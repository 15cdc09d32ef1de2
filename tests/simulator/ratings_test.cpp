#include "simulator/ratings.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/ratings.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

using Names = std::vector<std::string>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Visit {
  std::uint32_t user, item;
  float value = 1.0F;
};

Dataset dataset_of(std::size_t users, std::size_t items, const std::vector<Visit>& visits) {
  Dataset data;
  data.name = "made-up";
  for (std::size_t i = 0; i < users; ++i) data.users.push_back(numbered("u", i));
  for (std::size_t j = 0; j < items; ++j) data.items.push_back(numbered("i", j));
  for (const Visit& visit : visits) {
    data.interactions.push_back({UserIx{visit.user}, ItemIx{visit.item}, visit.value, Time{}});
  }
  return data;
}

// "user item value", in the order that the ratings have.
Names rows_of(const Ratings& ratings) {
  Names rows;
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    for (std::size_t n = ratings.start[i]; n < ratings.start[i + 1]; ++n) {
      rows.push_back(ratings.users[i] + " " + ratings.items[ratings.item[n]] + " " +
                     std::to_string(static_cast<int>(ratings.value[n])));
    }
  }
  return rows;
}

// With a filter of 2:        i0  i1  i2  i3
//   u0 has one pair, on i2            x
//   u1 has two          x   x
//   u2 has three        x   x   x
//   u3 has two              x       x
// Counted first: i0 2, i1 3, i2 2, i3 1. The joint pass drops (u0, i2) for its user and (u3, i3)
// for its item and keeps (u2, i2). Users first: i2 has only u2 left, so that (u2, i2) goes too.
// Items first: u3 has one pair left, so that (u3, i1) goes too.
const std::vector<Visit> kJoint = {{0, 2}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}, {3, 1}, {3, 3}};

}  // namespace

TEST_CASE("the filter is one joint pass over counts taken before anything is removed") {
  const Ratings ratings = prepare(dataset_of(4, 4, kJoint), {.min_count = 2});
  CHECK(rows_of(ratings) ==
        Names{"u1 i0 1", "u1 i1 1", "u2 i0 1", "u2 i1 1", "u2 i2 1", "u3 i1 1"});
  CHECK(ratings.users == Names{"u1", "u2", "u3"});
  CHECK(ratings.items == Names{"i0", "i1", "i2"});
  CHECK(ratings.raters() == std::vector<std::uint32_t>{2, 3, 1});
  CHECK(ratings.size() == 6);
}

TEST_CASE("the filter counts distinct pairs, not visits") {
  std::vector<Visit> visits = kJoint;
  for (int n = 0; n < 5; ++n) visits.push_back({0, 2});  // u0 goes to i2 again and again
  CHECK(prepare(dataset_of(4, 4, visits), {.min_count = 2}).users == Names{"u1", "u2", "u3"});
}

TEST_CASE("of a repeated pair the last value in the data set's order stays") {
  const auto data = dataset_of(
      2, 3, {{1, 2, 4}, {0, 0, 1}, {1, 2, 2}, {0, 1, 5}, {0, 0, 3}, {1, 0, 1}, {1, 2, 5}});
  CHECK(rows_of(prepare(data, {})) == Names{"u0 i0 3", "u0 i1 5", "u1 i0 1", "u1 i2 5"});
}

TEST_CASE("users and items without a pair are left out, the others keep their order") {
  const auto data = dataset_of(5, 6, {{4, 5}, {4, 1}, {1, 5}, {1, 3}});
  const Ratings ratings = prepare(data, {});
  CHECK(ratings.users == Names{"u1", "u4"});
  CHECK(ratings.items == Names{"i1", "i3", "i5"});
  CHECK(rows_of(ratings) == Names{"u1 i3 1", "u1 i5 1", "u4 i1 1", "u4 i5 1"});
}

TEST_CASE("stars are kept as such, and a set without places has no geography") {
  auto data = dataset_of(4, 4, kJoint);
  CHECK_FALSE(prepare(data, {.min_count = 2}).has_stars);
  data.has_stars = true;
  const Ratings ratings = prepare(data, {.min_count = 2});
  CHECK(ratings.has_stars);
  CHECK_FALSE(ratings.geography.has_value());
  CHECK(ratings.places.empty());
}

TEST_CASE("tiles are counted before the filter, items afterwards") {
  auto data = dataset_of(4, 4, kJoint);
  // i3 does not survive and is alone on its tile; i0 and i1 share one.
  data.places = {{1.3000, 103.8000}, {1.3001, 103.8001}, {1.35, 103.80}, {1.40, 103.95}};
  const Ratings ratings = prepare(data, {.min_count = 2});
  REQUIRE(ratings.geography);
  const Geography& geography = *ratings.geography;
  REQUIRE(ratings.items.size() == 3);
  CHECK(geography.tiles.size() == 3);
  CHECK(geography.influence.size() == 4);
  REQUIRE(geography.item_tile.size() == 3);
  CHECK(geography.item_tile[0] == geography.item_tile[1]);
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(geography.tiles[geography.item_tile[j]] ==
          tile_of(data.places[j].lat, data.places[j].lon, 15));
    CHECK(ratings.places[j].lat == data.places[j].lat);
  }
  CHECK(std::is_sorted(geography.tiles.begin(), geography.tiles.end()));
}

TEST_CASE("places move with their items when items before them are filtered out") {
  auto data = dataset_of(3, 4, {{0, 1}, {0, 3}, {1, 1}, {1, 3}, {2, 0}, {2, 2}});
  data.places = {{10, 10}, {20, 20}, {30, 30}, {40, 40}};
  const Ratings ratings = prepare(data, {.min_count = 2});
  REQUIRE(ratings.items == Names{"i1", "i3"});
  REQUIRE(ratings.places.size() == 2);
  CHECK(ratings.places[0].lat == 20);
  CHECK(ratings.places[1].lat == 40);
  CHECK(ratings.geography->tiles[ratings.geography->item_tile[1]] == tile_of(40, 40, 15));
}

TEST_CASE("an item without a place is nowhere; level and width are the options'") {
  auto data = dataset_of(4, 4, kJoint);
  data.places = {{1.30, 103.80}, {kNan, kNan}, {1.35, 103.80}, {1.40, kNan}};
  const Ratings ratings = prepare(data, {.min_count = 2, .level = 10, .width = 2.0});
  const Geography& geography = *ratings.geography;
  CHECK(geography.item_tile[1] == geography.influence.nowhere());
  CHECK(geography.tiles[geography.item_tile[0]] == tile_of(1.30, 103.80, 10));
  const auto row = geography.influence.row(geography.item_tile[0]);
  REQUIRE_FALSE(row.empty());
  CHECK(row.front().weight == Approx(0.3989422804 / 2.0));
}

TEST_CASE("too little to split is refused with what is missing") {
  const auto refusal = [](const Dataset& data, std::size_t min_count) {
    return error_of([&] { prepare(data, {.min_count = min_count}); });
  };
  CHECK(refusal(dataset_of(0, 0, {}), 0) == "made-up: at least two users are needed, it has 0");
  CHECK(refusal(dataset_of(1, 3, {{0, 0}, {0, 1}, {0, 2}}), 0) ==
        "made-up: at least two users are needed, it has 1");
  CHECK(refusal(dataset_of(3, 1, {{0, 0}, {1, 0}, {2, 0}}), 0) ==
        "made-up: at least two items are needed, it has 1");
  const auto one_rating = dataset_of(2, 2, {{0, 0}, {0, 1}, {1, 1}});
  CHECK(contains(refusal(one_rating, 0), "user 'u1' has one rating"));
  CHECK(contains(refusal(one_rating, 1), "user 'u1' has one rating"));
  CHECK(refusal(dataset_of(4, 4, kJoint), 9) ==
        "made-up: at least two users are needed, it has 0 after the filter of 9");
}
