#include "headroom/engine/clock.hpp"

#include "support/arrivals.hpp"
#include "support/catch.hpp"
#include "support/numbered.hpp"

namespace headroom {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr Time kNoon{hours(480012)};

struct Records {
  Batch batch;
  Records& add(Time at, const std::string& user) {
    batch.arrivals.push_back(test::arrival(at, "e", CheckIn{user, "i", 1.0F, {}}));
    return *this;
  }
  Records& item(Time at) {
    batch.arrivals.push_back(test::arrival(at, "e", ItemUpdate{}));
    return *this;
  }
  Time reference(std::optional<Time> previous) const {
    return headroom::reference(batch, previous, {.reached = previous.has_value(), .last = {}});
  }
  Time now() const { return event_now(batch, kNoon); }
};

// So many records at `at`, by so many users.
Records crowd(Time at, int records, int users) {
  Records all;
  for (int n = 0; n < records; ++n) all.add(at, test::numbered("u", n % users));
  return all;
}

TEST_CASE("clock: the reference is the last batch's time, or the first batch's median") {
  CHECK(Records().reference(kNoon) == kNoon);
  CHECK(Records().add(kNoon + days(3), "u").reference(kNoon) == kNoon);
  CHECK(Records().reference({}) == Time{});
  Records first;
  first.add(kNoon + days(40'000), "x").add(kNoon, "a").add(kNoon + minutes(2), "b");
  CHECK(first.reference({}) == kNoon + minutes(2));
  first.add(kNoon + minutes(1), "c");  // of an even number the earlier one
  CHECK(first.reference({}) == kNoon + minutes(1));
}

TEST_CASE("clock: now is the latest time that is believed, never before the reference") {
  CHECK(Records().now() == kNoon);
  CHECK(Records().add(kNoon - hours(1), "u").now() == kNoon);
  CHECK(Records().add(kNoon + hours(1), "u").add(kNoon, "u").now() == kNoon + hours(1));
  CHECK(Records().item(kNoon + hours(2)).now() == kNoon);  // items move no clock
  CHECK(Records().add(kNoon + kFarOff, "u").now() == kNoon + kFarOff);
  CHECK(Records().add(kNoon + kFarOff + milliseconds(1), "u").now() == kNoon);
}

TEST_CASE("clock: a jump counts only if ten records of three users agree") {
  const Time later = kNoon + days(30);
  CHECK(crowd(later, 10, 3).now() == later);
  CHECK(crowd(later, 9, 3).now() == kNoon);
  CHECK(crowd(later, 100, 2).now() == kNoon);
  CHECK(crowd(later, 8, 3).item(later).item(later).now() == kNoon);  // items have no say
  Records items;
  for (int n = 0; n < 20; ++n) items.item(later);
  CHECK(items.now() == kNoon);
}

TEST_CASE("clock: one record dated 2099 moves nothing, whatever else jumps") {
  const Time absurd = kNoon + days(27'000);
  CHECK(crowd(kNoon + minutes(5), 50, 9).add(absurd, "x").now() == kNoon + minutes(5));
  CHECK(crowd(kNoon + days(30), 50, 9).add(absurd, "x").now() == kNoon + days(30));
  auto nine = crowd(absurd, 9, 9);
  for (int n = 0; n < 12; ++n) nine.add(kNoon + days(60), test::numbered("v", n));
  CHECK(nine.now() == kNoon + days(60));
}

TEST_CASE("clock: who agrees is within seven days of the latest") {
  const Time later = kNoon + days(30);
  Records spread;
  for (int n = 0; n < 10; ++n) spread.add(later - hours(16 * n), test::numbered("u", n));
  CHECK(spread.now() == later);  // 9 * 16 hours are 6 days
  Records too_wide;
  for (int n = 0; n < 10; ++n) too_wide.add(later - days(n), test::numbered("u", n));
  CHECK(too_wide.now() == kNoon);
  // The users must be among those that agree.
  auto lonely = crowd(later, 12, 1);
  lonely.add(later - days(8), "b").add(later - days(8), "c");
  CHECK(lonely.now() == kNoon);
}

// Batches of one record each, as a clock that was not agreed on yet hears them.
struct Slow {
  Agreement agreement;
  std::optional<Time> now;
  bool hear(Time at, const std::string& user) {  // whether it is believed
    const auto batch = Records().add(at, user).batch;
    const Time judge = reference(batch, now, agreement);
    now = event_now(batch, judge);
    agreement.hear(batch);
    return at >= judge - kFarOff && at <= *now;
  }
};

TEST_CASE("clock: it stands once ten records of three users have agreed, over any batches") {
  Slow slow;
  for (int n = 0; n < 9; ++n) CHECK(slow.hear(kNoon + minutes(n), test::numbered("u", n)));
  CHECK_FALSE(slow.agreement.reached);
  CHECK(slow.agreement.last.size() == 9);
  CHECK(slow.hear(kNoon + minutes(9), "u"));
  CHECK(slow.agreement.reached);
  CHECK(slow.agreement.last.empty());
  for (int n = 0; n < 100; ++n) {
    CHECK_FALSE(slow.hear(kNoon - days(3000), test::numbered("u", n)));
    CHECK_FALSE(slow.hear(kNoon + days(3000), test::numbered("u", n)));
  }
  CHECK(*slow.now == kNoon + minutes(9));
}

TEST_CASE("clock: a first record that is wrong does not stop it, whichever way") {
  Slow future;
  CHECK(future.hear(kNoon + days(27'000), "x"));
  CHECK(*future.now == kNoon + days(27'000));
  CHECK(future.hear(kNoon, "a"));  // of two the earlier one
  CHECK(*future.now == kNoon);
  Slow past;
  CHECK(past.hear(kNoon - days(12'000), "x"));
  CHECK_FALSE(past.hear(kNoon, "a"));
  CHECK(past.hear(kNoon + minutes(1), "b"));  // two against one
  CHECK(*past.now == kNoon + minutes(1));
  for (auto* slow : {&future, &past}) {
    for (int n = 2; n < 30; ++n) CHECK(slow->hear(kNoon + minutes(n), test::numbered("u", n % 4)));
    CHECK(slow->agreement.reached);
    CHECK(*slow->now == kNoon + minutes(29));
  }
}

TEST_CASE("clock: one voice alone never agrees, but one record does not move it either") {
  Slow slow;
  for (int n = 0; n < 100; ++n) CHECK(slow.hear(kNoon + minutes(n), "u"));
  CHECK_FALSE(slow.agreement.reached);
  CHECK(slow.agreement.last.size() == Agreement::kMost);
  CHECK_FALSE(slow.hear(kNoon + days(27'000), "x"));
  CHECK_FALSE(slow.hear(kNoon - days(27'000), "x"));
  CHECK(*slow.now == kNoon + minutes(99));
  // A batch of items only says nothing.
  CHECK(reference(Records().item(kNoon).batch, kNoon + days(99), slow.agreement) ==
        kNoon + days(99));
  ByteWriter bytes;
  slow.agreement.save(bytes);
  ByteReader from(bytes.bytes());
  Agreement loaded;
  loaded.load(from);
  CHECK(loaded.last.size() == slow.agreement.last.size());
  CHECK(loaded.last.back().at == slow.agreement.last.back().at);
}

// A file of years in one batch: no record is far from its neighbours.
TEST_CASE("clock: long histories are believed from their start to their end") {
  Records years;
  for (int n = 0; n < 20'000; ++n) years.add(kNoon + hours(n), test::numbered("u", n % 5));
  CHECK(years.now() == kNoon + hours(19'999));
  CHECK(years.reference({}) == kNoon);
  years.add(kNoon - days(3'000), "x").item(kNoon - days(9'000));
  CHECK(years.reference({}) == kNoon);  // one lonely record is not the start
}

// Twenty thousand records of one user say nothing, and cost little.
TEST_CASE("clock: one voice, however loud, is not a crowd") {
  CHECK(crowd(kNoon + days(30), 20'000, 1).now() == kNoon);
}

}  // namespace
}  // namespace headroom
