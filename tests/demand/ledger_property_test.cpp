#include <map>
#include <memory>
#include <string>

#include "demand/history.hpp"
#include "headroom/demand/ledger.hpp"
#include "support/catch.hpp"
#include "support/naive_book.hpp"

namespace headroom {
namespace {

using test::History;
using test::NaiveBook;
using test::Operation;

constexpr double kClose = 1e-3;  // of a seat, or of the room

UserIx user_ix(int user) { return UserIx{static_cast<std::uint32_t>(user)}; }
ItemIx item_ix(int item) { return ItemIx{static_cast<std::uint32_t>(item)}; }
std::optional<ItemIx> item_ix(std::optional<int> item) {
  return item ? std::optional(item_ix(*item)) : std::nullopt;
}

// What the allocator would do with the wishes: skip what does not fit, sometimes take all.
std::vector<HeldPlace> fitting(const Operation& op, const Ledger& ledger) {
  std::vector<HeldPlace> places;
  for (const auto& [item, share] : op.wishes) {
    const float room = ledger.room(item_ix(item));
    const float wish = static_cast<float>(share) * op.party.value_or(1);
    if (share < 0.0 && room > 0.0F && room < 1e6F) {
      // Of a list that holds more than its party `ahead` would think more than that may come.
      const bool now = ledger.book(item_ix(item)).rule == RoomRule::kNow;
      places.push_back({item_ix(item), now ? room : std::min<float>(room, op.party.value_or(1))});
    } else if (share >= 0.0 && wish <= room) {
      places.push_back({item_ix(item), wish});
    }
  }
  return places;
}

// Does it to the ledger and tells, as one number, what the ledger answered.
int apply(const Operation& op, std::span<const HeldPlace> places, Ledger& ledger) {
  const UserIx user = user_ix(op.user);
  switch (op.what) {
    case Operation::kAdvance:
      ledger.advance(op.at);
      return 0;
    case Operation::kSet:
      ledger.set_item(item_ix(*op.item), op.capacity, op.dwell);
      return 0;
    case Operation::kRemove:
      ledger.remove_item(item_ix(*op.item));
      return 0;
    case Operation::kShow: {
      const bool replaced = ledger.replace(user, op.at).has_value();
      ledger.show(user, op.list, op.party.value_or(1), places, op.at, op.exposed);
      return replaced;
    }
    case Operation::kReplace:
      return ledger.replace(user, op.at).has_value();
    case Operation::kFollow:
      return static_cast<int>(ledger.follow(user, op.list, item_ix(*op.item), op.party, op.at));
    case Operation::kIgnore:
      return ledger.ignore(user, op.list, item_ix(op.item), op.at);
    case Operation::kSeen:
      return ledger.seen(user, op.list);
    case Operation::kArrive: {
      const Arrived a = ledger.arrive(user, item_ix(*op.item), op.party, op.at);
      return a.organic + 2 * a.followed_list + 4 * a.renewed + 8 * a.left_already + 16 * a.party;
    }
    case Operation::kLeave:
      return ledger.leave(user, item_ix(*op.item), op.at);
    case Operation::kForget:
      ledger.forget(user);
      return 0;
  }
  return -1;
}

int apply(const Operation& op, std::span<const HeldPlace> places, NaiveBook& naive) {
  const auto party = op.party ? std::optional<int>(*op.party) : std::nullopt;
  switch (op.what) {
    case Operation::kAdvance:
      naive.advance(op.at);
      return 0;
    case Operation::kSet:
      naive.set(*op.item, op.capacity, op.dwell);
      return 0;
    case Operation::kRemove:
      naive.remove(*op.item);
      return 0;
    case Operation::kShow: {
      const bool replaced = naive.replace(op.user, op.at).has_value();
      std::vector<std::pair<int, float>> what;
      for (const auto& place : places) {
        what.emplace_back(static_cast<int>(place.item), place.seats);
      }
      naive.show(op.user, op.list, party.value_or(1), what, op.at, op.exposed);
      return replaced;
    }
    case Operation::kReplace:
      return naive.replace(op.user, op.at).has_value();
    case Operation::kFollow:
      return naive.follow(op.user, op.list, *op.item, party, op.at);
    case Operation::kIgnore:
      return naive.ignore(op.user, op.list, op.item, op.at);
    case Operation::kSeen:
      return naive.seen(op.user, op.list);
    case Operation::kArrive: {
      const auto a = naive.arrive(op.user, *op.item, party, op.at);
      return a.organic + 2 * a.followed_list + 4 * a.renewed + 8 * a.left_already + 16 * a.party;
    }
    case Operation::kLeave:
      return naive.leave(op.user, *op.item, op.at);
    case Operation::kForget:
      naive.forget(op.user);
      return 0;
  }
  return -1;
}

// The ledger rounds each hold up by less than 1e-6, and looks up its quantiles in a table.
double allowed(double room) { return std::max(kClose, kClose * room); }
bool near(double a, double b) { return a == b || std::abs(a - b) <= allowed(b); }

// Empty if both books say the same of every item.
std::string difference(const Ledger& ledger, const NaiveBook& naive) {
  for (int j = 0; j < History::kItems; ++j) {
    const Book book = ledger.book(item_ix(j));
    double by_age = 0.0;
    for (const double held : book.held_by_age) by_age += held;
    const auto told = [&](const char* what, double is, double should) {
      return near(is, should) ? std::string()
                              : " item " + std::to_string(j) + " " + what + " " +
                                    std::to_string(is) + ", not " + std::to_string(should);
    };
    const std::string all =
        told("room", book.room, naive.room(j)) + told("taken", book.taken, naive.taken(j)) +
        told("on the way", book.on_way, naive.on_way(j)) + told("held", book.held, naive.held(j)) +
        told("held by age", by_age, naive.held(j)) +
        told("organic", static_cast<double>(book.organic),
             naive.items[static_cast<std::size_t>(j)].organic);
    if (!all.empty()) return all;
  }
  return {};
}

bool same_labels(const std::vector<Label>& labels, const std::vector<NaiveBook::Said>& said) {
  return std::equal(labels.begin(), labels.end(), said.begin(), said.end(),
                    [](const Label& a, const NaiveBook::Said& b) {
                      const int user = static_cast<int>(a.user);
                      return std::tie(user, a.followed, a.shown, a.list) == b.key();
                    });
}

struct Tally {
  std::uint64_t booked = 0, labels = 0, full = 0, violations = 0;
};

void take_levels(const Ledger& ledger, NaiveBook& naive) {
  for (std::uint32_t j = 0; j < naive.levels.size(); ++j) naive.levels[j] = ledger.level(ItemIx{j});
}

// Runs both books through one history. The tally shows whether the history was worth its name.
Tally compare(RoomRule rule, std::uint64_t seed, std::uint64_t operations, std::uint64_t every) {
  INFO("rule " << static_cast<int>(rule) << " HEADROOM_SEED=" << seed
               << " HEADROOM_EVENTS=" << operations);
  const LedgerOptions options{.rule = rule};
  RowWatch watch;
  Ledger ledger(options, watch);
  NaiveBook naive(options.window, options.way, options.dwell, options.memory, History::kItems);
  naive.rule = rule;
  naive.risk = options.risk;
  naive.tables = &ledger.outlook();
  History history(seed);
  Tally tally;
  for (std::uint64_t n = 0; n < operations; ++n) {
    const Operation op = history.next();
    take_levels(ledger, naive);
    const auto places = fitting(op, ledger);
    for (const HeldPlace& place : places) {
      ++tally.booked;
      const double room = naive.room(static_cast<int>(place.item));
      tally.violations += place.seats > room + allowed(room);
    }
    const int told = apply(op, places, ledger), should = apply(op, places, naive);
    if (op.what == Operation::kAdvance) {
      const auto labels = ledger.take_labels();
      tally.labels += labels.size();
      const bool same = same_labels(labels, naive.said);
      naive.said.clear();
      if (!same) FAIL("labels differ at operation " << n);
    }
    if (told != should) FAIL("operation " << n << " gave " << told << ", not " << should);
    if (n % every != 0) continue;
    take_levels(ledger, naive);
    const std::string differs = difference(ledger, naive);
    if (!differs.empty()) FAIL("after operation " << n << " (" << op.what << "):" << differs);
    for (const float room : ledger.rooms()) tally.full += room == 0.0F;
  }
  CHECK(tally.violations == 0);
  return tally;
}

TEST_CASE("the ledger agrees with a naive book through random histories") {
  const auto rule = GENERATE(RoomRule::kNow, RoomRule::kAhead);
  const auto operations = test::setting("HEADROOM_EVENTS", 50000);
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  if (const auto seed = test::setting("HEADROOM_SEED", 0)) seeds = {seed};
  for (const auto seed : seeds) {
    const Tally tally =
        compare(rule, seed, operations / seeds.size(), rule == RoomRule::kNow ? 1 : 5);
    CHECK(tally.booked > operations / seeds.size() / 4);
    CHECK(tally.labels > operations / seeds.size() / 100);
    CHECK(tally.full > 0);
  }
}

TEST_CASE("the ledger agrees with a naive book through a million operations", "[.long]") {
  const auto rule = GENERATE(RoomRule::kNow, RoomRule::kAhead);
  compare(rule, test::setting("HEADROOM_SEED", 4), test::setting("HEADROOM_EVENTS", 1000000), 7);
}

// --- Rows ---

using Rows = std::map<std::pair<int, int>, std::string>;  // (0 user, 1 item; index)

std::string bytes_of(const Ledger& ledger, RowKey key) {
  ByteWriter out;
  if (key.kind == RowKind::kUser) {
    ledger.save(UserIx{key.row}, out);
  } else {
    ledger.save(ItemIx{key.row}, out);
  }
  return out.bytes();
}

Rows all_rows(const Ledger& ledger) {
  Rows rows;
  for (int u = 0; u < History::kUsers; ++u) {
    rows[{0, u}] = bytes_of(ledger, {RowKind::kUser, static_cast<std::uint32_t>(u)});
  }
  for (int j = 0; j < History::kItems; ++j) {
    rows[{1, j}] = bytes_of(ledger, {RowKind::kItem, static_cast<std::uint32_t>(j)});
  }
  return rows;
}

// A new ledger of the same rows, loaded in another order.
std::unique_ptr<Ledger> reloaded(const Ledger& from, RowWatch& watch, History& draws) {
  auto to = std::make_unique<Ledger>(LedgerOptions{}, watch);
  const Rows rows = all_rows(from);
  std::vector<Rows::const_iterator> order;
  for (auto it = rows.begin(); it != rows.end(); ++it) order.push_back(it);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(draws.below(static_cast<int>(i)))]);
  }
  for (const auto& row : order) {
    ByteReader in(row->second);
    if (row->first.first == 0) {
      to->load(user_ix(row->first.second), in);
    } else {
      to->load(item_ix(row->first.second), in);
    }
    REQUIRE(in.empty());
  }
  ByteWriter clock;
  from.save_shared(clock);
  ByteReader in(clock.bytes());
  to->load_shared(in);
  watch.clear();
  return to;
}

bool same_rooms(const Ledger& a, const Ledger& b) {
  for (int j = 0; j < History::kItems; ++j) {
    const Book x = a.book(item_ix(j)), y = b.book(item_ix(j));
    if (x.room != y.room || x.held != y.held || x.held_by_age != y.held_by_age ||
        x.squares_by_age != y.squares_by_age || a.idle(item_ix(j)) != b.idle(item_ix(j))) {
      return false;
    }
  }
  return true;
}

TEST_CASE("a ledger that is saved and loaded goes on as if it never had been") {
  const auto seed = test::setting("HEADROOM_SEED", 5);
  const auto operations = test::setting("HEADROOM_EVENTS", 20000);
  INFO("HEADROOM_SEED=" << seed << " HEADROOM_EVENTS=" << operations);
  RowWatch watch, other_watch;
  Ledger straight(LedgerOptions{}, watch);
  auto resumed = std::make_unique<Ledger>(LedgerOptions{}, other_watch);
  History history(seed), draws(seed + 1);
  for (std::uint64_t n = 0; n < operations; ++n) {
    if (n % 500 == 499) resumed = reloaded(*resumed, other_watch, draws);
    const Operation op = history.next();
    const auto places = fitting(op, straight);
    const int told = apply(op, places, straight);
    if (told != apply(op, places, *resumed)) FAIL("another answer at operation " << n);
    if (!same_rooms(straight, *resumed)) FAIL("another room after operation " << n);
    const auto labels = straight.take_labels(), others = resumed->take_labels();
    const bool same = std::equal(labels.begin(), labels.end(), others.begin(), others.end(),
                                 [](const Label& a, const Label& b) {
                                   return a.user == b.user && a.list == b.list &&
                                          a.followed == b.followed && a.shown == b.shown;
                                 });
    if (!same) FAIL("another label at operation " << n);
    if (n % 100 == 0 && all_rows(straight) != all_rows(*resumed)) {
      FAIL("another row after operation " << n);
    }
  }
  CHECK(all_rows(straight) == all_rows(*resumed));
}

TEST_CASE("rows copied in slices while the ledger goes on are of one moment") {
  const auto seed = test::setting("HEADROOM_SEED", 6);
  INFO("HEADROOM_SEED=" << seed);
  RowWatch watch;
  Ledger ledger(LedgerOptions{}, watch);
  History history(seed);
  Rows store = all_rows(ledger), moment = store;
  bool under_way = false;
  for (int n = 0; n < 20000; ++n) {
    if (!under_way && n % 50 == 0) {
      moment = all_rows(ledger);
      watch.begin([&](RowKey key) {
        store[{static_cast<int>(key.kind), static_cast<int>(key.row)}] = bytes_of(ledger, key);
      });
      under_way = true;
    }
    const Operation op = history.next();
    const auto places = fitting(op, ledger);
    apply(op, places, ledger);
    if (under_way && watch.copy_some(2)) {
      under_way = false;
      if (store != moment) FAIL("a torn copy before operation " << n);
    }
  }
}

}  // namespace
}  // namespace headroom
