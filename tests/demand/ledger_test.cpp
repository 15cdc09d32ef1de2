#include "headroom/demand/ledger.hpp"

#include <limits>

#include "support/catch.hpp"

namespace headroom {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr Time kNoon{std::chrono::hours(480012)};
constexpr UserIx kAnn{0}, kBen{1};
constexpr ItemIx kCafe{0}, kShop{1}, kTour{2}, kPark{3};
constexpr auto kInfinity = std::numeric_limits<float>::infinity();

OutputId list_id(std::uint64_t n) { return {.instance = 0, .epoch = 1, .batch = n, .k = 0}; }

// Under the plain rule rooms can be counted on fingers.
// A cafe of 10 seats, a shop with 10 copies, a tour of 10 per hour, and a park for everyone.
struct Town {
  RowWatch watch;
  Ledger ledger{{.rule = RoomRule::kNow}, watch};
  Town() {
    ledger.advance(kNoon);
    ledger.set_item(kCafe, Capacity{CapacityKind::kSeats, 10, minutes(0)}, minutes(45));
    ledger.set_item(kShop, Capacity{CapacityKind::kStock, 10, minutes(0)}, {});
    ledger.set_item(kTour, Capacity{CapacityKind::kRate, 10, minutes(60)}, {});
    ledger.set_item(kPark, {}, {});
  }
  OutputId show(UserIx user, std::uint64_t n, Party party = 1) {
    const HeldPlace places[] = {{kCafe, 0.5F}, {kShop, 0.25F}, {kTour, 0.125F}, {kPark, 0.1F}};
    ledger.show(user, list_id(n), party, places, ledger.now());
    return list_id(n);
  }
  void pass(minutes time) { ledger.advance(ledger.now() + time); }
  float cafe() const { return ledger.room(kCafe); }
  float shop() const { return ledger.room(kShop); }
  float tour() const { return ledger.room(kTour); }
};

TEST_CASE("ledger: a list holds its seats until its window ends, and its label waits") {
  Town t;
  t.show(kAnn, 1);
  CHECK(t.cafe() == 9.5F);
  CHECK(t.shop() == 9.75F);
  CHECK(t.tour() == 9.875F);
  CHECK(t.ledger.room(kPark) == kInfinity);
  CHECK(t.ledger.book(kPark).held == Approx(0.1).margin(1e-6));
  t.ledger.advance(kNoon + minutes(30) - milliseconds(1));
  CHECK(t.cafe() == 9.5F);
  t.ledger.advance(kNoon + minutes(30));
  CHECK(t.cafe() == 10.0F);
  CHECK(t.ledger.take_labels().empty());
  CHECK_FALSE(t.ledger.idle(kAnn));
  t.ledger.advance(kNoon + minutes(150));
  const auto labels = t.ledger.take_labels();
  REQUIRE(labels.size() == 1);
  CHECK_FALSE(labels[0].followed);
  CHECK(labels[0].shown == kNoon);
  CHECK(t.ledger.idle(kAnn));
  CHECK(t.ledger.idle(kPark));
}

TEST_CASE("ledger: a hold rounds up, a room down, and nothing drifts") {
  Town t;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const HeldPlace place[] = {{kCafe, n % 2 == 0 ? t.cafe() : 0.1F}};
    if (n % 2 == 1) REQUIRE(place[0].seats <= t.cafe());
    t.ledger.show(kAnn, list_id(n), 1, place, t.ledger.now());
    CHECK(t.cafe() <= (n % 2 == 0 ? 0.0F : 9.9F));
    t.ledger.replace(kAnn, t.ledger.now());
  }
  CHECK(t.cafe() == 10.0F);
}

TEST_CASE("ledger: a follow frees the list and sets out, a check-in arrives, the dwell time ends") {
  Town t;
  const auto id = t.show(kAnn, 1, 2);
  CHECK(t.ledger.follow(kAnn, id, kCafe, {}, t.ledger.now()) == FollowResult::kTaken);
  CHECK(t.cafe() == 8.0F);
  CHECK(t.shop() == 10.0F);
  CHECK(t.ledger.book(kCafe).on_way == 2.0);
  CHECK(t.ledger.take_labels().at(0).followed);
  CHECK(t.ledger.follow(kAnn, id, kCafe, Party{9}, t.ledger.now()) == FollowResult::kRepeated);
  t.pass(minutes(10));
  const Arrived arrived = t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now());
  CHECK_FALSE(arrived.organic);
  CHECK_FALSE(arrived.followed_list);
  CHECK(arrived.list == id);
  CHECK(arrived.party == 2);
  CHECK(t.ledger.book(kCafe).on_way == 0.0);
  CHECK(t.ledger.book(kCafe).taken == 2.0);
  t.pass(minutes(45));
  CHECK(t.cafe() == 10.0F);
}

TEST_CASE("ledger: a follow undone, lapsed or late is the same visit, with one copy") {
  const auto shop = Party{2};
  const auto comes = [&](Town& t, const OutputId& id) {
    const Arrived arrived = t.ledger.arrive(kAnn, kShop, {}, t.ledger.now());
    CHECK_FALSE(arrived.organic);
    CHECK_FALSE(arrived.followed_list);
    CHECK(arrived.list == id);
    CHECK(arrived.party == shop);
    CHECK(t.shop() == 8.0F);
    t.ledger.leave(kAnn, kShop, t.ledger.now());
    // The next time is another visit.
    CHECK(t.ledger.arrive(kAnn, kShop, {}, t.ledger.now()).organic);
    CHECK(t.shop() == 7.0F);
  };
  {
    Town t;  // lapsed
    const auto id = t.show(kAnn, 1);
    t.ledger.follow(kAnn, id, kShop, shop, t.ledger.now());
    t.pass(minutes(61));
    comes(t, id);
  }
  {
    Town t;  // undone
    const auto id = t.show(kAnn, 1);
    t.ledger.follow(kAnn, id, kShop, shop, t.ledger.now());
    t.ledger.follow(kAnn, id, kCafe, {}, t.ledger.now());
    comes(t, id);
  }
  {
    Town t;  // lapsed before it was told
    const auto id = t.show(kAnn, 1);
    t.pass(minutes(90));
    CHECK(t.ledger.follow(kAnn, id, kShop, shop, kNoon + minutes(1)) == FollowResult::kTaken);
    comes(t, id);
  }
  Town t;  // when the list is forgotten, so is the follow
  const auto id = t.show(kAnn, 1);
  t.ledger.follow(kAnn, id, kShop, shop, t.ledger.now());
  t.pass(minutes(150));
  CHECK(t.ledger.arrive(kAnn, kShop, {}, t.ledger.now()).organic);
}

TEST_CASE("ledger: who goes back to an earlier choice is on that way again") {
  Town t;
  const auto id = t.show(kAnn, 1);
  const auto follow = [&](ItemIx item) {
    return t.ledger.follow(kAnn, id, item, {}, t.ledger.now());
  };
  CHECK(follow(kShop) == FollowResult::kTaken);
  CHECK(follow(kCafe) == FollowResult::kTaken);
  CHECK(follow(kShop) == FollowResult::kSameVisit);
  CHECK(t.cafe() == 10.0F);
  CHECK(t.shop() == 9.0F);  // one copy
  CHECK(follow(kCafe) == FollowResult::kSameVisit);
  CHECK(follow(kCafe) == FollowResult::kRepeated);
  CHECK(t.ledger.book(kCafe).on_way == 1.0);
  t.pass(minutes(60));
  CHECK(t.cafe() == 10.0F);
  CHECK(follow(kCafe) == FollowResult::kSameVisit);  // still coming
  CHECK(t.cafe() == 9.0F);
  t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now());
  CHECK(follow(kCafe) == FollowResult::kRepeated);
  CHECK(t.ledger.book(kCafe).on_way == 0.0);
  CHECK(t.ledger.take_labels().size() == 1);
}

TEST_CASE("ledger: one person is one person, whichever lists lead to a place") {
  Town t;
  const auto first = t.show(kAnn, 1);
  CHECK(t.ledger.follow(kAnn, first, kCafe, Party{2}, t.ledger.now()) == FollowResult::kTaken);
  t.pass(minutes(30));
  const auto second = t.show(kAnn, 2);
  CHECK(t.ledger.follow(kAnn, second, kCafe, Party{3}, t.ledger.now()) == FollowResult::kSameVisit);
  CHECK(t.ledger.book(kCafe).on_way == 3.0);
  CHECK(t.ledger.take_labels().size() == 2);
  CHECK(t.ledger.follow(kAnn, first, kCafe, {}, t.ledger.now()) == FollowResult::kRepeated);
  t.pass(minutes(59));
  CHECK(t.ledger.book(kCafe).on_way == 3.0);  // renewed by the second follow
  t.ledger.follow(kAnn, second, kTour, {}, t.ledger.now());
  CHECK(t.ledger.book(kCafe).on_way == 0.0);
  CHECK(t.ledger.follow(kAnn, first, kCafe, {}, t.ledger.now()) == FollowResult::kSameVisit);
  CHECK(t.ledger.book(kCafe).on_way == 1.0);
}

TEST_CASE("ledger: who is there already does not set out") {
  Town t;
  t.ledger.arrive(kAnn, kShop, {}, t.ledger.now());
  t.ledger.arrive(kBen, kCafe, {}, t.ledger.now());
  const auto ann = t.show(kAnn, 1), ben = t.show(kBen, 2);
  CHECK(t.ledger.follow(kAnn, ann, kShop, {}, t.ledger.now()) == FollowResult::kSameVisit);
  CHECK(t.ledger.follow(kBen, ben, kCafe, {}, t.ledger.now()) == FollowResult::kSameVisit);
  CHECK(t.shop() == 9.0F);
  CHECK(t.cafe() == 9.0F);
  CHECK(t.tour() == 10.0F);  // the lists are answered
  CHECK(t.ledger.take_labels().size() == 2);
  CHECK(t.ledger.follow(kAnn, ann, kShop, {}, t.ledger.now()) == FollowResult::kRepeated);
  // Nor does one who says so by checking in again.
  const auto next = t.show(kAnn, 3);
  const Arrived arrived = t.ledger.arrive(kAnn, kShop, {}, t.ledger.now());
  CHECK(arrived.renewed);
  CHECK(arrived.followed_list);
  CHECK(arrived.list == next);
  CHECK(t.shop() == 9.0F);
}

TEST_CASE("ledger: a way lapses, another follow of the list undoes it") {
  Town t;
  const auto id = t.show(kAnn, 1);
  t.ledger.follow(kAnn, id, kCafe, {}, t.ledger.now());
  CHECK(t.ledger.follow(kAnn, id, kTour, {}, t.ledger.now()) == FollowResult::kTaken);
  CHECK(t.cafe() == 10.0F);
  CHECK(t.tour() == 9.0F);
  CHECK(t.ledger.take_labels().size() == 1);
  t.pass(minutes(60));
  CHECK(t.tour() == 10.0F);
  // They come after all: the list brought them.
  CHECK(t.ledger.arrive(kAnn, kTour, {}, t.ledger.now()).list == id);
  CHECK(t.tour() == 9.0F);
}

TEST_CASE("ledger: feedback of a list never made, or for an item not on it, changes no seat") {
  Town t;
  const auto id = t.show(kAnn, 1);
  CHECK(t.ledger.follow(kBen, id, kCafe, {}, t.ledger.now()) == FollowResult::kUnknownList);
  CHECK(t.ledger.follow(kAnn, list_id(7), kCafe, {}, t.ledger.now()) == FollowResult::kUnknownList);
  CHECK(t.ledger.follow(kAnn, id, ItemIx{77}, {}, t.ledger.now()) == FollowResult::kNotOnList);
  CHECK_FALSE(t.ledger.ignore(kBen, id, {}, t.ledger.now()));
  CHECK_FALSE(t.ledger.seen(kBen, id));
  CHECK(t.ledger.seen(kAnn, id));
  CHECK(t.cafe() == 9.5F);
}

TEST_CASE("ledger: a follow of a replaced list is valid") {
  Town t;
  const auto first = t.show(kAnn, 1);
  CHECK(t.ledger.replace(kAnn, t.ledger.now()) == first);
  CHECK(t.cafe() == 10.0F);
  const auto second = t.show(kAnn, 2);
  CHECK(t.ledger.follow(kAnn, first, kCafe, {}, t.ledger.now()) == FollowResult::kTaken);
  CHECK(t.cafe() == 8.5F);  // one on the way, and the second list still holds
  CHECK(t.ledger.open_list(kAnn) == second);
}

TEST_CASE("ledger: an ignore of one item frees it alone; of the list, all, with the label") {
  Town t;
  const auto id = t.show(kAnn, 1);
  CHECK(t.ledger.ignore(kAnn, id, kCafe, t.ledger.now()));
  CHECK_FALSE(t.ledger.ignore(kAnn, id, kCafe, t.ledger.now()));
  CHECK(t.cafe() == 10.0F);
  CHECK(t.shop() == 9.75F);
  CHECK(t.ledger.take_labels().empty());
  CHECK(t.ledger.ignore(kAnn, id, {}, t.ledger.now()));
  CHECK_FALSE(t.ledger.ignore(kAnn, id, {}, t.ledger.now()));
  CHECK(t.shop() == 10.0F);
  CHECK_FALSE(t.ledger.take_labels().at(0).followed);
  CHECK(t.ledger.places(kAnn, id).size() == 4);
  // Coming after all changes seats, not the label.
  const Arrived arrived = t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now());
  CHECK(arrived.followed_list);
  CHECK(t.cafe() == 9.0F);
  CHECK(t.ledger.take_labels().empty());
}

TEST_CASE("ledger: a check-in on the newest list is its follow, for two hours after its end") {
  for (const auto late : {minutes(5), minutes(29), minutes(100)}) {
    Town t;
    const auto id = t.show(kAnn, 1, 3);
    t.pass(late);
    const Arrived arrived = t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now());
    CHECK(arrived.followed_list);
    CHECK(arrived.list == id);
    CHECK(arrived.party == 3);
    CHECK(t.shop() == 10.0F);
    CHECK(t.cafe() == 7.0F);
    CHECK(t.ledger.take_labels().at(0).followed);
  }
  Town t;
  t.show(kAnn, 1);
  CHECK(t.ledger.arrive(kAnn, ItemIx{9}, {}, t.ledger.now()).organic);  // not on the list
  CHECK(t.ledger.arrive(kAnn, kCafe, {}, kNoon - minutes(1)).organic);  // before it was shown
  CHECK(t.ledger.book(ItemIx{9}).organic == 1);
  t.pass(minutes(150));
  CHECK(t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now()).organic);
}

TEST_CASE("ledger: one person is at one place") {
  Town t;
  CHECK(t.ledger.arrive(kAnn, kCafe, Party{2}, t.ledger.now()).organic);
  t.pass(minutes(30));
  CHECK(t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now()).renewed);
  CHECK(t.cafe() == 8.0F);
  t.pass(minutes(30));
  CHECK(t.cafe() == 8.0F);                          // renewed: until 75 minutes
  CHECK_FALSE(t.ledger.leave(kAnn, kCafe, kNoon));  // a late word of before
  t.ledger.arrive(kAnn, kPark, {}, t.ledger.now());
  CHECK(t.cafe() == 10.0F);
  CHECK(t.ledger.book(kPark).taken == 1.0);
  CHECK(t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now() - minutes(1)).left_already);
  CHECK(t.cafe() == 10.0F);
  CHECK_FALSE(t.ledger.leave(kAnn, kCafe, t.ledger.now()));
  CHECK(t.ledger.leave(kAnn, kPark, t.ledger.now()));
  CHECK(t.ledger.idle(kAnn));
}

TEST_CASE("ledger: who is late has been there; who is too late has left") {
  Town t;
  CHECK_FALSE(t.ledger.arrive(kAnn, kCafe, {}, kNoon - minutes(44)).left_already);
  CHECK(t.cafe() == 9.0F);
  t.pass(minutes(1));
  CHECK(t.cafe() == 10.0F);
  CHECK(t.ledger.arrive(kBen, kCafe, {}, t.ledger.now() - minutes(45)).left_already);
  CHECK(t.cafe() == 10.0F);
  CHECK(t.ledger.idle(kBen));
}

TEST_CASE("ledger: a stock is gone for good, restocked by a higher limit") {
  Town t;
  const auto id = t.show(kAnn, 1);
  t.ledger.follow(kAnn, id, kShop, Party{2}, t.ledger.now());
  CHECK(t.shop() == 8.0F);
  CHECK(t.ledger.book(kShop).on_way == 0.0);
  t.ledger.arrive(kAnn, kShop, {}, t.ledger.now());
  CHECK(t.shop() == 8.0F);  // no second copy
  t.ledger.leave(kAnn, kShop, t.ledger.now());
  CHECK(t.shop() == 8.0F);
  t.ledger.arrive(kBen, kShop, Party{3}, t.ledger.now());
  CHECK(t.shop() == 5.0F);
  t.ledger.set_item(kShop, Capacity{CapacityKind::kStock, 4, minutes(0)}, {});
  CHECK(t.shop() == 0.0F);
  t.ledger.set_item(kShop, Capacity{CapacityKind::kStock, 20, minutes(0)}, {});
  CHECK(t.shop() == 15.0F);
  t.ledger.set_item(kShop, Capacity{CapacityKind::kSeats, 20, minutes(0)}, {});
  CHECK(t.shop() == 17.0F);  // Ben's party is there
  t.ledger.set_item(kShop, Capacity{CapacityKind::kStock, 20, minutes(0)}, {});
  CHECK(t.shop() == 15.0F);
}

TEST_CASE("ledger: copies that are gone do not come back with the item") {
  Town t;
  t.ledger.arrive(kBen, kShop, Party{4}, t.ledger.now());
  const auto stock = Capacity{CapacityKind::kStock, 10, minutes(0)};
  t.ledger.set_item(kShop, {}, {});  // taken off the shelf, or an image that forgot it
  CHECK(t.shop() == kInfinity);
  t.ledger.set_item(kShop, stock, {});
  CHECK(t.shop() == 6.0F);
  t.ledger.remove_item(kShop);  // the row itself goes
  t.ledger.set_item(kShop, stock, {});
  CHECK(t.shop() == 10.0F);
}

TEST_CASE("ledger: a rate counts the arrivals of its slot") {
  Town t;
  t.pass(minutes(50));
  t.ledger.arrive(kAnn, kTour, Party{4}, t.ledger.now());
  t.ledger.arrive(kBen, kTour, Party{3}, kNoon - minutes(1));  // of the slot before
  CHECK(t.tour() == 6.0F);
  t.ledger.arrive(kBen, kTour, {}, t.ledger.now());  // renewed: no arrival
  CHECK(t.tour() == 6.0F);
  t.pass(minutes(9));
  CHECK(t.tour() == 6.0F);
  t.pass(minutes(1));
  CHECK(t.tour() == 10.0F);
}

TEST_CASE("ledger: a capacity counts at once, with all who are there and all that is held") {
  Town t;
  t.show(kAnn, 1);
  t.ledger.arrive(kBen, kPark, Party{5}, t.ledger.now());
  t.ledger.set_item(kPark, Capacity{CapacityKind::kSeats, 6, minutes(0)}, {});
  CHECK(t.ledger.room(kPark) == Approx(0.9));
  t.ledger.set_item(kPark, Capacity{CapacityKind::kSeats, 0, minutes(0)}, {});
  CHECK(t.ledger.room(kPark) == 0.0F);
  CHECK(t.ledger.book(kPark).held == Approx(0.1).margin(1e-6));
  t.ledger.set_item(kPark, {}, {});
  CHECK(t.ledger.room(kPark) == kInfinity);
}

TEST_CASE("ledger: a removed item leaves nothing behind") {
  Town t;
  const auto id = t.show(kAnn, 1);
  t.ledger.arrive(kBen, kCafe, {}, t.ledger.now());
  t.ledger.remove_item(kCafe);
  CHECK(t.ledger.idle(kCafe));
  CHECK(t.ledger.idle(kBen));
  CHECK(t.ledger.places(kAnn, id).size() == 3);
  t.ledger.set_item(kCafe, Capacity{CapacityKind::kSeats, 1, minutes(0)}, {});
  CHECK(t.cafe() == 1.0F);
  t.pass(minutes(200));
  CHECK(t.cafe() == 1.0F);
}

TEST_CASE("ledger: who is forgotten stays as someone until the dwell time ends") {
  Town t;
  t.ledger.arrive(kAnn, kCafe, Party{2}, t.ledger.now());
  const auto id = t.show(kAnn, 1);
  t.ledger.follow(kAnn, id, kTour, {}, t.ledger.now());
  t.ledger.take_labels();
  t.show(kAnn, 2);
  t.ledger.forget(kAnn);
  CHECK(t.ledger.idle(kAnn));
  CHECK(t.cafe() == 8.0F);
  CHECK(t.tour() == 10.0F);
  t.pass(minutes(45));
  CHECK(t.cafe() == 10.0F);
  t.pass(minutes(200));
  CHECK(t.ledger.take_labels().empty());
}

TEST_CASE("ledger: many who are forgotten leave one by one, each in time") {
  Town t;
  const Capacity big{CapacityKind::kSeats, 1e6, minutes(0)};
  t.ledger.set_item(kCafe, big, minutes(10080));
  const int people = 20000;
  for (int n = 0; n < people; ++n) {
    t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now() - minutes(n * 7 % 1000));
    t.ledger.forget(kAnn);
  }
  CHECK(t.ledger.book(kCafe).taken == people);
  t.pass(minutes(10080 - 1000));
  CHECK(t.ledger.book(kCafe).taken == people);
  for (int left = 999; left >= 0; --left) {
    t.pass(minutes(1));
    if (t.ledger.book(kCafe).taken != left * (people / 1000)) FAIL("after " << left);
  }
}

TEST_CASE("ledger: time that begins anew leaves only what is sold") {
  Town t;
  const auto id = t.show(kAnn, 1);
  t.ledger.follow(kAnn, id, kShop, {}, t.ledger.now());
  t.ledger.follow(kAnn, id, kTour, {}, t.ledger.now());
  t.ledger.take_labels();
  t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now());
  t.ledger.arrive(kBen, kTour, {}, t.ledger.now());
  t.ledger.forget(kBen);
  t.show(kBen, 2);
  t.ledger.begin_anew();
  CHECK(t.ledger.idle(kAnn));
  CHECK(t.ledger.idle(kBen));
  CHECK(t.ledger.idle(kPark));
  CHECK(t.ledger.take_labels().empty());
  CHECK(t.cafe() == 10.0F);
  CHECK(t.tour() == 10.0F);
  CHECK(t.shop() == 9.0F);
  t.ledger.advance(kNoon - std::chrono::days(3000));
  t.ledger.arrive(kAnn, kCafe, {}, t.ledger.now());
  CHECK(t.cafe() == 9.0F);
  t.pass(minutes(45));
  CHECK(t.cafe() == 10.0F);
  CHECK(t.ledger.take_labels().empty());
}

TEST_CASE("ledger: a list that nobody asked for gives a label only if it was seen") {
  for (const bool seen : {false, true}) {
    Town t;
    const HeldPlace places[] = {{kCafe, 0.5F}};
    t.ledger.show(kAnn, list_id(1), 1, places, t.ledger.now(), false);
    if (seen) CHECK(t.ledger.seen(kAnn, list_id(1)));
    t.pass(minutes(150));
    CHECK(t.ledger.take_labels().size() == (seen ? 1 : 0));
  }
}

TEST_CASE("ledger: of many lists of one user the oldest is final early") {
  Town t;
  const auto polls = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t n = from; n <= to; ++n) {
      t.ledger.replace(kAnn, t.ledger.now());
      t.show(kAnn, n);
    }
  };
  polls(1, 2);
  t.ledger.follow(kAnn, list_id(2), kShop, {}, t.ledger.now());
  t.ledger.take_labels();
  polls(3, kMostLists);
  CHECK(t.ledger.take_labels().empty());
  polls(kMostLists + 1, kMostLists + 1);
  const auto labels = t.ledger.take_labels();
  REQUIRE(labels.size() == 1);
  CHECK(labels[0].list == list_id(1));
  CHECK_FALSE(labels[0].followed);
  CHECK(t.ledger.places(kAnn, list_id(1)).empty());
  polls(kMostLists + 2, 1000);
  CHECK(t.ledger.take_labels().size() == 1000 - kMostLists - 1);
  CHECK(t.ledger.book(kPark).held == Approx(0.1).margin(1e-6));
  // Someone is awaited by the second.
  t.pass(minutes(61));
  CHECK(t.ledger.arrive(kAnn, kShop, {}, t.ledger.now()).list == list_id(2));
  polls(1001, 1001);
  CHECK(t.ledger.places(kAnn, list_id(2)).empty());
  t.pass(minutes(200));
  CHECK(t.ledger.idle(kAnn));
  CHECK(t.ledger.idle(kPark));
}

TEST_CASE("ledger: holds are known by age") {
  Town t;
  t.show(kAnn, 1);
  CHECK(t.ledger.book(kCafe).held_by_age[0] == 0.5);
  CHECK(t.ledger.book(kCafe).squares_by_age[0] == 0.25);
  t.pass(minutes(12));
  t.show(kBen, 2);
  CHECK(t.ledger.book(kCafe).held_by_age[0] == 0.5);
  CHECK(t.ledger.book(kCafe).held_by_age[2] == 0.5);
  t.ledger.replace(kAnn, t.ledger.now());
  CHECK(t.ledger.book(kCafe).held_by_age[2] == 0.0);
  CHECK(t.ledger.book(kCafe).squares_by_age[2] == 0.0);
}

TEST_CASE("ledger: the fuller a place, the more often who is sent finds it full, up to the risk") {
  RowWatch watch;
  Ledger ledger{{.rule = RoomRule::kAhead, .risk = 0.1F}, watch};
  ledger.advance(kNoon);
  ledger.set_item(kCafe, Capacity{CapacityKind::kSeats, 10, minutes(0)}, minutes(45));
  ledger.set_item(kPark, {}, {});
  CHECK(ledger.crowded(kPark) == 0.0F);
  float before = ledger.crowded(kCafe);
  CHECK(before < 0.001F);
  for (std::uint32_t guest = 0; ledger.room(kCafe) > 0.0F; ++guest) {
    REQUIRE(guest < 20);
    ledger.arrive(UserIx{guest}, kCafe, 1, kNoon);
    const float now = ledger.crowded(kCafe);
    CHECK(now > before);
    before = now;
  }
  CHECK(before == Approx(0.1));
  Town plain;
  plain.show(kAnn, 1);
  CHECK(plain.ledger.crowded(kCafe) == 0.0F);
}

TEST_CASE("ledger: deadlines that moved are not kept for ever") {
  Deadlines deadlines;
  const Time far = kNoon + std::chrono::hours(1000);
  for (int n = 0; n < 100000; ++n) {
    deadlines.ask({RowKind::kUser, static_cast<std::uint32_t>(n % 10)}, far - minutes(n));
  }
  CHECK(deadlines.size() < 200);
  Time last{};
  int valid = 0;
  while (const auto due = deadlines.pop(Time::max())) {
    CHECK(due->at >= last);
    last = due->at;
    ++valid;
  }
  CHECK(valid == 10);
}

}  // namespace
}  // namespace headroom
