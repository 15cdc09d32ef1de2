#include "simulator/definitions.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/ratings.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

using Floats = std::vector<float>;

// Four users, five items; raters: i0 4, i1 3, i2 2, i3 1, i4 1.
Ratings tiny() {
  return ratings_of({{{0, 5}, {1, 4}, {2, 3}, {3, 1}, {4, 4}},
                     {{0, 3.5F}, {1, 4}, {2, 5}},
                     {{0, 1}, {1, 2}},
                     {{0, 4}}},
                    5, true);
}

// 160 users; the items have 1, 20, 21, 100, 101 and 160 raters.
Ratings with_bin_edges() {
  const std::vector<std::uint32_t> raters = {1, 20, 21, 100, 101, 160};
  std::vector<std::vector<Rated>> rows(160);
  for (std::uint32_t j = 0; j < raters.size(); ++j) {
    for (std::size_t i = 0; i < raters[j]; ++i) rows[i].push_back({j});
  }
  return ratings_of(rows, raters.size());
}

Floats capacities_of(const char* words, const Ratings& ratings, std::uint64_t seed = 1) {
  return capacities(parse_capacity(words), ratings, seed);
}

Floats propensities_of(const char* words, const Ratings& ratings, std::uint64_t seed = 1) {
  return listen_propensities(parse_propensity(words), ratings, seed);
}

Floats sorted(Floats values) {
  std::sort(values.begin(), values.end());
  return values;
}

void check_equal(const Floats& are, const Floats& should) {
  REQUIRE(are.size() == should.size());
  for (std::size_t at = 0; at < are.size(); ++at) CHECK(are[at] == Approx(should[at]));
}

}  // namespace

TEST_CASE("actual capacities are the numbers of raters") {
  CHECK(capacities_of("actual", tiny()) == Floats{4, 3, 2, 1, 1});
}

TEST_CASE("bins end at 20 and at 100 raters") {
  CHECK(capacities_of("binning", with_bin_edges()) == Floats{5, 5, 50, 50, 150, 150});
  CHECK(capacities_of("reverse-binning", with_bin_edges()) == Floats{150, 150, 50, 50, 5, 5});
}

TEST_CASE("uniform-k is k for every item, fractions too") {
  CHECK(capacities_of("uniform-10", tiny()) == Floats(5, 10.0F));
  CHECK(capacities_of("uniform-0.5", tiny()) == Floats(5, 0.5F));
}

TEST_CASE("linear capacities are spread evenly up to the most, or twice the mean, of raters") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    check_equal(sorted(capacities_of("linear-max", tiny(), seed)), {0.8F, 1.6F, 2.4F, 3.2F, 4.0F});
    // 11 ratings of 5 items: the mean is 2.2.
    check_equal(sorted(capacities_of("linear-mean", tiny(), seed)),
                {0.88F, 1.76F, 2.64F, 3.52F, 4.4F});
  }
}

TEST_CASE("linear spreads are drawn by seed and have nothing to do with usage") {
  const Ratings ratings = with_bin_edges();
  CHECK(capacities_of("linear-max", ratings, 1) == capacities_of("linear-max", ratings, 1));
  CHECK(propensities_of("linear", ratings, 1) == propensities_of("linear", ratings, 1));
  CHECK(propensities_of("linear", ratings, 1) != propensities_of("linear", ratings, 2));
  // Over many seeds each item is the one with the most as often as another, whatever its raters.
  std::vector<int> first(6);
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    const Floats c = capacities_of("linear-max", ratings, seed);
    ++first[static_cast<std::size_t>(std::max_element(c.begin(), c.end()) - c.begin())];
  }
  for (const int times : first) CHECK(std::abs(times - 200) < 60);  // 4.6 standard deviations

  // The same numbers of users and items with other raters: the same order of capacities.
  const Ratings other = ratings_of({run_of(0, 5), run_of(1, 4), run_of(2, 3), run_of(3, 2)}, 5);
  const Floats a = capacities_of("linear-max", tiny(), 7),
               b = capacities_of("linear-max", other, 7);
  for (std::size_t j = 0; j < a.size(); ++j) CHECK(a[j] / 4.0F == Approx(b[j] / 4.0F));
}

TEST_CASE("actual propensities are the share of items that the user rated") {
  check_equal(propensities_of("actual", tiny()), {1.0F, 0.6F, 0.4F, 0.2F});
}

TEST_CASE("median: 0.45 from the median on, 0.01 below it, for even and odd numbers of users") {
  // Shares 5, 3, 2, 1 of 5: the median lies between 2 and 3.
  check_equal(propensities_of("median", tiny()), {0.45F, 0.45F, 0.01F, 0.01F});
  // 1, 4, 2: the median is 2, and counts as reached.
  const Ratings odd = ratings_of({run_of(0, 1), run_of(0, 4), run_of(0, 2)}, 5);
  check_equal(propensities_of("median", odd), {0.01F, 0.45F, 0.45F});
  // Even, with equals in the middle: 3, 3, 1, 4.
  const Ratings even = ratings_of({run_of(0, 3), run_of(1, 3), run_of(0, 1), run_of(0, 4)}, 5);
  check_equal(propensities_of("median", even), {0.45F, 0.45F, 0.01F, 0.45F});
}

TEST_CASE("linear propensities are spread evenly over [0, 0.6]") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    check_equal(sorted(propensities_of("linear", tiny(), seed)), {0.0F, 0.2F, 0.4F, 0.6F});
  }
}

TEST_CASE("liked propensities are the share of ratings with four stars or more") {
  check_equal(propensities_of("liked", tiny()), {0.6F, 2.0F / 3.0F, 0.0F, 1.0F});
}

TEST_CASE("liked propensities of check-ins are refused") {
  const Ratings checkins = ratings_of({run_of(0, 2), run_of(0, 3)}, 3);
  CHECK(
      contains(error_of([&] { propensities_of("liked", checkins); }), "needs a data set of stars"));
}

TEST_CASE("settings are written as they are read") {
  for (const char* words : {"actual", "binning", "uniform-10", "uniform-0.25", "linear-max",
                            "linear-mean", "reverse-binning"}) {
    CHECK(to_string(parse_capacity(words)) == words);
  }
  for (const char* words : {"actual", "median", "linear", "liked"}) {
    CHECK(to_string(parse_propensity(words)) == words);
  }
}

TEST_CASE("other words are refused with those that are known") {
  for (const char* words :
       {"", "Actual", "actual ", "uniform", "uniform-", "uniform-0", "uniform--3", "uniform-nan",
        "uniform-inf", "uniform-1e99", "uniform-10x", "uniform-+5", "linear", "uniform- 5"}) {
    INFO("capacity '" << words << "'");
    const std::string error = error_of([&] { parse_capacity(words); });
    CHECK(contains(error, std::string("unknown capacity '").append(words).append("'")));
    CHECK(contains(error, "uniform-K (K > 0)"));
  }
  for (const char* words : {"", "mean", "LINEAR", "uniform-10"}) {
    INFO("propensity '" << words << "'");
    CHECK(contains(error_of([&] { parse_propensity(words); }), "actual, median, linear, liked"));
  }
}
