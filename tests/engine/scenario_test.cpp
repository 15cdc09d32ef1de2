#include <algorithm>
#include <map>
#include <set>

#include "support/catch.hpp"
#include "support/world.hpp"

// Three stories, one for each kind of capacity, with everything at its default: prices, places that
// share a party, refreshes. Whoever reads them should find what they would expect of a town.

namespace headroom {
namespace {

using test::names;
using test::numbered;
using test::World;
using namespace std::chrono_literals;

// A town with people who ask, go and leave, and someone who checks each list as it comes.
class Town {
 public:
  explicit Town(const EngineOptions& options = {}) : world(options) {}

  void opens(const std::string& item, std::optional<Capacity> capacity) {
    watch(world.item(item, capacity));
  }
  void closes(const std::string& item, Capacity capacity) {
    watch(world.item(item, [&](ItemUpdate& image) {
      image.capacity = capacity;
      image.closed = true;
    }));
  }
  RankedList asks(const std::string& who, Party party = 1) {
    watch(world.send(Request{who, 3, party, {}}));
    return lists[who];
  }
  void goes(const std::string& who, const std::string& item) {
    watch(world.follow(who, lists[who].id, item));
  }
  void says_no(const std::string& who) {
    for (const auto& item : names(lists[who])) refused[who].insert(item);
    watch(world.ignore(who, lists[who].id));
  }
  void arrives(const std::string& who, const std::string& item) {
    watch(world.check_in(who, item));
  }
  void leaves(const std::string& who, const std::string& item) {
    watch(world.check_out(who, item));
  }
  void wait_until(std::string_view clock) { watch(world.at(clock).tick()); }

  bool has(const std::string& who, const std::string& item) const {
    const auto all = names(lists.at(who));
    return std::find(all.begin(), all.end(), item) != all.end();
  }
  // Who was just sent there: with all who are there, on their way or expected, they fit.
  void check_fits(const std::string& who, const std::string& item) {
    if (!has(who, item)) return;
    const Book book = world.book(item);
    CHECK(book.taken + book.on_way + book.held <= book.capacity->limit + 1e-3);
  }

  World world;
  std::map<std::string, RankedList> lists;  // the newest of each
  std::map<std::string, std::set<std::string>> refused;
  std::vector<std::string> unasked;  // who got a list in the last step

 private:
  void watch(const Outcome& outcome) {
    CHECK(outcome.letters.empty());
    unasked.clear();
    for (const RankedList& list : outcome.lists) {
      unasked.push_back(list.user);
      for (const ListedItem& place : list.items) {
        CHECK(place.held <= place.room);
        CHECK(refused[list.user].count(place.item) == 0);
      }
      lists[list.user] = list;
    }
  }
};

TEST_CASE("scenario: a restaurant evening") {
  Town town;
  town.world.at("18:00");
  town.opens("trattoria", test::seats(20));
  town.opens("pizzeria", test::seats(12));
  town.opens("park", {});

  // Sixty people ask. Nobody is promised a seat that is not there. Every tenth makes up their mind
  // later, the others go or say no.
  int went = 0;
  for (int n = 0; n < 60; ++n) {
    const auto who = numbered("guest-", n);
    town.asks(who);
    for (const char* place : {"trattoria", "pizzeria"}) town.check_fits(who, place);
    if (n % 10 == 5) continue;
    if (n % 2 == 0 && town.has(who, "trattoria") && went < 20) {
      town.goes(who, "trattoria");
      town.arrives(who, "trattoria");
      ++went;
    } else {
      town.says_no(who);
    }
  }
  CHECK(went > 12);
  // Regulars, whom nobody sent, take the last tables.
  for (int n = went; n < 20; ++n) town.arrives(numbered("regular-", n), "trattoria");
  CHECK(town.world.book("trattoria").taken == 20.0);

  // It is full: it is on no new list, and on no open list of anyone who is still around.
  town.asks("late");
  CHECK_FALSE(town.has("late", "trattoria"));
  CHECK(town.has("late", "park"));
  for (const auto& [who, list] : town.lists) {
    const auto open = town.world.state().ledger.open_list(town.world.user_ix(who));
    if (open == list.id) CHECK_FALSE(town.has(who, "trattoria"));
  }

  // Two tables are free again, and someone is told.
  town.world.at("18:50");
  town.leaves("guest-0", "trattoria");
  town.leaves("guest-2", "trattoria");
  CHECK(town.world.book("trattoria").taken == 18.0);
  town.asks("lucky");
  CHECK(town.has("lucky", "trattoria"));
  town.check_fits("lucky", "trattoria");

  // The pizzeria's oven breaks. Who was sent there gets another list, at once, without asking.
  REQUIRE(town.has("lucky", "pizzeria"));
  const auto before = town.lists["lucky"].id;
  town.closes("pizzeria", test::seats(12));
  CHECK(std::count(town.unasked.begin(), town.unasked.end(), "lucky") == 1);
  CHECK(town.lists["lucky"].replaces == before);
  CHECK_FALSE(town.has("lucky", "pizzeria"));
  CHECK(town.has("lucky", "trattoria"));

  // Everyone goes home in time, and the seats are there for the next evening.
  town.wait_until("23:00");
  CHECK(town.world.book("trattoria").taken == 0.0);
  CHECK(town.world.room("trattoria") > 8.0F);
}

TEST_CASE("scenario: a sale of 500 copies") {
  Town town;
  town.world.at("09:00");
  town.opens("book", test::stock(500));
  town.opens("poster", {});

  // More want it than there are copies; every second one who is offered it buys.
  int sold = 0, offered = 0, asked = 0;
  for (; asked < 3000 && sold < 500; ++asked) {
    const auto who = numbered("buyer-", asked);
    town.asks(who);
    if (asked % 50 == 0) town.check_fits(who, "book");
    if (!town.has(who, "book")) continue;
    if (++offered % 2 == 0) {
      town.goes(who, "book");
      ++sold;
      if (sold % 3 == 0) town.arrives(who, "book");  // who fetches it takes no second copy
    } else {
      town.says_no(who);
    }
  }
  CHECK(sold == 500);
  CHECK(asked < 3000);
  CHECK(town.world.book("book").taken == 500.0);

  // Sold out stays sold out, however long one waits.
  for (const char* clock : {"09:01", "12:00", "+1 09:00", "+7 09:00"}) {
    town.wait_until(clock);
    town.asks("too late");
    CHECK_FALSE(town.has("too late", "book"));
    CHECK(town.lists["too late"].reason.find("items without room: 1") != std::string::npos);
  }

  // A hundred more are printed. Who has one is not asked to buy it again.
  town.opens("book", test::stock(600));
  CHECK(town.world.room("book") <= 100.0F);
  CHECK(town.world.room("book") > 60.0F);
  town.asks("too late");
  CHECK(town.has("too late", "book"));
  town.asks("buyer-1");
  CHECK_FALSE(town.has("buyer-1", "book"));
  CHECK(town.has("buyer-1", "poster"));
}

TEST_CASE("scenario: a museum with 40 entries an hour") {
  Town town;
  town.world.at("10:00");
  town.opens("museum", test::rate(40, 60));
  town.opens("garden", {});

  // From ten to one o'clock someone asks every half minute, and goes in whenever it is offered.
  std::map<int, int> entries;  // by hour
  for (int n = 0; n < 360; ++n) {
    const auto seconds = 36000 + 30 * n;
    std::string clock = std::to_string(seconds / 3600);
    for (const int part : {seconds / 60 % 60, seconds % 60})
      clock.append(":").append(std::to_string(part));
    const auto who = numbered("visitor-", n);
    town.world.at(clock);
    town.asks(who);
    town.check_fits(who, "museum");
    if (!town.has(who, "museum")) continue;
    town.goes(who, "museum");
    town.arrives(who, "museum");
    ++entries[seconds / 3600];
  }
  // Never more than 40 in an hour, and the next hour opens again.
  for (const int hour : {10, 11, 12}) {
    CHECK(entries[hour] <= 40);
    CHECK(entries[hour] >= 36);  // hardly anything is left
  }
  CHECK_FALSE(town.has("visitor-359", "museum"));
  CHECK(town.has("visitor-359", "garden"));

  // Who said no to the garden is not asked again, also not when the museum has entries again.
  town.says_no("visitor-359");
  town.wait_until("13:00");
  town.asks("visitor-359");
  CHECK(names(town.lists["visitor-359"]) == std::vector<std::string>{"museum"});
}

}  // namespace
}  // namespace headroom
