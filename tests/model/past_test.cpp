#include "headroom/model/past.hpp"

#include <algorithm>
#include <deque>

#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

namespace {

// The same in few words: what is there, oldest first.
void add(std::deque<ItemIx>& past, ItemIx item, std::size_t most) {
  past.erase(std::remove(past.begin(), past.end(), item), past.end());
  past.push_back(item);
  while (past.size() > most) past.pop_front();
}

std::size_t find(const std::deque<ItemIx>& past, ItemIx item) {
  return static_cast<std::size_t>(std::find(past.begin(), past.end(), item) - past.begin());
}

}  // namespace

TEST_CASE("a past finds what it has and nothing else, however much came and went") {
  constexpr std::size_t kMost = 100;
  constexpr std::uint32_t kItems = 400;
  Past past;
  std::deque<ItemIx> naive;
  Draws draws(1, Purpose::kWorld, 0);
  for (int n = 0; n < 3000; ++n) {
    const ItemIx item{draws.below(n % 3 == 0 ? 20 : kItems)};
    past.add(item, 1, kMost);
    add(naive, item, kMost);
    REQUIRE(past.size() == naive.size());
    for (int look = 0; look < 20; ++look) {
      const ItemIx wanted{draws.below(kItems)};
      REQUIRE(past.find(wanted) == find(naive, wanted));
    }
  }
  ByteWriter to;
  past.save(to);
  ByteReader from(to.bytes());
  Past loaded;
  loaded.load(from, kMost / 2);
  while (naive.size() > kMost / 2) naive.pop_front();
  for (std::uint32_t j = 0; j < kItems; ++j) {
    CHECK(loaded.find(ItemIx{j}) == find(naive, ItemIx{j}));
  }
}
