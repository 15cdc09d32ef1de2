#include "simulator/generated.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

bool same(const Dataset& a, const Dataset& b) {
  const auto row = [](const Interaction& x, const Interaction& y) {
    return x.user == y.user && x.item == y.item && x.value == y.value && x.at == y.at;
  };
  const auto place = [](const Place& x, const Place& y) {
    return x.lat == y.lat && x.lon == y.lon;
  };
  return a.users == b.users && a.items == b.items &&
         std::equal(a.interactions.begin(), a.interactions.end(), b.interactions.begin(),
                    b.interactions.end(), row) &&
         std::equal(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(), place);
}

}  // namespace

TEST_CASE("a city is the same for the same seed and differs for another") {
  CHECK(same(generate_city({.seed = 5}), generate_city({.seed = 5})));
  CHECK_FALSE(same(generate_city({.seed = 5}), generate_city({.seed = 6})));
}

TEST_CASE("a city has the size that was asked for, and everyone goes out") {
  for (const auto& [users, items] :
       {std::pair<std::size_t, std::size_t>{2, 20}, {37, 61}, {600, 500}}) {
    const Dataset data = generate_city({users, items, 1});
    CHECK(data.users.size() == users);
    CHECK(data.items.size() == items);
    CHECK(data.places.size() == items);
    CHECK(data.has_time);
    CHECK_FALSE(data.has_stars);
    std::vector<std::size_t> visits(users);
    for (const Interaction& visit : data.interactions) {
      REQUIRE(index(visit.item) < items);
      ++visits.at(index(visit.user));
    }
    CHECK(*std::min_element(visits.begin(), visits.end()) >= 4);
    CHECK(*std::max_element(visits.begin(), visits.end()) <= items / 3);
  }
}

TEST_CASE("a city too small to try anything on is refused") {
  for (const auto& [users, items] : {std::pair<std::size_t, std::size_t>{1, 20}, {2, 19}, {0, 0}}) {
    CHECK(contains(error_of([&, u = users, i = items] {
                     generate_city({u, i, 1});
                   }),
                   "at least 2 users and 20 items"));
  }
}

TEST_CASE("visits are sorted by time, over about two months, and first visits only") {
  const Dataset data = generate_city({});
  CHECK(std::is_sorted(data.interactions.begin(), data.interactions.end(),
                       [](const Interaction& a, const Interaction& b) { return a.at < b.at; }));
  std::set<std::pair<UserIx, ItemIx>> pairs;
  for (const Interaction& visit : data.interactions) {
    pairs.insert({visit.user, visit.item});
    CHECK(visit.value == 1.0F);
  }
  CHECK(pairs.size() == data.interactions.size());
  const auto span = data.interactions.back().at - data.interactions.front().at;
  CHECK(span > std::chrono::days(58));
  CHECK(span < std::chrono::days(62));
}

TEST_CASE("there is a lunch and an evening peak") {
  std::vector<int> hours(24);
  for (const Interaction& visit : generate_city({}).interactions) {
    const auto of_day = visit.at - std::chrono::floor<std::chrono::days>(visit.at);
    ++hours[static_cast<std::size_t>(std::chrono::floor<std::chrono::hours>(of_day).count())];
  }
  CHECK(hours[12] > 2 * hours[16]);
  CHECK(hours[19] > 2 * hours[16]);
  CHECK(hours[19] > 20 * (hours[4] + 1));
}

TEST_CASE("a few places are far more popular than the rest") {
  const Dataset data = generate_city({});
  std::vector<std::size_t> visitors(data.items.size());
  for (const Interaction& visit : data.interactions) ++visitors[index(visit.item)];
  std::sort(visitors.rbegin(), visitors.rend());
  const std::size_t tenth = visitors.size() / 10;
  const auto top =
      std::accumulate(visitors.begin(), visitors.begin() + static_cast<long>(tenth), 0UL);
  CHECK(10 * top > 3 * data.interactions.size());  // a tenth of the places has 30 % of the visits
  CHECK(visitors[0] > 8 * visitors[visitors.size() / 2]);
}

TEST_CASE("people stay near: a user's places lie closer together than places do") {
  const Dataset data = generate_city({});
  const auto away = [&](ItemIx a, ItemIx b) {
    const Place &x = data.places[index(a)], &y = data.places[index(b)];
    return std::hypot(x.lat - y.lat, x.lon - y.lon);
  };
  std::vector<std::vector<ItemIx>> visits(data.users.size());
  for (const Interaction& visit : data.interactions)
    visits[index(visit.user)].push_back(visit.item);
  double own = 0.0, others = 0.0;
  for (std::size_t i = 0; i + 1 < visits.size(); ++i) {
    own += away(visits[i][0], visits[i][1]);
    others += away(visits[i][0], visits[i + 1][0]);
  }
  CHECK(own < 0.5 * others);
}
