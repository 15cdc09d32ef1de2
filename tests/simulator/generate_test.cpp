#include "simulator/generate.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "headroom/base/opening.hpp"
#include "headroom/wire/codec.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/read_dataset.hpp"
#include "support/temp_dir.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

CityPlan small_plan() {
  CityPlan plan;
  plan.users = 500;
  plan.items = 150;
  plan.days = 60;
  plan.bursts = 8;
  return plan;
}

// Everything that a city writes, read back by the codec of the live program.
std::vector<Event> wire_events(const CityPlan& plan, double checkouts) {
  const TempDir dir;
  Workers workers(2);
  generate(City(plan, workers), {dir.path(), {CityFormat::kWire}, checkouts}, workers);
  std::istringstream lines(bytes_of(dir.path() / kWireFile));
  EventDecoder decoder;
  std::vector<Event> events;
  for (std::string line; std::getline(lines, line);) {
    const auto refused = decoder.decode(line, events.emplace_back());
    INFO(line);
    REQUIRE(!refused);
  }
  return events;
}

std::size_t hour_of(Time at) {
  return static_cast<std::size_t>((at - std::chrono::floor<std::chrono::days>(at)) /
                                  std::chrono::hours(1));
}
std::size_t weekday_of(Time at) {
  return std::chrono::weekday(std::chrono::floor<std::chrono::days>(at)).iso_encoding() - 1;
}

}  // namespace

TEST_CASE("a city's wire format: items first, then events in the order of time") {
  const auto events = wire_events(small_plan(), 0.5);
  std::set<std::string> ids;
  std::size_t items = 0;
  double visits = 0.0, leavings = 0.0;
  std::map<std::string, std::set<std::string>> been;
  for (std::size_t n = 0; n < events.size(); ++n) {
    REQUIRE(ids.insert(events[n].id).second);
    if (n > 0) REQUIRE(events[n - 1].at <= events[n].at);
    if (std::holds_alternative<ItemUpdate>(events[n].what)) {
      REQUIRE(n == items++);
    } else if (const auto* visit = std::get_if<CheckIn>(&events[n].what)) {
      been[visit->user].insert(visit->item);
      ++visits;
    } else {
      const auto& leaving = std::get<CheckOut>(events[n].what);
      REQUIRE(been[leaving.user].contains(leaving.item));
      ++leavings;
    }
  }
  CHECK(items == 150);
  CHECK(visits > 500 * 60 * 0.5 * 0.8);
  CHECK(visits < 500 * 60 * 0.5 * 1.3);
  CHECK(leavings == Approx(0.5 * visits).epsilon(0.05));
}

TEST_CASE("places have all kinds of capacity, and people come only while they are open") {
  std::map<std::string, ItemUpdate> items;
  std::set<CapacityKind> kinds;
  std::size_t shut = 0, visits = 0;
  for (const Event& event : wire_events(small_plan(), 0.0)) {
    if (const auto* item = std::get_if<ItemUpdate>(&event.what)) {
      items[item->item] = *item;
      kinds.insert(item->capacity.value().kind);
      CHECK(item->dwell.has_value());
      CHECK(item->position.has_value());
      const Opening night = opening(item->hours, "", event.at + std::chrono::hours(4));
      CHECK_FALSE(night.open);
    } else {
      const ItemUpdate& place = items.at(std::get<CheckIn>(event.what).item);
      shut += opening(place.hours, "", event.at).open ? 0 : 1;
      ++visits;
    }
  }
  CHECK(kinds.size() == 3);
  CHECK(visits > 10'000);
  CHECK(shut == 0);
}

TEST_CASE("a day has its lunch and its dinner, a week its weekend") {
  std::array<double, 24> hours{};
  std::array<double, 7> days{};
  CityPlan plan = small_plan();
  plan.first_day = std::chrono::year{2026} / 3 / 2;  // a Monday
  plan.days = 56;
  plan.bursts = 0;
  Workers workers(1);
  const City city(plan, workers);
  std::vector<Visit> visits;
  for (std::size_t day = 0; day < plan.days; ++day) city.add_visits(day, 0, 500, visits);
  for (const Visit& visit : visits) {
    if (city.spots()[visit.item].kind == Kind::kRestaurant) ++hours[hour_of(visit.at)];
    ++days[weekday_of(visit.at)];
  }
  CHECK(hours[12] > 2.5 * hours[15]);
  CHECK(hours[19] > 2.5 * hours[15]);
  CHECK(hours[12] > 5 * hours[10]);
  CHECK(hours[3] == 0);
  for (std::size_t day = 0; day < 4; ++day) CHECK(days[5] > 1.3 * days[day]);
  CHECK(days[6] > 1.1 * days[0]);
}

TEST_CASE("a concert and a place that is talked about bring many more than usual") {
  CityPlan plan = small_plan();
  plan.users = 4000;
  Workers workers(2);
  const City city(plan, workers);
  REQUIRE(city.bursts().size() == 8);
  plan.bursts = 0;
  const City calm(plan, workers);
  const auto visitors = [](const City& of, std::uint32_t item, std::size_t day) {
    std::vector<Visit> visits;
    of.add_visits(day, 0, 4000, visits);
    return static_cast<double>(std::count_if(visits.begin(), visits.end(),
                                             [&](const Visit& v) { return v.item == item; }));
  };
  std::size_t concerts = 0;
  for (const Burst& burst : city.bursts()) {
    const std::size_t top = burst.day + (burst.concert ? 0 : 3);
    if (top >= plan.days) continue;
    const double more = visitors(city, burst.item, top) - visitors(calm, burst.item, top);
    // A place may rest on the day.
    const Time noon =
        Time(plan.first_day + std::chrono::days(top)) + std::chrono::minutes(20 * 60 + 15);
    if (!burst.concert && !city.is_open(burst.item, noon - std::chrono::hours(8))) continue;
    CHECK(more > 0.7 * burst.people_at_top);
    CHECK(more < 1.3 * burst.people_at_top + 10);
    concerts += burst.concert ? 1 : 0;
  }
  CHECK(concerts > 0);
}

TEST_CASE("people are regulars: few places have most of one's visits") {
  const auto places_per_visit = [](double habit) {
    CityPlan plan = small_plan();
    plan.bursts = 0;
    plan.habit = habit;
    Workers workers(1);
    const City city(plan, workers);
    std::vector<Visit> visits;
    for (std::size_t day = 0; day < plan.days; ++day) city.add_visits(day, 0, 500, visits);
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Visit& visit : visits) pairs.insert({visit.user, visit.item});
    return static_cast<double>(pairs.size()) / static_cast<double>(visits.size());
  };
  CHECK(places_per_visit(0.9) < 0.6 * places_per_visit(0.0));
}

TEST_CASE("the data set formats read back as the same visits, with the places") {
  const TempDir dir;
  Workers workers(2);
  const City city(small_plan(), workers);
  const Generated made = generate(
      city, {dir.path(), {CityFormat::kTsv, CityFormat::kCsv, CityFormat::kWire}}, workers);
  CHECK(made.files.size() == 5);
  std::uint64_t size = 0;
  for (const auto& file : made.files) size += std::filesystem::file_size(file);
  CHECK(made.bytes == size);
  ReadOptions options{"tsv", dir.path() / "checkins.tsv"};
  options.columns = {"user", "item", "time"};
  options.places = dir.path() / "places.tsv";
  options.place_columns = {"item", "lat", "lon", "-", "-", "-", "-", "-"};
  const Dataset tsv = read_dataset(options);
  options.dataset = "csv";
  options.path = dir.path() / "checkins.csv";
  options.places = dir.path() / "places.csv";
  CHECK(rows_of(read_dataset(options)) == rows_of(tsv));
  REQUIRE(tsv.interactions.size() == made.visits);
  CHECK(tsv.warnings.empty());
  for (std::size_t j = 0; j < tsv.items.size(); ++j) {
    const Spot& spot = city.spots().at(std::stoul(tsv.items[j].substr(1)));
    REQUIRE(tsv.places[j].lat == spot.at.lat);
    REQUIRE(tsv.places[j].lon == spot.at.lon);
  }
  std::vector<Visit> first;
  city.add_visits(0, 0, 500, first);
  std::sort(first.begin(), first.end(), before);
  for (std::size_t n = 0; n < first.size(); ++n) {
    const Interaction& row = tsv.interactions[n];
    REQUIRE(row.at == first[n].at);
    REQUIRE(tsv.users[index(row.user)] == "u" + std::to_string(first[n].user));
    REQUIRE(tsv.items[index(row.item)] == "i" + std::to_string(first[n].item));
  }
}

TEST_CASE("the same seed gives the same bytes on any number of threads, another one others") {
  CityPlan plan = small_plan();
  plan.users = 9000;  // several blocks
  plan.days = 7;
  const auto written = [&](std::size_t threads) {
    const TempDir dir;
    Workers workers(threads);
    generate(City(plan, workers), {dir.path(), {CityFormat::kWire, CityFormat::kTsv}, 0.3},
             workers);
    return bytes_of(dir.path() / kWireFile) + bytes_of(dir.path() / "checkins.tsv");
  };
  const std::string one = written(1);
  CHECK(one.size() > 1'000'000);
  CHECK(one == written(3));
  plan.seed = 2;
  CHECK(one != written(1));
}

TEST_CASE("places are as large as the supply says, and no plan without people is taken") {
  CityPlan plan = small_plan();
  plan.users = 50'000;
  Workers workers(1);
  const auto seats = [&] {
    double sum = 0.0;
    const City city(plan, workers);
    for (const Spot& spot : city.spots()) {
      if (spot.kind == Kind::kRestaurant) sum += spot.capacity.limit;
    }
    return sum;
  };
  const double once = seats();
  plan.supply *= 2.0;
  CHECK(seats() == Approx(2.0 * once).epsilon(0.01));
  plan.users = 1;
  CHECK(contains(error_of([&] { City(plan, workers); }), "at least 2 users"));
}
