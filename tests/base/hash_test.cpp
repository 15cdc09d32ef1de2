#include "headroom/base/hash.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "support/catch.hpp"
#include "support/numbered.hpp"

namespace headroom {
namespace {

using Halves = std::pair<std::uint64_t, std::uint64_t>;

Halves halves(std::string_view text) {
  const Hash128 hash = hash128(text);
  return {hash.high, hash.low};
}

TEST_CASE("hash: texts of one repeated byte, of all lengths, are all different") {
  std::set<std::uint64_t> narrow, low, high;
  std::size_t texts = 1;
  narrow.insert(hash64(""));
  low.insert(halves("").second);
  high.insert(halves("").first);
  for (const char byte : {'\0', '\1', 'a', '\x7F', '\xFF'}) {
    for (std::size_t length = 1; length <= 300; ++length, ++texts) {
      const std::string text(length, byte);
      narrow.insert(hash64(text));
      high.insert(halves(text).first);
      low.insert(halves(text).second);
    }
  }
  CHECK(narrow.size() == texts);
  CHECK(high.size() == texts);  // each half is a hash of its own
  CHECK(low.size() == texts);
}

TEST_CASE("hash: numbered names do not collide, and spread over a small table") {
  std::set<std::uint64_t> hashes;
  std::array<int, 1024> slots{};
  constexpr int kNames = 200'000;
  for (int n = 0; n < kNames; ++n) {
    const auto hash = hash64(test::numbered("user-", n));
    hashes.insert(hash);
    ++slots[hash % slots.size()];
  }
  CHECK(hashes.size() == kNames);
  const double mean = static_cast<double>(kNames) / static_cast<double>(slots.size());
  for (const int count : slots) {
    if (std::abs(count - mean) > 7 * std::sqrt(mean)) FAIL("a slot has " << count);
  }
}

TEST_CASE("hash: every bit of every length matters, about half of the bits each time") {
  for (std::size_t length = 1; length <= 40; ++length) {
    std::string text(length, 'x');
    const Hash128 before = hash128(text);
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
      const Hash128 after = hash128(text);
      const int flipped =
          std::popcount(before.high ^ after.high) + std::popcount(before.low ^ after.low);
      if (flipped < 30 || flipped > 98) {
        FAIL("length " << length << ", bit " << bit << ": " << flipped << " bits differ");
      }
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    }
  }
}

// The store has hashes in it: another function needs another store version.
TEST_CASE("hash: the values do not change") {
  CHECK(hash64("") == hash64({}));
  CHECK(hash64("u1") == 8112497514361492622ULL);
  CHECK(hash128("e-1").high == 13972833662625440885ULL);
  CHECK(hash128("a text of more than eight bytes").low == 7459605251481945624ULL);
}

}  // namespace
}  // namespace headroom
