#include <algorithm>

#include "support/catch.hpp"
#include "support/world.hpp"

namespace headroom {
namespace {

using test::at_clock;
using test::names;
using test::rate;
using test::seats;
using test::stock;
using test::World;
using Names = std::vector<std::string>;

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("story: a list holds p for each place and says so") {
  World world;
  world.at("12:00").item("cafe", seats(2));
  world.item("park");
  const auto list = world.at("12:01").request("ann");
  CHECK(to_text('r', list.id) == "r-0-1-3-0");
  CHECK_FALSE(list.replaces);
  CHECK(list.user == "ann");
  CHECK(list.at == at_clock("12:01"));
  CHECK(list.valid_until == at_clock("12:31"));
  CHECK(list.policy == "greedy");
  CHECK(list.listen_propensity == 0.5F);
  REQUIRE(sorted(names(list)) == Names{"cafe", "park"});
  for (const ListedItem& place : list.items) {
    CHECK(place.held == 0.5F);
    CHECK(place.pscore == 1.0F);
    CHECK(place.price == 0.0F);
    CHECK(place.room == (place.item == "cafe" ? 2.0F : std::numeric_limits<float>::infinity()));
  }
  CHECK(world.room("cafe") == 1.5F);
}

TEST_CASE("story: a party holds for all its people") {
  World world;
  world.item("cafe", seats(10));
  CHECK(world.request("ann", 10, 4).items.at(0).held == 2.0F);
  CHECK(world.room("cafe") == 8.0F);
  CHECK(world.request("ben", 10, 20).items.empty());  // 10 > 8
  CHECK(world.request("cid", 10, 16).items.at(0).held == 8.0F);
  CHECK(world.room("cafe") == 0.0F);
}

TEST_CASE("story: seats come back at the end of the window, with no event at all") {
  World world;
  world.item("cafe", seats(1));
  world.at("12:00").request("ann");
  world.at("12:29:59").tick();
  CHECK(world.room("cafe") == 0.5F);
  world.at("12:30").tick();
  CHECK(world.room("cafe") == 1.0F);
}

TEST_CASE("story: a follow keeps one seat and frees the rest of the list") {
  World world;
  world.item("cafe", seats(5));
  world.item("bar", seats(5));
  const auto list = world.request("ann", 10, 2);
  CHECK(world.room("bar") == 4.0F);
  world.at("12:05").follow("ann", list.id, "cafe");
  CHECK(world.room("bar") == 5.0F);
  CHECK(world.room("cafe") == 3.0F);
  CHECK(world.book("cafe").on_way == 2.0);
  world.at("12:20").check_in("ann", "cafe");
  CHECK(world.book("cafe").on_way == 0.0);
  CHECK(world.book("cafe").taken == 2.0);
  world.at("12:40").check_out("ann", "cafe");
  CHECK(world.room("cafe") == 5.0F);
}

TEST_CASE("story: who follows and never comes is given up after an hour") {
  World world;
  world.item("cafe", seats(5));
  const auto list = world.at("12:00").request("ann");
  world.follow("ann", list.id, "cafe");
  world.at("12:59").tick();
  CHECK(world.room("cafe") == 4.0F);
  world.at("13:00").tick();
  CHECK(world.room("cafe") == 5.0F);
}

TEST_CASE("story: a new list replaces the open one, and frees it before it is made") {
  World world;
  world.item("cafe", seats(0.5));
  const auto first = world.request("ann");
  CHECK(names(first) == Names{"cafe"});
  CHECK(world.request("ben").items.empty());
  const auto second = world.request("ann");
  CHECK(second.replaces == first.id);
  CHECK(names(second) == Names{"cafe"});
  CHECK(second.items[0].room == 0.5F);
  CHECK(world.room("cafe") == 0.0F);
}

TEST_CASE("story: the same user asks twice in one batch") {
  World world;
  world.item("cafe", seats(0.5));
  const auto outcome = world.together([&] {
    world.request("ann");
    world.request("ann");
    world.request("ben");
  });
  REQUIRE(outcome.lists.size() == 3);
  CHECK(outcome.lists[1].replaces == outcome.lists[0].id);
  CHECK(names(outcome.lists[1]) == Names{"cafe"});
  CHECK(outcome.lists[2].items.empty());
  CHECK(to_text('r', outcome.lists[0].id) == "r-0-1-2-0");
  CHECK(to_text('r', outcome.lists[2].id) == "r-0-1-2-2");
}

TEST_CASE("story: an ignore of the whole list frees all; of one item, that one") {
  World world;
  world.item("cafe", seats(1));
  world.item("bar", seats(1));
  const auto list = world.request("ann");
  world.ignore("ann", list.id, "cafe");
  CHECK(world.room("cafe") == 1.0F);
  CHECK(world.room("bar") == 0.5F);
  const float before = world.listening("ann");
  CHECK(before == 0.5F);  // no label yet
  world.ignore("ann", list.id);
  CHECK(world.room("bar") == 1.0F);
  CHECK(world.listening("ann") < before);
}

TEST_CASE("story: a check-in on the list is its follow, elsewhere it is organic") {
  World world;
  world.item("cafe", seats(5));
  world.item("bar", seats(5));
  world.item("zoo", [](ItemUpdate& image) { image.hidden = true; });
  world.request("ann", 10, 3);
  world.check_in("ann", "zoo");
  CHECK(world.book("zoo").organic == 1);
  CHECK(world.room("bar") == 3.5F);  // the list is still open
  world.at("12:10").check_in("ann", "cafe");
  CHECK(world.book("cafe").organic == 0);
  CHECK(world.book("cafe").taken == 3.0);
  CHECK(world.room("bar") == 5.0F);
  CHECK(world.listening("ann") > 0.5F);
}

TEST_CASE("story: two hours after its end a list is forgotten, with the label `ignored`") {
  World world;
  world.item("cafe", seats(5));
  world.item("bar", seats(5));
  world.at("11:00").check_in("ann", "bar");  // so that she stays known
  const auto list = world.at("12:00").request("ann");
  world.at("14:29:59").tick();
  CHECK(world.listening("ann") == 0.5F);
  world.at("14:30").tick();
  CHECK(world.listening("ann") < 0.5F);
  world.follow("ann", list.id, "cafe");
  CHECK(world.counters().unknown_feedback == 1);
  CHECK(world.room("cafe") == 5.0F);
}

TEST_CASE("story: feedback of a list never made changes no seat, but a follow is learned") {
  World world;
  world.item("cafe", seats(5));
  world.item("bar", seats(5));
  const auto list = world.request("ann");
  const auto learned = world.counters().learned;
  world.send(Feedback{"ann", "r-0-1-99-0", "cafe", FeedbackOutcome::kFollow, {}});
  world.send(Feedback{"ann", "a banner", "cafe", FeedbackOutcome::kFollow, {}});
  world.follow("ben", list.id, "cafe");  // not his
  CHECK(world.counters().learned == learned + 3);
  CHECK(world.counters().unknown_feedback == 3);
  world.ignore("ben", list.id);
  world.ignore("nobody", list.id);
  world.ignore("ann", list.id, "unheard of");
  world.send(Feedback{"ann", "a banner", {}, FeedbackOutcome::kIgnore, {}});
  world.impression("ben", list.id);
  world.impression("nobody", list.id);
  world.send(Impression{"ann", "a banner"});
  world.impression("ann", list.id);  // the one that is known
  CHECK(world.counters().unknown_feedback == 10);
  CHECK(world.counters().learned == learned + 3);
  CHECK_FALSE(world.knows_user("nobody"));
  CHECK_FALSE(world.knows_item("unheard of"));
  CHECK(world.room("cafe") == 4.5F);
}

TEST_CASE("story: feedback that names an item not on the list is unknown, whatever it says") {
  World world;
  world.item("cafe", seats(5));
  world.item("zoo", [](ItemUpdate& image) { image.hidden = true; });
  const auto list = world.request("ann");
  world.follow("ann", list.id, "zoo");
  CHECK(world.counters().unknown_feedback == 1);
  world.ignore("ann", list.id, "zoo");
  CHECK(world.counters().unknown_feedback == 2);
  CHECK(world.counters().learned == 1);  // the follow tells of taste
  CHECK(world.room("cafe") == 4.5F);
  world.ignore("ann", list.id, "cafe");
  world.ignore("ann", list.id, "cafe");  // repeated, not unknown
  CHECK(world.counters().unknown_feedback == 2);
}

TEST_CASE("story: a capacity cut to nothing counts at once, for those who are there too") {
  World world;
  world.item("cafe", seats(9));
  world.check_in("ben", "cafe", Party{3});
  CHECK(names(world.request("ann")) == Names{"cafe"});
  world.item("cafe", seats(0));
  CHECK(world.request("cid").items.empty());
  CHECK(world.request("ann").items.empty());
  world.item("cafe", seats(4));
  const auto list = world.request("ann");
  REQUIRE(names(list) == Names{"cafe"});
  CHECK(list.items[0].room == 1.0F);
}

// Items come first, so the cut holds for an ask that came before it in the same batch.
TEST_CASE("story: a cut in the same batch holds for every list of it") {
  World world;
  world.item("cafe", seats(9));
  const auto outcome = world.together([&] {
    world.request("ann");
    world.item("cafe", seats(0));
  });
  CHECK(outcome.lists.at(0).items.empty());
}

TEST_CASE("story: stock is sold by a follow for good; raising the limit restocks") {
  World world;
  world.item("book", stock(2));
  const auto list = world.request("ann");
  world.follow("ann", list.id, "book", Party{2});
  CHECK(world.room("book") == 0.0F);
  CHECK(world.request("ben").items.empty());
  world.at("18:00").check_in("ann", "book", Party{2});  // late: organic, two more
  world.item("book", stock(5));
  CHECK(world.room("book") == 1.0F);
}

TEST_CASE("story: a follow and its check-in take one copy, however late they are") {
  World world;
  world.item("book", stock(10));
  world.item("film", stock(10));
  const auto list = world.at("12:00").request("ann");
  world.follow("ann", list.id, "book");
  world.follow("ann", list.id, "film");
  world.follow("ann", list.id, "book");
  CHECK(world.book("book").taken == 1.0);
  const auto learned = world.counters().learned;
  world.at("13:01").check_in("ann", "book");
  world.check_in("ann", "film");
  CHECK(world.book("book").taken == 1.0);
  CHECK(world.book("film").taken == 1.0);
  CHECK(world.book("book").organic + world.book("film").organic == 0);
  CHECK(world.counters().learned == learned);
}

TEST_CASE("story: who goes back to an earlier choice keeps a seat there") {
  World world;
  world.item("cafe", seats(1));
  world.item("bar", seats(9));
  const auto list = world.request("ann");
  world.follow("ann", list.id, "cafe");
  world.follow("ann", list.id, "bar");
  world.follow("ann", list.id, "cafe");
  CHECK(world.book("cafe").on_way == 1.0);
  CHECK(world.book("bar").on_way == 0.0);
  CHECK(names(world.request("ben")) == Names{"bar"});
}

TEST_CASE("story: a person who follows from two lists, or is there already, is one person") {
  World world;
  world.item("cafe", seats(10));
  const auto first = world.at("12:00").request("ann");
  world.follow("ann", first.id, "cafe");
  const auto second = world.at("12:05").request("ann");
  world.follow("ann", second.id, "cafe");
  CHECK(world.book("cafe").on_way == 1.0);
  world.check_in("ben", "cafe");
  const auto learned = world.counters().learned;
  world.follow("ben", world.request("ben").id, "cafe");
  CHECK(world.book("cafe").on_way == 1.0);
  CHECK(world.book("cafe").taken == 1.0);
  CHECK(world.listening("ben") > 0.5F);
  CHECK(world.counters().learned == learned);  // of this visit enough is known
}

TEST_CASE("story: a stock that was sold out is sold out when it comes back") {
  World world;
  world.item("book", stock(1));
  world.follow("ann", world.request("ann").id, "book");
  CHECK(world.room("book") == 0.0F);
  for (const bool removed : {true, false}) {
    world.item("book", [removed](ItemUpdate& image) { image.removed = removed; });
    world.item("book", stock(1));
    CHECK(world.room("book") == 0.0F);
    CHECK(world.request("ben").items.empty());
  }
  world.item("book", stock(2));
  CHECK(world.room("book") == 1.0F);
}

TEST_CASE("story: a rate has room again in the next slot") {
  World world;
  world.at("12:10").item("tour", rate(2, 60));
  world.check_in("ann", "tour", Party{2});
  CHECK(world.at("12:59").request("ben").items.empty());
  CHECK(names(world.at("13:00").request("ben")) == Names{"tour"});
}

TEST_CASE("story: a person leaves by going elsewhere") {
  World world;
  world.item("cafe", seats(1));
  world.item("bar", seats(1));
  world.check_in("ann", "cafe");
  CHECK(names(world.request("ben")) == Names{"bar"});
  world.check_in("ann", "bar");
  CHECK(names(world.request("ben")) == Names{"cafe"});
}

TEST_CASE("story: forgetting a user frees the list, and the person stays as someone") {
  World world;
  world.item("cafe", seats(5));
  world.item("bar", seats(5));
  world.check_in("ann", "cafe", Party{2});
  const auto list = world.request("ann");
  CHECK(world.room("bar") == 4.5F);
  world.forget("ann");
  CHECK_FALSE(world.knows_user("ann"));
  CHECK(world.room("bar") == 5.0F);
  CHECK(world.room("cafe") == 3.0F);
  world.forget("ann");
  world.forget("nobody");
  CHECK_FALSE(world.knows_user("nobody"));
  world.follow("ann", list.id, "bar");  // she is new, and that list nobody's
  CHECK(world.room("bar") == 5.0F);
  CHECK(world.counters().unknown_feedback == 1);
  world.at("13:00").tick();
  CHECK(world.room("cafe") == 5.0F);
}

// The row of who was forgotten goes to the next who comes, with nothing left in it.
TEST_CASE("story: a row used again starts anew") {
  World world;
  for (const char* item : {"a", "b", "c"}) world.item(item, seats(50));
  for (int n = 0; n < 20; ++n) world.check_in("ann", "a");
  const auto list = world.request("ann");
  world.follow("ann", list.id, "b");
  const auto row = world.user_ix("ann");
  world.forget("ann");
  const auto fresh = world.request("ben");
  CHECK(world.user_ix("ben") == row);
  CHECK_FALSE(fresh.replaces);
  CHECK_FALSE(world.state().learner.knows(row));
  CHECK(fresh.listen_propensity == world.state().listening.prior().mean);
}

}  // namespace
}  // namespace headroom
