#include "headroom/rank/allot.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "support/catch.hpp"

namespace headroom {
namespace {

constexpr auto kInfinity = std::numeric_limits<float>::infinity();

ItemIx item(std::size_t j) { return ItemIx{static_cast<std::uint32_t>(j)}; }

struct Town {
  RowWatch watch;
  Ledger ledger{LedgerOptions{}, watch};
  std::vector<float> scores;
  std::vector<std::uint8_t> offered;

  void add(float score, std::optional<double> limit = {}, bool open = true) {
    std::optional<Capacity> capacity;
    if (limit) capacity = Capacity{CapacityKind::kSeats, *limit, {}};
    ledger.set_item(item(scores.size()), capacity, {});
    scores.push_back(score);
    offered.push_back(open ? 1 : 0);
  }
  Choice choose(float seats, std::size_t n) const {
    return allot(scores, offered, ledger, seats, n);
  }
};

std::vector<std::uint32_t> rows(const Choice& choice) {
  std::vector<std::uint32_t> all;
  for (const Scored& pick : choice.picks) all.push_back(static_cast<std::uint32_t>(pick.item));
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
  const Choice choice = allot_unlimited(town.scores, town.offered, town.ledger, 3);
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

}  // namespace
}  // namespace headroom
