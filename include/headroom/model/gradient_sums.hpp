#pragma once

#include <cstddef>
#include <vector>

#include "headroom/base/lanes.hpp"

namespace headroom {

// The gradients of a mini-batch, summed for each row that it touches.
class GradientSums {
 public:
  explicit GradientSums(std::size_t width) : width_(width) {}

  // Adds factor * x to the row's gradient.
  void add(std::size_t row, const float* x, float factor) {
    if (row >= slots_.size()) slots_.resize(row + 1);
    if (slots_[row] == 0) {
      rows_.push_back(row);
      sums_.resize(sums_.size() + width_);
      slots_[row] = rows_.size();
    }
    float* const sum = sums_.data() + (slots_[row] - 1) * width_;
    for (std::size_t k = 0; k < width_; ++k) sum[k] += factor * x[k];
  }

  // Calls visit(row, its gradient) for each row, and begins anew.
  template <class Visit>
  void drain(const Visit& visit) {
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      visit(rows_[n], static_cast<const float*>(sums_.data() + n * width_));
      slots_[rows_[n]] = 0;
    }
    rows_.clear();
    sums_.clear();
  }

 private:
  std::size_t width_;
  std::vector<std::size_t> slots_;  // by row, 0: not touched, else one more than its place in rows_
  std::vector<std::size_t> rows_;
  AlignedFloats sums_;
};

}  // namespace headroom
