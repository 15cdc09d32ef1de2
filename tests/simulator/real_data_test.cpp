#include <algorithm>
#include <cmath>
#include <filesystem>

#include "simulator/ratings.hpp"
#include "simulator/readers.hpp"
#include "support/catch.hpp"
#include "support/real_data.hpp"

using namespace headroom::sim;

namespace {

void check_counts(const Dataset& set, std::size_t rows, std::size_t users, std::size_t items) {
  CHECK(set.interactions.size() == rows);
  CHECK(set.users.size() == users);
  CHECK(set.items.size() == items);
}

bool in_time_order(const Dataset& set) {
  return std::is_sorted(set.interactions.begin(), set.interactions.end(),
                        [](const auto& a, const auto& b) { return a.at < b.at; });
}

bool all_placed(const Dataset& set) {
  return set.places.size() == set.items.size() &&
         std::none_of(set.places.begin(), set.places.end(),
                      [](const Place& place) { return std::isnan(place.lat); });
}

}  // namespace

TEST_CASE("the real MovieLens sets have their published counts", "[real]") {
  const auto data = headroom::test::real_data({"ml-100k", "ml-1m"});
  if (data.empty()) return;
  const auto small = read_dataset({.dataset = "ml-100k", .path = data / "ml-100k"});
  check_counts(small, 100'000, 943, 1'682);
  CHECK(in_time_order(small));
  CHECK(small.has_stars);
  const auto large = read_dataset({.dataset = "ml-1m", .path = data / "ml-1m"});
  check_counts(large, 1'000'209, 6'040, 3'706);
  CHECK(in_time_order(large));
  CHECK(large.sources.size() == 2);
}

TEST_CASE("the real Foursquare set of Yuan 2013 has its published counts", "[real]") {
  const auto data = headroom::test::real_data({"foursquare_singapore_yuan2013"});
  if (data.empty()) return;
  const auto set =
      read_dataset({.dataset = "foursquare", .path = data / "foursquare_singapore_yuan2013"});
  check_counts(set, 194'108, 2'321, 5'596);
  CHECK(all_placed(set));
  CHECK(set.warnings.size() == 1);
}

TEST_CASE("the real Gowalla set of Yuan 2013 is read without its missing part", "[real]") {
  const auto data = headroom::test::real_data({"gowalla_california_yuan2013_partial"});
  if (data.empty()) return;
  const auto set = read_dataset({.dataset = "gowalla",
                                 .path = data / "gowalla_california_yuan2013_partial",
                                 .skip_bad = true});
  // Of 95,717 rows 62 say null,null. They are all that is there of one POI and of one user.
  CHECK(set.skipped == 62);
  check_counts(set, 95'717 - 62, 10'162 - 1, 19'955 - 1);
  CHECK(std::any_of(set.warnings.begin(), set.warnings.end(), [](const std::string& words) {
    return words.find("train.txt is missing") != std::string::npos;
  }));
}

TEST_CASE("the real New York part of SNAP Gowalla has its counts", "[real]") {
  const auto data = headroom::test::real_data({"gowalla_newyork_snap"});
  if (data.empty()) return;
  const auto set = read_dataset({.dataset = "snap", .path = data / "gowalla_newyork_snap"});
  check_counts(set, 138'957, 7'115, 21'509);
  CHECK(in_time_order(set));
  CHECK(all_placed(set));
}

TEST_CASE("the real Gowalla pairs of Liu 2017 have their counts", "[real]") {
  const auto data = headroom::test::real_data({"gowalla_world_liu2017_pairs"});
  if (data.empty()) return;
  const auto set =
      read_dataset({.dataset = "liu2017", .path = data / "gowalla_world_liu2017_pairs"});
  check_counts(set, 378'968, 5'628, 31'803);
  CHECK(all_placed(set));
}

TEST_CASE("the real Calgary check-ins are read as a plain table", "[real]") {
  const auto data = headroom::test::real_data({"foursquare_calgary_tist2015"});
  if (data.empty()) return;
  const auto set = read_dataset(
      {.dataset = "csv",
       .path = data / "foursquare_calgary_tist2015/CAL_checkin_with_active_regionId.csv.xz",
       .columns = {"user=UserId", "item=VenueId", "lat=Latitude", "lon=Longitude",
                   "time=Local_Time"},
       .time_format = "%d/%m/%Y %H:%M"});
  check_counts(set, 9'317, 130, 604);
  CHECK(all_placed(set));
}

TEST_CASE("the paper's Table 1 and its 290 tiles come out", "[real]") {
  const auto folder =
      headroom::test::real_data({"ml-100k", "ml-1m", "foursquare_singapore_yuan2013",
                                 "gowalla_newyork_snap", "gowalla_world_liu2017_pairs"});
  if (folder.empty()) return;
  const auto check = [&](const char* name, const char* at, std::size_t min_count, std::size_t users,
                         std::size_t items, std::size_t ratings) {
    PrepareOptions options;
    options.min_count = min_count;
    const Ratings left = prepare(read_dataset({.dataset = name, .path = folder / at}), options);
    CHECK(left.users.size() == users);
    CHECK(left.items.size() == items);
    CHECK(left.size() == ratings);
    return left;
  };
  check("ml-100k", "ml-100k", 0, 943, 1682, 100000);
  check("ml-1m", "ml-1m", 0, 6040, 3706, 1000209);
  const Ratings places =
      check("foursquare", "foursquare_singapore_yuan2013", 10, 2025, 2759, 85988);
  REQUIRE(places.geography.has_value());
  CHECK(places.geography->tiles.size() == 290);
  // Not the paper's sets; their tiles tell rounding to the nearest pixel from none.
  const Ratings york = check("snap", "gowalla_newyork_snap", 10, 2267, 1910, 40844);
  CHECK(york.geography->tiles.size() == 1269);
  const Ratings world = check("liu2017", "gowalla_world_liu2017_pairs", 10, 5625, 11394, 269804);
  CHECK(world.geography->tiles.size() == 7455);
}
