#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headroom/base/lanes.hpp"

namespace headroom {

// The gradients of a mini-batch, summed for each row that it touches.
class GradientSums {
 public:
  explicit GradientSums(std::size_t padded) : padded_(padded) {}

  // `gradient`: as FactorRows::step takes it.
  template <class Gradient>
  void add(std::size_t row, const Gradient& gradient) {
    if (row >= slots_.size()) slots_.resize(row + 1);
    if (slots_[row] == 0) {
      rows_.push_back(row);
      sums_.resize(sums_.size() + padded_);
      slots_[row] = rows_.size();
    }
    float* sum = sums_.data() + (slots_[row] - 1) * padded_;
    for (std::size_t k = 0; k < padded_; k += kLanes) store(sum + k, load(sum + k) + gradient(k));
  }

  // Calls visit(row, its gradient) for each row, and begins anew.
  template <class Visit>
  void drain(const Visit& visit) {
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const float* sum = sums_.data() + n * padded_;
      visit(rows_[n], [=](std::size_t k) { return load(sum + k); });
      slots_[rows_[n]] = 0;
    }
    rows_.clear();
    sums_.clear();
  }

 private:
  std::size_t padded_;
  std::vector<std::size_t> slots_;  // by row, 0: not touched, else one more than its place in rows_
  std::vector<std::size_t> rows_;
  AlignedFloats sums_;
};

}  // namespace headroom
