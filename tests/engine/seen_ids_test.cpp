#include "headroom/engine/seen_ids.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "support/numbered.hpp"

namespace headroom {
namespace {

Hash128 id(std::uint64_t n) { return hash128(test::numbered("e-", n)); }

// All rows that were ever told to change, as the store would have them.
std::map<std::uint32_t, std::string> rows_of(const SeenIds& seen) {
  std::map<std::uint32_t, std::string> rows;
  for (std::uint32_t row = 0;; ++row) {
    ByteWriter to;
    if (!seen.save(row, to)) return rows;
    rows[row] = to.bytes();
  }
}

void load(SeenIds& seen, const std::map<std::uint32_t, std::string>& rows, std::uint64_t added) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {  // in another order
    ByteReader from(row->second);
    seen.load(row->first, from);
    REQUIRE(from.empty());
  }
  seen.restore(added);
}

TEST_CASE("seen ids: the number remembered is rounded up to whole rows") {
  RowWatch watch;
  CHECK(SeenIds(0, watch).most() == SeenIds::kRow);
  CHECK(SeenIds(1, watch).most() == SeenIds::kRow);
  CHECK(SeenIds(SeenIds::kRow, watch).most() == SeenIds::kRow);
  CHECK(SeenIds(SeenIds::kRow + 1, watch).most() == 2 * SeenIds::kRow);
}

TEST_CASE("seen ids: exactly the last ones are known, however often the ring wraps") {
  RowWatch watch;
  SeenIds seen(1000, watch);
  const std::uint64_t most = seen.most();
  CHECK_FALSE(seen.has(id(0)));
  for (std::uint64_t n = 0; n < 5 * most + 17; ++n) {
    if (seen.has(id(n))) FAIL(n << " is not there yet");
    seen.add(id(n));
    if (!seen.has(id(n))) FAIL(n << " was added");
    if (n >= most && seen.has(id(n - most))) FAIL(n - most << " should be gone");
    if (n + 1 >= most && !seen.has(id(n + 1 - most))) FAIL(n + 1 - most << " went too soon");
  }
  CHECK(seen.added() == 5 * most + 17);
}

// Ids whose slots are all the same: one long run that wraps around the end of the table.
TEST_CASE("seen ids: ids that share a slot are told apart, and leave one by one") {
  RowWatch watch;
  SeenIds seen(SeenIds::kRow, watch);
  std::mt19937_64 random(1);
  std::deque<Hash128> naive;
  for (int n = 0; n < 5000; ++n) {
    const std::uint64_t low = random() % 2 == 0 ? 1023 - random() % 3 : random() % 3;
    const Hash128 next{static_cast<std::uint64_t>(n), low | (random() << 20U)};
    seen.add(next);
    naive.push_back(next);
    if (naive.size() > seen.most()) {
      if (seen.has(naive.front())) FAIL("should be gone at " << n);
      naive.pop_front();
    }
    if (n % 97 == 0) {
      for (const Hash128& known : naive) REQUIRE(seen.has(known));
    }
  }
}

TEST_CASE("seen ids: rows that change are told, and loading them gives the same ring") {
  for (const std::uint64_t before : {0, 1, 255, 256, 257, 1000, 1024, 1025, 3333}) {
    RowWatch watch, other_watch;
    SeenIds seen(1000, watch), other(1000, other_watch);
    std::map<std::uint32_t, std::string> store;
    const auto checkpoint = [&] {
      watch.begin([&](RowKey key) {
        REQUIRE(key.kind == RowKind::kSeenIds);
        ByteWriter to;
        REQUIRE(seen.save(key.row, to));
        store[key.row] = to.bytes();
      });
      REQUIRE(watch.copy_some(1000));
    };
    for (std::uint64_t n = 0; n < before; ++n) {
      seen.add(id(n));
      if (n % 400 == 0) checkpoint();
    }
    checkpoint();
    REQUIRE(store == rows_of(seen));
    load(other, store, seen.added());
    for (std::uint64_t n = before; n < before + 1500; ++n) {
      seen.add(id(n));
      other.add(id(n));
      if (n >= 1024 && other.has(id(n - 1024))) FAIL(n - 1024 << " should be gone");
    }
    CHECK(rows_of(seen) == rows_of(other));
    for (std::uint64_t n = 0; n < before + 1500; ++n) {
      if (seen.has(id(n)) != other.has(id(n))) FAIL("differ about " << n);
    }
  }
}

}  // namespace
}  // namespace headroom
