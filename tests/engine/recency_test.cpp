#include "headroom/engine/recency.hpp"

#include <map>
#include <random>
#include <set>

#include "support/catch.hpp"

namespace headroom {
namespace {

const auto kAll = [](auto) { return true; };

TEST_CASE("recency: the row seen longest ago comes first") {
  Recency<UserIx> recency;
  CHECK_FALSE(recency.longest_unseen(kAll));
  for (const std::uint32_t row : {4U, 2U, 9U, 4U}) recency.touch(UserIx{row});
  CHECK(recency.longest_unseen(kAll) == UserIx{2});
  recency.remove(UserIx{2});
  CHECK(recency.longest_unseen(kAll) == UserIx{9});
  recency.remove(UserIx{4});  // the newest
  recency.touch(UserIx{1});
  recency.remove(UserIx{9});
  CHECK(recency.longest_unseen(kAll) == UserIx{1});
  recency.remove(UserIx{1});
  CHECK_FALSE(recency.longest_unseen(kAll));
}

TEST_CASE("recency: who may not leave is asked once, until offered again") {
  Recency<UserIx> recency;
  for (std::uint32_t row = 0; row < 1000; ++row) recency.touch(UserIx{row});
  int asked = 0;
  bool all_stay = true;
  const auto may_leave = [&](UserIx user) {
    ++asked;
    return !all_stay || user == UserIx{7};
  };
  CHECK(recency.longest_unseen(may_leave) == UserIx{7});
  CHECK(asked == 8);
  recency.touch(UserIx{7});
  CHECK(recency.longest_unseen(may_leave) == UserIx{7});
  asked = 0;
  for (int n = 0; n < 100; ++n) recency.longest_unseen(may_leave);
  CHECK(asked == 100);
  all_stay = false;
  recency.offer(UserIx{3});  // comes in at its place
  recency.offer(UserIx{3});
  CHECK(recency.longest_unseen(may_leave) == UserIx{3});
  recency.remove(UserIx{3});
  CHECK(recency.longest_unseen(may_leave) == UserIx{7});
}

TEST_CASE("recency: as a plain search through random sights, and after loading in any order") {
  std::mt19937_64 random(1);
  Recency<ItemIx> recency;
  std::map<std::uint32_t, std::uint64_t> sights;
  std::set<std::uint32_t> stay;
  const auto may_leave = [&](ItemIx item) {
    return !stay.contains(static_cast<std::uint32_t>(item));
  };
  std::uint64_t left = 0, full = 0;
  for (int n = 0; n < 50000; ++n) {
    const auto row = static_cast<std::uint32_t>(random() % 300);
    const auto draw = random() % 10;
    if (draw < 5) {
      recency.touch(ItemIx{row});
      sights[row] = recency.sights();
    } else if (draw < 8) {
      stay.insert(row);
    } else if (draw < 9 && stay.erase(row) > 0 && sights.contains(row)) {
      recency.offer(ItemIx{row});
    } else if (draw == 9 && sights.erase(row) > 0) {
      recency.remove(ItemIx{row});
      stay.erase(row);  // the next one there is another
    }
    if (n % 1000 == 0) {
      std::vector<std::pair<std::uint64_t, ItemIx>> rows;
      for (const auto& [seen, sight] : sights) rows.emplace_back(sight, ItemIx{seen});
      std::shuffle(rows.begin(), rows.end(), random);
      Recency<ItemIx> other;
      other.touch(ItemIx{7});  // what was there is gone
      other.restore(rows, recency.sights());
      recency = other;
    }
    std::optional<ItemIx> oldest;
    for (const auto& [seen, sight] : sights) {
      const ItemIx item{seen};
      if (recency.sight(item) != sight) FAIL("another sight at " << n);
      if (may_leave(item) && (!oldest || sight < recency.sight(*oldest))) oldest = item;
    }
    if (recency.longest_unseen(may_leave) != oldest) FAIL("another leaves at " << n);
    if (!oldest) {
      ++full;
    } else if (random() % 20 == 0) {
      recency.remove(*oldest);
      sights.erase(static_cast<std::uint32_t>(*oldest));
      ++left;
    }
  }
  CHECK(left > 1000);
  CHECK(full < 40000);
}

}  // namespace
}  // namespace headroom
