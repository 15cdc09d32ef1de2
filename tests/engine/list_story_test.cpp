#include <limits>

#include "support/catch.hpp"
#include "support/engine_run.hpp"
#include "support/numbered.hpp"
#include "support/world.hpp"

namespace headroom {
namespace {

using test::at_clock;
using test::names;
using test::seats;
using test::World;
using Names = std::vector<std::string>;

TEST_CASE("story: nothing is known, and the list says so") {
  World world;
  const auto list = world.request("ann");
  CHECK(list.items.empty());
  CHECK(list.reason == "no item is known yet");
  CHECK(world.counters().lists == 1);
  CHECK(world.counters().empty_lists == 1);
}

TEST_CASE("story: who is new sees what is popular first") {
  World world;
  for (const char* item : {"quiet", "liked", "loved"}) world.item(item);
  for (int n = 0; n < 6; ++n) world.check_in(test::numbered("u", n), n < 4 ? "loved" : "liked");
  const auto list = world.request("new", 3);
  CHECK(names(list) == Names{"loved", "liked", "quiet"});
  CHECK(list.reason.empty());
  CHECK(list.items[0].score > list.items[1].score);
  CHECK(list.items[1].score > list.items[2].score);
}

TEST_CASE("story: taste is learned, and overtakes what is popular") {
  World world;
  for (int n = 0; n < 8; ++n) world.item(test::numbered("i", n));
  // Two tastes: even and odd. Everyone likes i0 or i1.
  for (int n = 0; n < 2000; ++n) {
    const int user = n % 20;
    world.check_in(test::numbered("u", user), test::numbered("i", user % 2 + 2 * (n / 20 % 4)));
  }
  // Nobody comes to the same one twice running, which is learned too: it need not be on the list.
  const auto list = world.request("u3", 3);
  for (const auto& name : names(list)) CHECK((name.back() - '0') % 2 == 1);
}

TEST_CASE("story: closed, hidden and removed items are on no list, and come back") {
  World world;
  for (const char* item : {"a", "b", "c", "d"}) world.item(item, seats(9));
  const auto only_d = [&](const auto& change) {
    for (const char* item : {"a", "b", "c"}) world.item(item, change);
    const auto list = world.request("ann", 4);
    CHECK(names(list) == Names{"d"});
    CHECK(list.reason == "items closed, hidden or removed: 3; items to choose from: 1");
  };
  only_d([](ItemUpdate& image) { image.closed = true; });
  only_d([](ItemUpdate& image) { image.hidden = true; });
  only_d([](ItemUpdate& image) { image.removed = true; });
  for (const char* item : {"a", "b", "c"}) world.item(item, seats(9));
  CHECK(world.request("ann", 4).items.size() == 4);
}

TEST_CASE("story: a short list says why") {
  World world;
  for (const char* item : {"a", "b", "c"}) world.item(item);
  CHECK(world.request("ann", 3).reason.empty());
  CHECK(world.request("ann", 4).reason == "items to choose from: 3");
  world.item("b", seats(0));
  CHECK(world.request("ann", 2).reason.empty());
  CHECK(world.request("ann", 3).reason == "items without room: 1");
  world.item("c", [](ItemUpdate& image) { image.closed = true; });
  const auto list = world.request("ann", 3);
  CHECK(names(list) == Names{"a"});
  CHECK(list.reason ==
        "items without room: 1; items closed, hidden or removed: 1; items to choose from: 2");
}

TEST_CASE("story: an item that is only known from events is on lists") {
  World world;
  world.check_in("ann", "unannounced");
  CHECK(names(world.request("ben")) == Names{"unannounced"});
}

// --- Learning ---

TEST_CASE("story: who comes as announced was learned from once") {
  World world;
  for (const char* item : {"a", "b", "c"}) world.item(item);
  const auto list = world.request("ann");
  world.follow("ann", list.id, "a");
  CHECK(world.counters().learned == 1);
  world.follow("ann", list.id, "a");  // says nothing new
  world.check_in("ann", "a");
  CHECK(world.counters().learned == 1);
  world.check_in("ann", "a", {}, 0.5F);  // a rating does
  CHECK(world.counters().learned == 2);
  world.check_in("ann", "b");
  CHECK(world.counters().learned == 3);
  world.ignore("ann", list.id);  // it is answered
  CHECK(world.counters().learned == 3);
}

TEST_CASE("story: a list ignored as a whole shares one weight") {
  auto options = test::story_options();
  options.learner.method = Method::kPmf;
  options.learner.negatives = 0;
  options.weights.ignore = 0.4F;
  World world(options), alone(options);
  for (const char* item : {"a", "b"}) {
    world.item(item);
    alone.item(item);
  }
  world.check_in("ann", "a");
  alone.check_in("ann", "a");
  world.ignore("ann", world.request("ann").id);
  CHECK(world.counters().learned == 3);
  const UserIx ann = alone.user_ix("ann");
  for (const auto& place : world.state().ledger.places(ann, {0, 1, 4, 0})) {
    alone.state().learner.like(ann, place.item, -1.0F, 0.2F, 0);
  }
  for (const char* item : {"a", "b"}) CHECK(world.score("ann", item) == alone.score("ann", item));
}

// The weight of a kind of event is that of the step: PMF without negatives shows it plainly.
TEST_CASE("story: each kind of outcome has its weight") {
  const auto moved = [](OutcomeWeights weights, const auto& tell) {
    auto options = test::story_options();
    options.learner.method = Method::kPmf;
    options.learner.negatives = 0;
    options.weights = weights;
    World world(options);
    world.item("a");
    world.item("b");
    const auto list = world.request("ann");
    tell(world, list.id);
    return std::vector<float>(world.state().learner.factors(world.ix("a")).begin(),
                              world.state().learner.factors(world.ix("a")).end());
  };
  const auto check_in = [](World& world, const OutputId&) { world.check_in("ann", "a"); };
  const auto follow = [](World& world, const OutputId& id) { world.follow("ann", id, "a"); };
  const auto ignore = [](World& world, const OutputId& id) { world.ignore("ann", id, "a"); };
  const auto nothing = moved({1, 1, 1}, [](World&, const OutputId&) {});
  CHECK(moved({0.5F, 1, 1}, check_in) == moved({0.5F, 9, 9}, check_in));
  CHECK(moved({0.5F, 1, 1}, check_in) != moved({1.0F, 1, 1}, check_in));
  CHECK(moved({1, 0.5F, 1}, follow) == moved({9, 0.5F, 9}, follow));
  CHECK(moved({1, 0.5F, 1}, follow) != moved({1, 1.0F, 1}, follow));
  CHECK(moved({1, 1, 0.5F}, ignore) == moved({9, 9, 0.5F}, ignore));
  CHECK(moved({1, 1, 0.5F}, ignore) != moved({1, 1, 1.0F}, ignore));
  CHECK(moved({0, 0, 0}, check_in) == nothing);
  CHECK(moved({0, 0, 0}, follow) == nothing);
  CHECK(moved({0, 0, 0}, ignore) == nothing);
}

// --- Rows that come and go ---

TEST_CASE("story: who only asked leaves with the list's label") {
  World world;
  world.item("cafe", seats(5));
  world.item("bar", seats(5));
  world.at("12:00").request("ann");
  CHECK(world.knows_user("ann"));
  world.at("14:29").tick();
  CHECK(world.knows_user("ann"));
  world.at("14:30").tick();
  CHECK_FALSE(world.knows_user("ann"));
  // Who was learned from stays.
  world.request("ben");
  world.check_in("ben", "cafe");
  world.at("20:00").tick();
  CHECK(world.knows_user("ben"));
}

TEST_CASE("story: who asks again before the label stays until the last one") {
  World world;
  world.item("cafe", seats(5));
  world.at("12:00").request("ann");
  world.at("14:29").request("ann");
  world.at("14:31").tick();
  CHECK(world.knows_user("ann"));
  world.at("16:59").tick();
  CHECK_FALSE(world.knows_user("ann"));
}

// The first visitor of an empty catalogue gives no pair to learn from, but has a past.
TEST_CASE("story: who liked something is not someone who only asked") {
  World world;
  world.at("12:00").check_in("ann", "cafe");
  world.at("20:00").tick();
  CHECK(world.knows_user("ann"));
}

TEST_CASE("story: a client that polls keeps no more than a few lists") {
  World world;
  for (int n = 0; n < 10; ++n) world.item(test::numbered("i", n));
  const auto row = [&] {
    ByteWriter bytes;
    world.state().save({RowKind::kUser, static_cast<std::uint32_t>(world.user_ix("kiosk"))}, bytes);
    return bytes.bytes().size();
  };
  for (int n = 0; n < 64; ++n) world.request("kiosk");
  const auto full = row();
  for (int n = 0; n < 500; ++n) world.request("kiosk");
  CHECK(row() == full);
  CHECK(world.listening("kiosk") < 0.1F);  // those before were ignored
}

EngineOptions few(std::size_t users, std::size_t items) {
  auto options = test::story_options();
  options.most_users = users;
  options.most_items = items;
  return options;
}

TEST_CASE("story: at the limit the user longest unseen leaves") {
  World world(few(3, 10));
  for (const char* user : {"a", "b", "c"}) world.check_in(user, "zoo");
  world.at("14:00").check_in("a", "zoo");
  world.at("16:00").check_in("d", "zoo");
  CHECK_FALSE(world.knows_user("b"));
  CHECK(world.knows_user("a"));
  CHECK(world.counters().evicted_users == 1);
}

TEST_CASE("story: who has an open list, a way or a visit does not leave") {
  World world(few(3, 10));
  world.item("zoo");
  world.item("bar");
  const auto list = world.request("way");
  world.follow("way", list.id, "zoo");
  world.request("list");
  world.check_in("visit", "zoo");
  const auto outcome = world.check_in("new", "zoo");
  REQUIRE(outcome.letters.size() == 1);
  CHECK(outcome.letters[0].reject.reason.kind == RejectKind::kAtLimit);
  CHECK(outcome.letters[0].reject.reason.words ==
        "no place for another user, and none of those known may leave");
  CHECK_FALSE(world.knows_user("new"));
  CHECK(world.counters().rejects[static_cast<std::size_t>(RejectKind::kAtLimit)] == 1);
  // An hour later the visit is over.
  world.at("13:00").check_in("new", "zoo");
  CHECK(world.knows_user("new"));
  CHECK_FALSE(world.knows_user("visit"));
  CHECK(world.knows_user("way"));
  CHECK(world.knows_user("list"));
}

TEST_CASE("story: at the limit a stranger gets items without capacity, and holds nothing") {
  World world(few(1, 10));
  world.item("cafe", seats(5));
  world.item("park");
  world.request("ann");
  const float room = world.room("cafe");
  const auto list = world.request("stranger", 1);
  CHECK(names(list) == Names{"park"});
  CHECK(list.items[0].held == 0.0F);
  CHECK(list.reason == "too many users are known: only items without capacity");
  CHECK(world.request("stranger", 2).reason ==
        "too many users are known: only items without capacity; items with a capacity: 1");
  CHECK_FALSE(world.request("stranger").replaces);
  CHECK_FALSE(world.knows_user("stranger"));
  CHECK(world.room("cafe") == room);
  world.follow("stranger", list.id, "park");  // can't be taken: nobody may leave for it
  CHECK(world.counters().rejects[static_cast<std::size_t>(RejectKind::kAtLimit)] == 1);
}

TEST_CASE("story: at the limit the item longest unseen leaves, never one that matters") {
  World world(few(100, 3));
  world.item("cafe", seats(5));
  world.check_in("ann", "full of people");
  world.check_in("ben", "old");
  world.at("12:30").check_in("ben", "cafe");
  world.check_in("cid", "new");
  CHECK(world.knows_item("cafe"));
  CHECK(world.knows_item("full of people"));
  CHECK_FALSE(world.knows_item("old"));
  CHECK(world.counters().evicted_items == 1);
  const auto outcome = world.item("another");
  REQUIRE(outcome.letters.size() == 1);
  CHECK(outcome.letters[0].reject.reason.words ==
        "no place for another item, and none of those known may leave");
  // On a list it is named, and stays for as long as the list is remembered.
  world.at("14:00").request("dan");
  CHECK(world.item("another").letters.size() == 1);
  world.at("16:30").item("another");
  CHECK(world.knows_item("another"));
  CHECK(world.knows_item("cafe"));
}

TEST_CASE("story: what is hidden, closed or removed stays so, also past the limit") {
  World world(few(100, 4));
  world.item("hidden", [](ItemUpdate& image) { image.hidden = true; });
  world.item("closed", [](ItemUpdate& image) { image.closed = true; });
  world.item("removed", [](ItemUpdate& image) { image.removed = true; });
  world.item("sold", test::stock(5));
  world.check_in("ann", "sold");
  world.item("sold");  // an image that forgot its stock
  world.at("18:00").item("a");
  CHECK_FALSE(world.knows_item("removed"));  // the only one that may leave
  world.item("b");
  CHECK_FALSE(world.knows_item("a"));
  for (const char* item : {"hidden", "closed", "removed"}) world.check_in("ann", item);
  CHECK(world.knows_item("removed"));
  CHECK(names(world.request("ben")) == Names{"sold"});
  CHECK(world.counters().evicted_items == 3);
  world.at("+1 12:00").check_in("ann", "c");  // again: it is remembered as often as it leaves
  world.at("+2 12:00").check_in("ann", "removed");
  CHECK(world.knows_item("removed"));
  CHECK(names(world.request("ben")) == Names{"sold"});
  world.item("sold", test::stock(5));
  CHECK(world.book("sold").taken == 1.0);
  world.item("removed");  // until an image says otherwise
  CHECK(world.request("cid").items.size() == 2);
}

TEST_CASE("story: the names of removed items are kept over a checkpoint") {
  World world(few(100, 1)), loaded(few(100, 1));
  world.item("removed", [](ItemUpdate& image) { image.removed = true; });
  world.item("a");
  const auto rest = world.state().save_rest();
  test::StoredRows::all_of(world.state()).load_into(loaded.state(), rest);
  loaded.id("late").check_in("ann", "removed");
  CHECK(loaded.knows_item("removed"));
  CHECK(loaded.id("ask").request("ben").items.empty());
}

TEST_CASE("story: items that may not leave hide none that may, however many they are") {
  World world(few(10, 3000));
  for (int n = 0; n < 2900; ++n) world.item(test::numbered("capacity", n), seats(5));
  for (int n = 0; n < 100; ++n) world.item(test::numbered("plain", n));
  for (int n = 0; n < 100; ++n) {
    if (!world.item(test::numbered("new", n), seats(5)).letters.empty()) FAIL("number " << n);
  }
  CHECK(world.counters().evicted_items == 100);
  CHECK(world.item("one more").letters.size() == 1);
  world.item("capacity1500");  // has none any more
  CHECK(world.item("one more").letters.empty());
  CHECK_FALSE(world.knows_item("capacity1500"));
}

TEST_CASE("story: an event that finds no place for its user brings no item either") {
  World world(few(1, 10));
  world.check_in("ann", "cafe");
  CHECK(world.check_in("ben", "bar").letters.size() == 1);
  CHECK_FALSE(world.knows_item("bar"));
}

// --- What is not taken ---

TEST_CASE("story: what comes twice is taken once") {
  World world;
  world.id("x").check_in("ann", "cafe");
  world.id("x").check_in("ben", "cafe");
  CHECK(world.counters().duplicates == 1);
  CHECK(world.counters().events == 1);
  CHECK_FALSE(world.knows_user("ben"));
  const auto outcome = world.together([&] {
    world.id("y").request("ann");
    world.id("y").request("ann");
    world.id("x").request("ann");
  });
  CHECK(outcome.lists.size() == 1);
  CHECK(world.counters().duplicates == 3);
}

TEST_CASE("story: a far time is a dead letter with its bytes, and its id can come again") {
  for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
    auto options = test::story_options();
    options.clock = clock;
    World world(options);
    world.at("+20 12:00");
    for (int n = 0; n < 10; ++n) world.check_in(test::numbered("u", n % 3), "cafe");
    const Time now = world.state().ledger.now();
    const auto dated = [&](Time at) {
      Batch batch;
      batch.arrivals.push_back(
          test::arrival(at, "x", CheckIn{"ben", "cafe", 1.0F, {}}, {Topic::kEvents, 3, 77}));
      return world.step(std::move(batch));
    };
    const auto ms = std::chrono::milliseconds(1);
    for (const Time at : {now - kFarOff - ms, now + kFarOff + ms, now + std::chrono::days(27000)}) {
      const auto outcome = dated(at);
      REQUIRE(outcome.letters.size() == 1);
      const DeadLetter& letter = outcome.letters[0];
      CHECK(to_text('d', letter.id) == test::numbered("d-0-1-", world.state().batch) + "-0");
      CHECK(letter.at == now);
      CHECK(letter.reject.reason.kind == RejectKind::kFarTime);
      CHECK(letter.reject.place == Place{Topic::kEvents, 3, 77});
      CHECK(letter.reject.bytes == "bytes of x");
      CHECK(world.state().ledger.now() == now);
    }
    CHECK_FALSE(world.knows_user("ben"));
    CHECK(dated(now - kFarOff).letters.empty());
    CHECK(world.knows_user("ben"));
    CHECK(world.counters().duplicates == 0);
  }
}

TEST_CASE("story: dead letters are numbered: what was no event first, then in the step's order") {
  World world(few(1, 10));
  world.check_in("ann", "cafe");
  Batch batch;
  batch.rejects.push_back(test::reject({Topic::kEvents, 0, 9}, RejectKind::kNotJson, "nine"));
  batch.rejects.push_back(test::reject({Topic::kEvents, 0, 2}, RejectKind::kBadId, "two"));
  batch.arrivals.push_back(test::arrival(world.time(), "limit", CheckIn{"ben", "cafe", 1.0F, {}},
                                         {Topic::kEvents, 0, 1}));
  batch.arrivals.push_back(test::arrival(world.time() + std::chrono::days(8), "far", Forget{"ann"},
                                         {Topic::kEvents, 0, 0}));
  const auto outcome = world.step(batch);
  std::vector<std::string> told;
  for (std::uint32_t k = 0; k < outcome.letters.size(); ++k) {
    CHECK(outcome.letters[k].id == OutputId{0, 1, 2, k});
    told.push_back(outcome.letters[k].reject.bytes);
  }
  CHECK(told == Names{"two", "nine", "bytes of far", "bytes of limit"});
}

// --- Time ---

EngineOptions event_clock() {
  auto options = test::story_options();
  options.clock = ClockKind::kEvent;
  return options;
}

TEST_CASE("story: under the event clock each ask is answered at its own time") {
  World world(event_clock());
  world.at("11:00").item("cafe", seats(0.5));
  const auto outcome = world.together([&] {
    world.at("12:00").request("ann");
    world.at("12:10").request("ben");
    world.at("12:30").request("cid");
  });
  REQUIRE(outcome.lists.size() == 3);
  CHECK(outcome.lists[1].at == at_clock("12:10"));
  CHECK(outcome.lists[1].items.empty());
  CHECK(names(outcome.lists[2]) == Names{"cafe"});  // the first window has ended
  CHECK(outcome.lists[2].valid_until == at_clock("13:00"));
}

TEST_CASE("story: a late ask is answered now, a late word counts from its own time") {
  World world(event_clock());
  world.at("12:00").item("cafe", seats(5));
  world.at("13:00").check_in("ann", "cafe");
  CHECK(world.at("12:30").request("ben").at == at_clock("13:00"));
  world.at("12:20").check_in("cid", "cafe");  // until 13:20
  CHECK(world.book("cafe").taken == 2.0);
  world.at("13:20").request("dan");
  CHECK(world.book("cafe").taken == 1.0);
  world.at("12:20").check_in("eve", "cafe");  // has left already
  CHECK(world.book("cafe").taken == 1.0);
}

// A batch may span hours. Its items come first, but they do not carry the clock to its end: else
// every list of the batch would be late, and every window over.
TEST_CASE("story: an item record moves no clock before the events of its batch") {
  World world(event_clock());
  world.at("11:00").item("cafe", seats(5));
  const auto outcome = world.together([&] {
    world.at("12:00").request("ann");
    world.at("15:00").item("cafe", seats(4));
    world.at("12:10").check_in("ann", "cafe");
  });
  CHECK(outcome.lists.at(0).at == at_clock("12:00"));
  CHECK(world.state().ledger.now() == at_clock("12:10"));
  CHECK(world.book("cafe").organic == 0);
}

TEST_CASE("story: one record dated 2099 frees no seat") {
  for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
    auto options = test::story_options();
    options.clock = clock;
    World world(options);
    world.at("12:00").item("cafe", seats(1));
    world.request("ann");
    const auto outcome = world.together([&] {
      world.at("+27000 12:00").check_in("mad", "cafe");
      world.at("12:01").request("ben");
    });
    CHECK(outcome.letters.size() == 1);
    REQUIRE(names(outcome.lists.at(0)) == Names{"cafe"});
    CHECK(outcome.lists[0].items[0].room == 0.5F);
    CHECK(world.state().ledger.now() == at_clock("12:01"));
  }
}

TEST_CASE("story: a first record dated 2099 does not stop the clock for good") {
  World world(event_clock());
  world.item("cafe", seats(5));
  world.item("book", test::stock(5));
  world.at("+27000 12:00").check_in("mad", "cafe");
  world.check_in("mad too", "book");
  const auto list = world.request("mad");
  CHECK(list.at == at_clock("+27000 12:00"));
  const auto outcome = world.together([&] {
    for (int n = 0; n < 10; ++n) world.at("12:00").check_in(test::numbered("u", n % 4), "cafe");
    world.request("ann");
  });
  CHECK(outcome.letters.empty());
  CHECK(world.state().ledger.now() == at_clock("12:00"));
  CHECK(world.book("cafe").taken == 4.0);  // who was there in 2099 is not
  CHECK(world.book("book").taken == 1.0);
  REQUIRE(outcome.lists.size() == 1);
  CHECK(outcome.lists[0].at == at_clock("12:00"));
  world.follow("mad", list.id, "cafe");
  CHECK(world.counters().unknown_feedback == 1);
  // From now on it stands.
  CHECK(world.at("+27000 12:00").check_in("mad", "cafe").letters.size() == 1);
  world.at("13:00").request("ann");
  CHECK(world.book("cafe").taken == 0.0);
}

TEST_CASE("story: a log that was silent for a month goes on when enough agree") {
  World world(event_clock());
  world.at("12:00").check_in("ann", "cafe");
  const auto outcome = world.together([&] {
    world.at("+30 12:00");
    for (int n = 0; n < 10; ++n) world.check_in(test::numbered("u", n), "cafe");
  });
  CHECK(outcome.letters.empty());
  CHECK(world.state().ledger.now() == at_clock("+30 12:00"));
  CHECK(world.book("cafe").taken == 10.0);
}

TEST_CASE("story: the machine's clock going back changes nothing") {
  World world;
  world.at("12:00").item("cafe", seats(1));
  world.at("13:00").request("ann");
  const auto list = world.at("12:00").request("ben");
  CHECK(list.at == at_clock("13:00"));
  CHECK(world.state().ledger.now() == at_clock("13:00"));
}

TEST_CASE("story: a list names its instance and epoch") {
  auto options = test::story_options();
  options.instance = 7;
  options.epoch = 3;
  World world(options);
  CHECK(to_text('r', world.request("ann").id) == "r-7-3-1-0");
}

}  // namespace
}  // namespace headroom
