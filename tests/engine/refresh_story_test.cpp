#include <algorithm>

#include "support/catch.hpp"
#include "support/engine_run.hpp"
#include "support/world.hpp"

// Lists that nobody asked for: who gets them, when, and who does not.

namespace headroom {
namespace {

using test::names;
using test::numbered;
using test::rate;
using test::seats;
using test::stock;
using test::World;
using Names = std::vector<std::string>;
using namespace std::chrono_literals;

Names users(const Outcome& outcome) {
  Names all;
  for (const RankedList& list : outcome.lists) all.push_back(list.user);
  return all;
}

std::uint64_t made(World& world, RefreshCause cause) {
  return world.state().refresher.tally().made[static_cast<std::size_t>(cause)];
}

const auto shut = [](bool ItemUpdate::*flag, std::optional<Capacity> capacity = {}) {
  return [=](ItemUpdate& image) {
    image.capacity = capacity;
    image.*flag = true;
  };
};

TEST_CASE("refresh: who was sent to what is closed, hidden or removed gets another list") {
  for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
    for (const auto flag : {&ItemUpdate::closed, &ItemUpdate::hidden, &ItemUpdate::removed}) {
      auto options = test::story_options();
      options.clock = clock;
      World world(options);
      world.at("12:00").item("cafe", seats(5));
      world.item("bar", seats(5));
      const auto list = world.request("ann", 7, 2);
      const auto outcome = world.at("12:00").item("cafe", shut(flag, seats(5)));
      REQUIRE(users(outcome) == Names{"ann"});
      const RankedList& fresh = outcome.lists[0];
      CHECK(fresh.replaces == list.id);
      CHECK(names(fresh) == Names{"bar"});
      CHECK(fresh.items[0].held == 1.0F);  // for two, as they asked
      CHECK(fresh.items[0].room == 5.0F);  // the seats of the old one were freed first
      CHECK(world.room("bar") == 4.0F);
      CHECK(fresh.id == OutputId{0, 1, world.state().batch, 0});
      CHECK(made(world, RefreshCause::kGone) == 1);
      CHECK(world.tick().lists.empty());
    }
  }
}

TEST_CASE("refresh: a place that shuts for the night loses its lists when it shuts") {
  World world;
  world.at("21:45").item("bar");
  world.item("cafe", [](ItemUpdate& image) { image.hours = {{0x7F, 8h, 22h}}; });
  const auto list = world.request("ann");
  CHECK(list.items.size() == 2);
  CHECK(world.at("21:59:59").tick().lists.empty());
  const auto outcome = world.at("22:00").tick();
  REQUIRE(users(outcome) == Names{"ann"});
  CHECK(names(outcome.lists[0]) == Names{"bar"});
}

TEST_CASE("refresh: an item is lost when it is full of people, not when it is held") {
  for (const Capacity capacity : {seats(3), stock(3), rate(3, 60)}) {
    World world;
    world.item("cafe", capacity);
    world.item("park");
    const auto list = world.request("ann");
    const auto other = world.request("ben");
    CHECK(world.room("cafe") == 2.0F);
    CHECK(world.follow("ben", other.id, "cafe").lists.empty());
    CHECK(world.check_in("cid", "cafe").lists.empty());
    const auto outcome = world.check_in("dan", "cafe");
    REQUIRE(users(outcome) == Names{"ann"});
    CHECK(outcome.lists[0].replaces == list.id);
    CHECK(names(outcome.lists[0]) == Names{"park"});
    CHECK(made(world, RefreshCause::kFull) == 1);
    CHECK(world.check_in("eve", "cafe").lists.empty());  // it is full already
  }
}

TEST_CASE("refresh: a capacity that is cut below who is there loses its lists too") {
  World world;
  world.item("cafe", seats(10));
  world.item("park");
  world.check_in("ben", "cafe", 4);
  const auto list = world.request("ann");
  CHECK(world.item("cafe", seats(5)).lists.empty());
  const auto outcome = world.item("cafe", seats(4));
  REQUIRE(users(outcome) == Names{"ann"});
  CHECK(names(outcome.lists[0]) == Names{"park"});
}

TEST_CASE("refresh: a list that ended is followed by another while its user is active") {
  World world;
  world.item("cafe", seats(5));
  const auto seen = world.at("12:00").request("ann");
  const auto silent = world.request("ben");
  world.at("12:10").impression("ann", seen.id);
  const auto outcome = world.at("12:30").tick();
  REQUIRE(users(outcome) == Names{"ann"});  // ben looked away long ago
  CHECK(outcome.lists[0].replaces == seen.id);
  CHECK(outcome.lists[0].at == test::at_clock("12:30"));
  CHECK(made(world, RefreshCause::kEnded) == 1);
  CHECK(world.at("13:30").tick().lists.empty());
}

TEST_CASE("refresh: who answered their list gets no other") {
  World world;
  world.item("cafe", seats(50));
  world.item("bar", seats(50));
  world.at("12:00");
  const auto followed = world.request("ann");
  const auto ignored = world.request("ben");
  const auto partly = world.request("cid");
  world.at("12:20").follow("ann", followed.id, "bar");
  world.ignore("ben", ignored.id);
  world.ignore("cid", partly.id, "cafe");
  CHECK(world.item("cafe", shut(&ItemUpdate::closed)).lists.empty());
  const auto outcome = world.at("12:30").tick();
  REQUIRE(users(outcome) == Names{"cid"});
  CHECK(names(outcome.lists[0]) == Names{"bar"});
}

TEST_CASE("refresh: on a clock, if told so, for who is active and still looking") {
  auto options = test::story_options();
  options.refresh.every = 10min;
  options.refresh.in_a_row = 2;
  World world(options);
  world.item("cafe", seats(50));
  const auto list = world.at("12:00").request("ann", 3);
  const auto followed = world.request("ben");
  world.follow("ben", followed.id, "cafe");
  CHECK(world.at("12:09:59").tick().lists.empty());
  const auto first = world.at("12:10").tick();
  REQUIRE(users(first) == Names{"ann"});
  CHECK(first.lists[0].replaces == list.id);
  CHECK(made(world, RefreshCause::kClock) == 1);
  CHECK(users(world.at("12:20").tick()) == Names{"ann"});
  // Two in a row without a sign of life are enough.
  CHECK(world.at("12:29").tick().lists.empty());
  CHECK(world.at("12:30").tick().lists.empty());
}

TEST_CASE("refresh: no more than so many in a row for who shows no sign of life") {
  auto options = test::story_options();
  options.refresh.in_a_row = 2;
  World world(options);
  for (int n = 0; n < 9; ++n) world.item(numbered("i", n));
  world.at("12:00").request("ann");
  OutputId last{};
  int lists = 0;
  for (int n = 0; n < 4; ++n) {
    for (const auto& list : world.item(numbered("i", n), shut(&ItemUpdate::closed)).lists) {
      last = list.id;
      ++lists;
    }
  }
  CHECK(lists == 2);
  world.impression("ann", last);
  CHECK(world.item("i5", shut(&ItemUpdate::closed)).lists.size() == 1);
}

TEST_CASE("refresh: an unseen list holds its seats only while its user is active") {
  World world;
  world.item("cafe", seats(5));
  world.item("bar");
  world.at("12:00").request("ann");
  world.at("12:20").item("bar", shut(&ItemUpdate::closed));  // a fresh list, until 12:50
  world.at("12:29:59").tick();
  CHECK(world.room("cafe") == 4.5F);
  world.at("12:30").tick();
  CHECK(world.room("cafe") == 5.0F);
}

TEST_CASE("refresh: an unseen list is no exposure, a seen one is") {
  for (const bool is_seen : {false, true}) {
    World world;
    world.item("cafe");
    world.item("bar");
    world.check_in("ann", "park");
    world.at("12:00").request("ann");
    const auto fresh = world.at("12:20").item("bar", shut(&ItemUpdate::closed)).lists.at(0);
    if (is_seen) world.impression("ann", fresh.id);
    CHECK(fresh.valid_until == test::at_clock("12:30"));
    world.at("14:31").tick();
    const float one_label = world.listening("ann");
    CHECK(one_label < 0.5F);
    world.at("15:30").tick();
    CHECK((world.listening("ann") < one_label) == is_seen);
  }
}

TEST_CASE("refresh: a popular place that closes floods nobody: so many a second, the rest later") {
  auto options = test::story_options();
  options.refresh.per_second = 10;
  World world(options);
  world.item("cafe");
  world.item("bar");
  world.item("park");
  world.at("12:00");
  world.together([&] {
    for (int n = 0; n < 35; ++n) world.request(numbered("u", n), n % 2 == 0 ? 1 : 3);
  });
  world.tick();
  // Those with one place on their list have the one that everybody likes, whichever that is.
  const std::string liked = names(world.request("u34", 1)).at(0);
  world.at("12:00:10").tick();
  std::vector<std::size_t> lists = {world.item(liked, shut(&ItemUpdate::closed)).lists.size()};
  for (const char* second : {"12:00:11", "12:00:12", "12:00:13", "12:00:14"}) {
    lists.push_back(world.at(second).tick().lists.size());
  }
  // What was not needed in the seconds before is kept for one second.
  CHECK(lists == std::vector<std::size_t>{10, 10, 10, 5, 0});
  CHECK(world.state().refresher.waiting() == 0);
}

TEST_CASE("refresh: the most urgent first, then who has waited longest") {
  auto options = test::story_options();
  options.refresh.per_second = 1;
  World world(options);
  world.at("12:00");
  for (const char* item : {"closes", "fills", "park"}) {
    world.item(item, std::string(item) == "fills" ? std::optional(seats(60)) : std::nullopt);
  }
  const auto ended = world.request("e");
  const auto e = world.at("12:29").impression("e", ended.id);
  // Each has a list with one of them: the others are ignored, one by one.
  const auto only = [&](const std::string& user, const std::string& item) {
    const auto list = world.request(user);
    for (const auto& other : names(list)) {
      if (other != item) world.ignore(user, list.id, other);
    }
  };
  only("f", "fills");
  only("g", "closes");
  only("h", "closes");
  world.at("12:30");
  const auto first = world.together([&] {
    world.check_in("many", "fills", 60);
    world.item("closes", shut(&ItemUpdate::closed));
  });
  Names order = users(first);
  for (const char* second : {"12:30:01", "12:30:02", "12:30:03", "12:30:04"}) {
    for (const auto& user : users(world.at(second).tick())) order.push_back(user);
  }
  CHECK(order == Names{"g", "h", "f", "e"});
}

TEST_CASE("refresh: who asked, answered or left while waiting is passed over") {
  auto options = test::story_options();
  options.refresh.per_second = 1;
  World world(options);
  world.item("cafe");
  world.item("bar", seats(90));
  world.at("12:00");
  std::vector<RankedList> lists;
  for (int n = 0; n < 6; ++n) lists.push_back(world.request(numbered("u", n)));
  world.tick();
  const auto first = world.item("cafe", shut(&ItemUpdate::closed));
  REQUIRE(first.lists.size() <= 1);
  const std::size_t waiting = world.state().refresher.waiting();
  REQUIRE(waiting >= 5);
  world.request("u2");
  world.follow("u3", lists[3].id, "bar");
  world.ignore("u4", lists[4].id);
  world.forget("u5");
  Names rest;
  for (const char* second : {"12:00:01", "12:00:02", "12:00:03", "12:00:09"}) {
    for (const auto& user : users(world.at(second).tick())) rest.push_back(user);
  }
  CHECK(rest.size() == waiting - 4);
  for (const auto& user : rest) CHECK(user < std::string("u2"));
  CHECK(world.state().refresher.tally().dropped == 4);
}

TEST_CASE("refresh: a place that opens again before anyone was told is no reason any more") {
  auto options = test::story_options();
  options.refresh.per_second = 1;
  World world(options);
  world.item("cafe");
  world.at("12:00");
  for (int n = 0; n < 5; ++n) world.request(numbered("u", n));
  world.item("cafe", shut(&ItemUpdate::closed));
  const std::size_t waiting = world.state().refresher.waiting();
  REQUIRE(waiting >= 4);
  world.item("cafe");
  CHECK(world.at("12:00:05").tick().lists.empty());
  CHECK(world.state().refresher.tally().dropped == waiting);
  // Its lists are still known to name it.
  world.at("12:01").item("cafe", shut(&ItemUpdate::closed));
  CHECK(world.state().refresher.waiting() + world.counters().lists >= 5 + waiting);
}

TEST_CASE("refresh: what waits is saved: an engine loaded in the middle goes on the same") {
  auto options = test::story_options();
  options.refresh.per_second = 2;
  const auto town = [&](World& world) {
    for (int n = 0; n < 4; ++n) world.item(numbered("i", n), seats(40));
    world.at("12:00");
    for (int n = 0; n < 20; ++n) {
      world.send(Request{numbered("u", n), 3, 2, Position{1.0, 2.0}});
    }
    world.at("12:10").item("i0", shut(&ItemUpdate::closed, seats(40)));
    world.item("i1", shut(&ItemUpdate::hidden, seats(40)));
  };
  const auto later = [](World& world) {
    std::string all;
    for (const char* second : {"12:10:01", "12:10:02", "12:10:03", "12:20", "12:30", "12:40"}) {
      all += test::encoded(world.at(second).tick()) + "--\n";
    }
    return all;
  };
  World straight(options), stopped(options), loaded(options);
  town(straight);
  REQUIRE(straight.state().refresher.waiting() > 5);
  const std::string expected = later(straight);
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 15);
  town(stopped);
  const auto rows = test::StoredRows::all_of(stopped.state());
  rows.load_into(loaded.state(), stopped.state().save_rest());
  CHECK(test::StoredRows::all_of(loaded.state()) == rows);
  CHECK(later(loaded) == expected);
  CHECK(test::StoredRows::all_of(loaded.state()) == test::StoredRows::all_of(straight.state()));
  CHECK(loaded.state().save_rest().bytes == straight.state().save_rest().bytes);
}

TEST_CASE("refresh: a limit of none a second turns it off") {
  auto options = test::story_options();
  options.refresh.per_second = 0;
  World world(options);
  world.item("cafe");
  world.request("ann");
  CHECK(world.item("cafe", shut(&ItemUpdate::closed)).lists.empty());
  CHECK(world.state().refresher.waiting() == 0);
}

}  // namespace
}  // namespace headroom
