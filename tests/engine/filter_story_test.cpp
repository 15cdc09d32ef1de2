#include <algorithm>

#include "support/catch.hpp"
#include "support/world.hpp"

// What a list leaves out, and that it says so.

namespace headroom {
namespace {

using test::names;
using test::seats;
using test::stock;
using test::World;
using Names = std::vector<std::string>;
using namespace std::chrono_literals;

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

// kMidnight is a Thursday.
const auto daily = [](std::chrono::minutes from, std::chrono::minutes to, std::string zone = "") {
  return [=](ItemUpdate& image) {
    image.hours = {{0x7F, from, to}};
    image.time_zone = zone;
  };
};

TEST_CASE("filter: a place is on lists while it is open, and lists say how many are not") {
  for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
    auto options = test::story_options();
    options.clock = clock;
    World world(options);
    world.at("10:00").item("park");
    world.item("diner", daily(11h, 14h));
    world.item("bar", daily(20h, 2h));
    CHECK(names(world.request("ann")) == Names{"park"});
    CHECK(world.request("ann").reason ==
          "items outside their opening hours: 2; items to choose from: 1");
    CHECK(sorted(names(world.at("11:00").request("ann"))) == Names{"diner", "park"});
    CHECK(names(world.at("14:00").request("ann")) == Names{"park"});
    CHECK(sorted(names(world.at("23:30").request("ann"))) == Names{"bar", "park"});
    CHECK(sorted(names(world.at("+1 01:59").request("ann"))) == Names{"bar", "park"});
    CHECK(names(world.at("+1 02:00").request("ann")) == Names{"park"});
    // An image may come while it is open, with other hours.
    world.at("+1 12:00").item("diner", daily(9h, 10h));
    CHECK(names(world.at("+1 12:00").request("ann")) == Names{"park"});
    world.at("+1 12:01").item("diner", daily(9h, 13h));
    CHECK(sorted(names(world.at("+1 12:01").request("ann"))) == Names{"diner", "park"});
    CHECK(sorted(names(world.at("+2 09:00").request("ann"))) == Names{"diner", "park"});
  }
}

TEST_CASE("filter: hours are of the item's zone, else of the configured one") {
  auto options = test::story_options();
  options.lists.time_zone = "Asia/Singapore";  // 8 hours ahead
  World world(options);
  world.item("here", daily(20h, 21h));
  world.item("there", daily(12h, 13h, "UTC"));
  CHECK(sorted(names(world.at("12:30").request("ann"))) == Names{"here", "there"});
  CHECK(world.at("13:00").request("ann").items.empty());
}

TEST_CASE("filter: a zone that nobody knows is a dead letter, and the item stays as it was") {
  World world;
  world.item("cafe", seats(3));
  const auto outcome = world.item("cafe", daily(1h, 2h, "Mars/Olympus_Mons"));
  REQUIRE(outcome.letters.size() == 1);
  CHECK(outcome.letters[0].reject.reason.kind == RejectKind::kOutOfRange);
  CHECK(outcome.letters[0].reject.reason.words ==
        "time_zone: 'Mars/Olympus_Mons' is not in the IANA database here");
  CHECK(names(world.request("ann")) == Names{"cafe"});
  CHECK(world.room("cafe") == 2.5F);
}

TEST_CASE("filter: what was just ignored is not repeated, for two hours") {
  World world;
  for (const char* item : {"cafe", "bar", "park"}) world.item(item);
  auto list = world.at("12:00").request("ann");
  world.ignore("ann", list.id, "cafe");
  list = world.request("ann");
  CHECK(sorted(names(list)) == Names{"bar", "park"});
  CHECK(list.reason == "items ignored lately: 1; items to choose from: 2");
  world.at("12:30").ignore("ann", list.id);
  CHECK(world.request("ann").reason == "items ignored lately: 3; items to choose from: 0");
  CHECK(world.request("ben").items.size() == 3);
  CHECK(names(world.at("14:00").request("ann")) == Names{"cafe"});
  CHECK(world.at("14:29:59").request("ann").items.size() == 1);
  CHECK(world.at("14:30").request("ann").items.size() == 3);
}

TEST_CASE("filter: who goes there after all has not ignored it") {
  World world;
  for (const char* item : {"cafe", "bar"}) world.item(item);
  const auto list = world.request("ann");
  world.ignore("ann", list.id);
  world.check_in("ann", "bar");
  CHECK(names(world.request("ann")) == Names{"bar"});
}

TEST_CASE("filter: an ignore that came late counts from when it was said") {
  auto options = test::story_options();
  options.clock = ClockKind::kEvent;
  World world(options);
  world.at("12:00").item("cafe");
  const auto list = world.request("ann");
  world.at("14:00").check_in("ben", "cafe");
  world.at("12:01").ignore("ann", list.id);
  CHECK(world.at("14:00:30").request("ann").items.empty());
  CHECK(world.at("14:01").request("ann").items.size() == 1);
}

TEST_CASE("filter: an ignored item that left at the limit does not hide who has its row") {
  auto options = test::story_options();
  options.most_items = 2;
  options.weights.ignore = 0;
  World world(options);
  world.item("cafe");
  const auto list = world.request("ann");
  world.ignore("ann", list.id);
  world.at("14:30").check_in("ben", "bar");  // the list is forgotten, the ignore is not
  world.at("12:31").id("late").ignore("ann", list.id);
  world.at("15:00").check_in("ben", "park");
  CHECK_FALSE(world.knows_item("cafe"));
  CHECK(world.request("ann").items.size() == 2);
}

TEST_CASE("filter: a copy is bought once, a place is visited again, unless told otherwise") {
  const std::pair<Visited, Names> cases[] = {{Visited::kShow, {"book", "cafe", "park"}},
                                             {Visited::kHideBought, {"cafe", "park"}},
                                             {Visited::kHide, {"park"}}};
  for (const auto& [visited, expected] : cases) {
    auto options = test::story_options();
    options.lists.visited = visited;
    World world(options);
    world.item("book", stock(5));
    world.item("cafe", seats(5));
    world.item("park");
    world.check_in("ann", "book");
    world.check_in("ann", "cafe");
    CHECK(sorted(names(world.request("ann"))) == expected);
    CHECK(world.request("ben").items.size() == 3);
    if (visited == Visited::kHide) {
      CHECK(world.request("ann").reason == "items visited before: 2; items to choose from: 1");
    }
  }
}

TEST_CASE("filter: nothing further away than configured from where the request was made") {
  auto options = test::story_options();
  options.lists.most_km = 100;
  World world(options);
  const auto place = [](double lat, double lon) {
    return [=](ItemUpdate& image) { image.position = Position{lat, lon}; };
  };
  world.item("anywhere");
  // A degree of a great circle is 111.19 km.
  world.item("near", place(0.0, 100.0 / 111.195 * 0.999));
  world.item("far", place(0.0, 100.0 / 111.195 * 1.001));
  world.item("over the date line", place(0.5, -179.8));
  const auto ask = [&](std::optional<Position> from) {
    return world.send(Request{"ann", 10, 1, from}).lists.at(0);
  };
  CHECK(ask({}).items.size() == 4);
  const auto list = ask(Position{0, 0});
  CHECK(sorted(names(list)) == Names{"anywhere", "near"});
  CHECK(list.reason == "items too far away: 2; items to choose from: 2");
  CHECK(sorted(names(ask(Position{0.5, 179.8}))) == Names{"anywhere", "over the date line"});
}

}  // namespace
}  // namespace headroom
