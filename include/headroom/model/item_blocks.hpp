#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headroom/base/kernels.hpp"
#include "headroom/base/lanes.hpp"

namespace headroom {

// Biases and vectors of all items once more, as whole catalogues are scored: in blocks of
// kBlockItems items, coordinate by coordinate, without the Adagrad sums that lie beside the rows.
// An item that moved writes its own column; until it is lined up again it is on the list of those
// that moved, so that learning does not pay for each of the many small steps.
class ItemBlocks {
 public:
  explicit ItemBlocks(std::size_t rank) : rank_(rank) {}

  std::size_t count() const { return floats_.size() / block_floats(rank_); }
  const float* block(std::size_t at) const { return floats_.data() + at * block_floats(rank_); }

  void resize(std::size_t items) {
    floats_.resize((items + kBlockItems - 1) / kBlockItems * block_floats(rank_));
    is_moved_.resize(items);
  }
  void move(std::size_t item) {
    if (is_moved_[item] != 0) return;
    is_moved_[item] = 1;
    moved_.push_back(static_cast<std::uint32_t>(item));
  }
  const std::vector<std::uint32_t>& moved() const { return moved_; }

  // Writes what moved: `weights(item)` and `bias(item)` of each. Items that are gone since are 0.
  template <class Weights, class Bias>
  void line_up(const Weights& weights, const Bias& bias) {
    for (std::size_t n = 0; n < moved_.size(); ++n) {
      const std::uint32_t item = moved_[n];
      if (n + kAhead < moved_.size()) fetch(moved_[n + kAhead]);
      const bool here = item < is_moved_.size();
      if (here) is_moved_[item] = 0;
      if (item / kBlockItems < count()) {
        put(item, here ? weights(item) : nullptr, here ? bias(item) : 0.0F);
      }
    }
    moved_.clear();
  }

 private:
  static constexpr std::size_t kAhead = 2;  // items whose columns are on their way to the cache

  float* column(std::size_t item) {
    return floats_.data() + item / kBlockItems * block_floats(rank_) + item % kBlockItems;
  }
  void fetch(std::size_t item) {
    if (item / kBlockItems >= count()) return;
    for (std::size_t k = 0; k <= rank_; ++k) __builtin_prefetch(column(item) + k * kBlockItems, 1);
  }
  void put(std::size_t item, const float* weights, float bias) {
    float* at = column(item);
    *at = bias;
    for (std::size_t k = 0; k < rank_; ++k) {
      at += kBlockItems;
      *at = weights == nullptr ? 0.0F : weights[k];
    }
  }

  std::size_t rank_;
  AlignedFloats floats_;
  std::vector<std::uint32_t> moved_;
  std::vector<std::uint8_t> is_moved_;  // by item
};

}  // namespace headroom
