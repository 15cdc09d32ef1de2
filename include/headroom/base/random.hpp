#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

namespace headroom {

// What a random number is for. Each purpose has numbers of its own under one seed.
enum class Purpose : std::uint32_t {
  kSplit = 1,
  kNegatives,
  kUserStart,
  kItemStart,
  kSpread,
  kWorld,
  kJudge,
  kOrder,
  kHistoryStart,
  kCalibration,
  kPressure,
  kUsage,
  kAudit
};

// Philox 4x32 with 10 rounds (Salmon et al., 2011): a pure function from a key and a counter to
// 128 random bits, so that no generator has state and every draw can be repeated by its place.
inline std::array<std::uint32_t, 4> philox(std::uint64_t key,
                                           std::array<std::uint32_t, 4> counter) {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ k1,
               static_cast<std::uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return counter;
}

// The place of a user or item in one of several repeats.
inline std::uint64_t place_in_repeat(std::uint64_t repeat, std::uint64_t index) {
  return (repeat << 32) | index;
}

// The draws that belong to one place (a user, an item, an event) and purpose, one after another.
class Draws {
 public:
  // `part`: of a place that has several, below 2^24.
  Draws(std::uint64_t seed, Purpose purpose, std::uint64_t place, std::uint32_t part = 0)
      : seed_(seed),
        counter_{0, static_cast<std::uint32_t>(purpose) | part << 8U,
                 static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32)} {}

  std::uint32_t bits() {
    if (used_ == 4) {
      block_ = philox(seed_, counter_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  // Uniform in [0, 1).
  double uniform() {
    const std::uint64_t high = bits() >> 5, low = bits() >> 6;
    return static_cast<double>((high << 26) | low) * 0x1.0p-53;
  }
  // Uniform in [0, bound), without bias (Lemire, 2019). `bound` is at least 1.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{bits()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold)
        product = std::uint64_t{bits()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  // The first `count` places become a uniform draw without replacement, in random order.
  template <class T>
  void shuffle_first(std::span<T> values, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
      const auto left = static_cast<std::uint32_t>(values.size() - at);
      std::swap(values[at], values[at + below(left)]);
    }
  }

 private:
  std::uint64_t seed_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  std::size_t used_ = 4;
};

}  // namespace headroom
