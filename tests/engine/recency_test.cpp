#include "headroom/engine/recency.hpp"

#include <list>
#include <random>

#include "support/catch.hpp"

namespace headroom {
namespace {

TEST_CASE("recency: the row seen longest ago comes first") {
  Recency<UserIx> recency;
  CHECK(recency.empty());
  for (const std::uint32_t row : {4U, 2U, 9U, 4U}) recency.touch(UserIx{row});
  CHECK(recency.oldest() == UserIx{2});
  recency.remove(UserIx{2});
  CHECK(recency.oldest() == UserIx{9});
  recency.remove(UserIx{4});  // the newest
  recency.touch(UserIx{1});
  recency.remove(UserIx{9});
  CHECK(recency.oldest() == UserIx{1});
  recency.remove(UserIx{1});
  CHECK(recency.empty());
}

TEST_CASE("recency: as a plain list through random sights, and after loading in any order") {
  std::mt19937_64 random(1);
  Recency<ItemIx> recency;
  std::list<std::uint32_t> naive;  // oldest first
  for (int n = 0; n < 20000; ++n) {
    const auto row = static_cast<std::uint32_t>(random() % 300);
    const auto known = std::find(naive.begin(), naive.end(), row);
    if (known != naive.end()) naive.erase(known);
    if (random() % 4 != 0) {
      recency.touch(ItemIx{row});
      naive.push_back(row);
      if (recency.sight(ItemIx{row}) != recency.sights()) FAIL("the newest sight at " << n);
    } else if (known != naive.end()) {
      recency.remove(ItemIx{row});
    }
    if (recency.empty() != naive.empty()) FAIL("empty at " << n);
    if (!naive.empty() && recency.oldest() != ItemIx{naive.front()}) FAIL("oldest at " << n);
    if (n % 1000 != 0) continue;
    std::vector<std::pair<std::uint64_t, ItemIx>> rows;
    for (const auto seen : naive) rows.emplace_back(recency.sight(ItemIx{seen}), ItemIx{seen});
    std::shuffle(rows.begin(), rows.end(), random);
    Recency<ItemIx> other;
    other.touch(ItemIx{7});  // what was there is gone
    other.restore(rows, recency.sights());
    recency = other;
  }
  while (!naive.empty()) {
    REQUIRE(recency.oldest() == ItemIx{naive.front()});
    recency.remove(recency.oldest());
    naive.pop_front();
  }
  CHECK(recency.empty());
}

}  // namespace
}  // namespace headroom
