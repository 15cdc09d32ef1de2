#include "headroom/rank/allot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/best_by_sorting.hpp"
#include "support/catch.hpp"

namespace headroom {
namespace {

constexpr auto kInfinity = std::numeric_limits<float>::infinity();

ItemIx item(std::size_t j) { return ItemIx{static_cast<std::uint32_t>(j)}; }

struct Town {
  RowWatch watch;
  Ledger ledger;
  std::vector<float> scores, prices, cutoffs;
  std::vector<std::uint8_t> offered;
  Calibration calibration;
  ChoiceModel choice;
  AllotRules rules{Policy::kGreedy, Holding::kWhole, 0.0F};

  explicit Town(RoomRule rule = RoomRule::kNow) : ledger{LedgerOptions{.rule = rule}, watch} {}

  void add(float score, std::optional<double> limit = {}, bool open = true) {
    std::optional<Capacity> capacity;
    if (limit) capacity = Capacity{CapacityKind::kSeats, *limit, {}};
    ledger.set_item(item(scores.size()), capacity, {});
    scores.push_back(score);
    offered.push_back(open ? 1 : 0);
  }
  Choice choose(float seats, std::size_t n) const { return choose(asking(seats, n)); }
  Choice choose(const Asking& who) const {
    const Terms terms({offered, ledger, calibration, choice, prices, cutoffs}, rules);
    return allot(who, terms, [&](std::size_t most, float share) {
      return test::best_by_sorting(who, terms, scores, most, share);
    });
  }
  static Asking asking(float seats, std::size_t n, bool may_hold = true) {
    return {kNobody, n, seats, may_hold, {}, false};
  }
};

std::vector<std::uint32_t> rows(const Choice& choice) {
  std::vector<std::uint32_t> all;
  for (const Pick& pick : choice.picks) all.push_back(static_cast<std::uint32_t>(pick.item));
  return all;
}

TEST_CASE("allot: the best that have room, best first") {
  Town town;
  town.add(1.0F, 5);
  town.add(4.0F, 0.4);       // too small
  town.add(3.0F);            // unlimited
  town.add(9.0F, 5, false);  // closed
  town.add(2.0F, 0.5);       // exactly
  town.add(3.0F, 5);         // as good as the third, and later
  const Choice choice = town.choose(0.5F, 3);
  CHECK(rows(choice) == std::vector<std::uint32_t>{2, 5, 4});
  const Choice all = town.choose(0.5F, 10);
  CHECK(rows(all) == std::vector<std::uint32_t>{2, 5, 4, 0});
  CHECK(all.offered == 5);
  CHECK(all.full == 1);
}

TEST_CASE("allot: who may hold no seat gets what has no capacity") {
  Town town;
  town.add(3.0F, 1e9);
  town.add(1.0F);
  town.add(2.0F);
  town.add(9.0F, {}, false);
  const Choice choice = town.choose(Town::asking(0.5F, 3, false));
  CHECK(rows(choice) == std::vector<std::uint32_t>{2, 1});
  CHECK(choice.offered == 3);
  CHECK(choice.full == 1);
}

TEST_CASE("allot: no items, no places") {
  Town town;
  CHECK(town.choose(0.5F, 10).picks.empty());
  town.add(1.0F);
  CHECK(town.choose(0.5F, 0).picks.empty());
}

TEST_CASE("allot: even a hold of nothing needs an item that may be offered") {
  Town town;
  town.add(1.0F, 0);
  CHECK(rows(town.choose(0.0F, 1)) == std::vector<std::uint32_t>{0});  // 0 <= 0
  CHECK(town.choose(1e-6F, 1).picks.empty());
}

// Every list that could be made, sorted: the rule as it stands.
TEST_CASE("allot: as sorting all that fits, with many equal scores") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    Town town;
    for (std::size_t j = 0, count = random() % 40; j < count; ++j) {
      const float score = static_cast<float>(random() % 7) - 3.0F;
      std::optional<double> limit;
      if (random() % 3 != 0) limit = static_cast<double>(random() % 8) / 4;
      town.add(random() % 20 == 0 ? -kInfinity : score, limit, random() % 5 != 0);
    }
    const float seats = static_cast<float>(random() % 8) / 4;
    const std::size_t n = random() % 12;
    std::vector<std::uint32_t> wanted;
    std::size_t offered = 0, full = 0;
    for (std::uint32_t j = 0; j < town.scores.size(); ++j) {
      if (town.offered[j] == 0) continue;
      ++offered;
      if (town.ledger.room(ItemIx{j}) >= seats) {
        wanted.push_back(j);
      } else {
        ++full;
      }
    }
    std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) {
      return town.scores[a] > town.scores[b];
    });
    wanted.resize(std::min(wanted.size(), n));
    const Choice choice = town.choose(seats, n);
    if (rows(choice) != wanted) FAIL("round " << round);
    if (wanted.size() < n && (choice.offered != offered || choice.full != full)) {
      FAIL("another reason in round " << round);
    }
  }
}

float price_of_chance(const Town& town, float score, float less) {
  return town.calibration.chance(score) - less;
}

TEST_CASE("allot: a price puts an item behind what is worth more without it") {
  Town town;
  town.rules.policy = Policy::kPrice;
  town.add(2.0F, 5);
  town.add(1.0F, 5);
  town.add(0.0F, 5);
  town.prices = {price_of_chance(town, 2.0F, 0.01F), 0.0F, 0.0F};
  const Choice choice = town.choose(0.5F, 2);
  CHECK(rows(choice) == std::vector<std::uint32_t>{1, 2});
  // A place that is left over is filled, at any price, and shown in the order of scores.
  const Choice all = town.choose(0.5F, 3);
  CHECK(rows(all) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(all.picks[0].price == town.prices[0]);
  CHECK(all.picks[0].chance == town.calibration.chance(2.0F));
}

TEST_CASE("allot: a price grows with what is used, by its steepness") {
  Town town;
  town.rules = {Policy::kPrice, Holding::kWhole, 2.0F};
  town.add(2.0F, 10);
  town.prices = {0.1F};
  const auto charged = [&] { return town.choose(0.5F, 1).picks.at(0).price; };
  CHECK(charged() == Approx(0.1 * std::exp(2.0 * -0.9)));
  const HeldPlace half{item(0), 5.0F};
  town.ledger.show(UserIx{1}, {0, 1, 1, 0}, 1, std::span(&half, 1), {});
  CHECK(charged() == Approx(0.1 * std::exp(2.0 * (0.5 - 0.9))));
}

TEST_CASE("allot: none and cutoff show what is full, but hold no more than there is") {
  Town town;
  town.add(3.0F, 0.25);
  town.add(2.0F, 0);
  town.add(1.0F);
  town.rules.policy = Policy::kNone;
  const Choice choice = town.choose(0.5F, 3);
  CHECK(rows(choice) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(choice.picks[0].held == 0.25F);
  CHECK(choice.picks[1].held == 0.0F);
  CHECK(choice.picks[2].held == 0.5F);
  town.rules.policy = Policy::kCutoff;
  town.cutoffs = {3.0F, 1.0F, 0.5F};
  const Choice above = town.choose(0.5F, 3);
  CHECK(rows(above) == std::vector<std::uint32_t>{1, 2});
  CHECK(above.offered == 3);
  CHECK(above.full == 1);
}

TEST_CASE("allot: places of a list share one party by the choice model") {
  Town town;
  town.rules.holding = Holding::kChoice;
  for (int n = 0; n < 4; ++n) town.add(static_cast<float>(4 - n), 5);
  const Choice choice = town.choose(0.8F, 4);
  REQUIRE(choice.picks.size() == 4);
  double sum = 0.0, norm = 0.0;
  for (int rank = 1; rank <= 4; ++rank) norm += std::pow(rank, -1.1);
  for (int rank = 1; rank <= 4; ++rank) {
    const Pick& pick = choice.picks[static_cast<std::size_t>(rank - 1)];
    CHECK(pick.held == Approx(0.8 * std::pow(rank, -1.1) / norm));
    sum += static_cast<double>(pick.held);
  }
  CHECK(sum == Approx(0.8));
}

TEST_CASE("allot: of two places alike prices take the one that is less likely to be full") {
  constexpr Time kNoon{std::chrono::hours(480012)};
  const auto first = [&](float full_cost) {
    Town town{RoomRule::kAhead};
    town.rules = {Policy::kPrice, Holding::kChoice, 0.5F, full_cost};
    town.add(1.001F, 10);
    town.add(1.0F, 10);
    town.prices = {0.0F, 0.0F};
    town.ledger.advance(kNoon);
    for (std::uint32_t guest = 0; guest < 4; ++guest) {
      town.ledger.arrive(UserIx{guest}, item(0), 1, kNoon);
    }
    return rows(town.choose(0.5F, 2)).front();
  };
  CHECK(first(0.0F) == 0);
  CHECK(first(1.0F) == 1);
}

// Against the rule as it stands: what is listed fits, what was dropped first would not have.
TEST_CASE("allot: with shares no place takes more than its room, and short lists have a reason") {
  std::mt19937_64 random(3);
  int shortened = 0, replaced = 0;
  for (int round = 0; round < 3000; ++round) {
    Town town;
    town.rules = {random() % 2 == 0 ? Policy::kGreedy : Policy::kPrice, Holding::kChoice, 0.5F};
    for (std::size_t j = 0, count = random() % 40; j < count; ++j) {
      std::optional<double> limit;
      if (random() % 4 != 0) limit = static_cast<double>(random() % 8) / 16;
      town.add(static_cast<float>(random() % 1000) / 250.0F - 2.0F, limit, random() % 5 != 0);
      town.prices.push_back(random() % 2 == 0 ? 0.0F : static_cast<float>(random() % 100) / 500.0F);
    }
    const float seats = static_cast<float>(1 + random() % 8) / 4;
    const std::size_t n = 1 + random() % 12;
    const Choice choice = town.choose(seats, n);
    std::vector<float> logits, shares(choice.picks.size());
    for (std::size_t at = 0; at < choice.picks.size(); ++at) {
      const Pick& pick = choice.picks[at];
      logits.push_back(town.calibration.logit(pick.score));
      const Pick& before = choice.picks[at > 0 ? at - 1 : 0];
      if (pick.chance - pick.price > before.chance - before.price) {
        FAIL("order in round " << round);
      }
      if (pick.held > town.ledger.room(pick.item)) FAIL("beyond the room in round " << round);
      if (town.offered[index(pick.item)] == 0) FAIL("closed in round " << round);
    }
    town.choice.shares(logits, shares);
    for (std::size_t at = 0; at < shares.size(); ++at) {
      if (choice.picks[at].held != seats * shares[at]) FAIL("another share in round " << round);
    }
    if (choice.picks.size() < n) {
      ++shortened;
      for (std::uint32_t j = 0; j < town.scores.size(); ++j) {
        if (town.offered[j] == 0 || town.ledger.room(item(j)) < seats) continue;
        const auto listed = rows(choice);
        if (std::count(listed.begin(), listed.end(), j) == 0) FAIL("kept back in round " << round);
      }
    } else if (rows(choice) != rows(town.choose(0.0F, n))) {
      ++replaced;
    }
  }
  CHECK(shortened > 100);
  CHECK(replaced > 100);
}

}  // namespace
}  // namespace headroom
