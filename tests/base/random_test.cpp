#include "headroom/base/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace headroom;

namespace {

using Block = std::array<std::uint32_t, 4>;

std::vector<std::uint32_t> first_bits(Draws draws, std::size_t count = 16) {
  std::vector<std::uint32_t> bits;
  for (std::size_t n = 0; n < count; ++n) bits.push_back(draws.bits());
  return bits;
}

// Chi-square against equal chances, in standard deviations from what it is expected to be.
double chi_square_deviations(const std::vector<std::size_t>& counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0UL));
  const double expected = total / static_cast<double>(counts.size());
  double chi = 0.0;
  for (const std::size_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    chi += off * off / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (chi - freedom) / std::sqrt(2.0 * freedom);
}

}  // namespace

TEST_CASE("philox 4x32-10 gives the published answers") {
  CHECK(philox(0, {0, 0, 0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox(0xffffffffffffffff, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  // The key's first word is its low half.
  CHECK(philox(0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("draws go on through the blocks of their place without repeating one") {
  const auto bits = first_bits(Draws(7, Purpose::kSplit, 9), 4000);
  CHECK(std::set(bits.begin(), bits.end()).size() == bits.size());
  const Block second = philox(7, {1, static_cast<std::uint32_t>(Purpose::kSplit), 9, 0});
  CHECK(std::equal(second.begin(), second.end(), bits.begin() + 4));
}

TEST_CASE("the same seed, purpose and place give the same draws; any other differs") {
  const auto base = first_bits(Draws(1, Purpose::kSplit, 5));
  CHECK(first_bits(Draws(1, Purpose::kSplit, 5)) == base);
  CHECK(first_bits(Draws(2, Purpose::kSplit, 5)) != base);
  CHECK(first_bits(Draws(1 + (1ULL << 32), Purpose::kSplit, 5)) != base);
  CHECK(first_bits(Draws(1, Purpose::kSplit, 6)) != base);
  CHECK(first_bits(Draws(1, Purpose::kSplit, 5 + (1ULL << 32))) != base);

  std::set<std::uint32_t> firsts;
  const auto purposes = {Purpose::kSplit,     Purpose::kNegatives, Purpose::kUserStart,
                         Purpose::kItemStart, Purpose::kSpread,    Purpose::kWorld};
  for (const Purpose purpose : purposes) {
    for (std::uint64_t place = 0; place < 1000; ++place) {
      const auto bits = first_bits(Draws(1, purpose, place), 2);
      firsts.insert(bits.begin(), bits.end());
    }
  }
  // 12,000 words of 32 bits: 0.02 repeats are expected.
  CHECK(firsts.size() > 2 * 1000 * purposes.size() - 3);
}

TEST_CASE("below stays below its bound and gives every number the same chance") {
  for (const std::uint32_t bound : {1U, 2U, 3U, 7U, 100U}) {
    Draws draws(11, Purpose::kWorld, bound);
    std::vector<std::size_t> counts(bound);
    for (int n = 0; n < 100'000; ++n) {
      const std::uint32_t drawn = draws.below(bound);
      REQUIRE(drawn < bound);
      ++counts[drawn];
    }
    if (bound == 1) continue;
    INFO("bound = " << bound);
    CHECK(std::fabs(chi_square_deviations(counts)) < 4.0);
  }
}

TEST_CASE("below is unbiased where a plain multiplication is not") {
  // Of 2^32 words, 3/4 of 2^32 numbers: without rejection every third number has twice the chance.
  constexpr std::uint32_t kBound = 3U << 30;
  Draws draws(12, Purpose::kWorld, 0);
  std::vector<std::size_t> remainders(3);
  for (int n = 0; n < 90'000; ++n) {
    const std::uint32_t drawn = draws.below(kBound);
    REQUIRE(drawn < kBound);
    ++remainders[drawn % 3];
  }
  CHECK(std::fabs(chi_square_deviations(remainders)) < 4.0);
}

TEST_CASE("uniform lies in [0, 1) with the moments and the bins of the uniform distribution") {
  Draws draws(13, Purpose::kWorld, 0);
  constexpr int kCount = 200'000;
  double total = 0.0, squares = 0.0, neighbours = 0.0, last = 0.5;
  std::vector<std::size_t> bins(64);
  for (int n = 0; n < kCount; ++n) {
    const double u = draws.uniform();
    REQUIRE(u >= 0.0);
    REQUIRE(u < 1.0);
    ++bins[static_cast<std::size_t>(u * 64.0)];
    total += u;
    squares += u * u;
    neighbours += (u - 0.5) * (last - 0.5);
    last = u;
  }
  // Bounds are 4 standard deviations.
  CHECK(std::fabs(total / kCount - 1.0 / 2) < 4.0 * std::sqrt(1.0 / 12 / kCount));
  CHECK(std::fabs(squares / kCount - 1.0 / 3) < 4.0 * std::sqrt(4.0 / 45 / kCount));
  CHECK(std::fabs(neighbours / kCount) < 4.0 * std::sqrt(1.0 / 144 / kCount));
  CHECK(std::fabs(chi_square_deviations(bins)) < 4.0);
}

TEST_CASE("normal has the moments and the tails of the standard normal distribution") {
  Draws draws(14, Purpose::kWorld, 0);
  constexpr int kCount = 200'000;
  double m1 = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0, beyond_2 = 0.0;
  for (int n = 0; n < kCount; ++n) {
    const double z = draws.normal();
    REQUIRE(std::isfinite(z));
    m1 += z / kCount;
    m2 += z * z / kCount;
    m3 += z * z * z / kCount;
    m4 += z * z * z * z / kCount;
    beyond_2 += std::fabs(z) > 2.0 ? 1.0 / kCount : 0.0;
  }
  // Variances of z, z^2, z^3, z^4 are 1, 2, 15, 96.
  CHECK(std::fabs(m1) < 4.0 * std::sqrt(1.0 / kCount));
  CHECK(std::fabs(m2 - 1.0) < 4.0 * std::sqrt(2.0 / kCount));
  CHECK(std::fabs(m3) < 4.0 * std::sqrt(15.0 / kCount));
  CHECK(std::fabs(m4 - 3.0) < 4.0 * std::sqrt(96.0 / kCount));
  CHECK(std::fabs(beyond_2 - 0.0455) < 0.002);
}

TEST_CASE("shuffle_first draws without replacement and keeps the rest") {
  for (const std::size_t count : {0, 1, 4, 10}) {
    std::vector<int> values(10);
    std::iota(values.begin(), values.end(), 0);
    const auto before = values;
    Draws(3, Purpose::kWorld, count).shuffle_first(std::span(values), count);
    if (count == 0) CHECK(values == before);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == before);
  }
  std::vector<int> nothing;
  Draws(3, Purpose::kWorld, 0).shuffle_first(std::span(nothing), 0);
  CHECK(nothing.empty());
}

TEST_CASE("shuffle_first gives every ordered draw the same chance") {
  std::map<std::pair<int, int>, std::size_t> counts;
  for (std::uint64_t place = 0; place < 40'000; ++place) {
    std::vector<int> values = {0, 1, 2, 3, 4};
    Draws(4, Purpose::kWorld, place).shuffle_first(std::span(values), 2);
    ++counts[{values[0], values[1]}];
  }
  REQUIRE(counts.size() == 20);
  std::vector<std::size_t> list;
  for (const auto& [pair, count] : counts) list.push_back(count);
  CHECK(std::fabs(chi_square_deviations(list)) < 4.0);
}
