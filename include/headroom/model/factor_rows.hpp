#pragma once

#include <cstddef>

#include "headroom/base/bytes.hpp"
#include "headroom/base/kernels.hpp"
#include "headroom/base/lanes.hpp"
#include "headroom/base/random.hpp"

namespace headroom {

// A table of rows of weights, and one of their Adagrad sums. Rows are padded; the padding is 0 on
// both sides of every product, has no gradient and therefore stays 0.
class FactorRows {
 public:
  explicit FactorRows(std::size_t rank) : rank_(rank), padded_(padded_row(rank)) {}

  std::size_t rank() const { return rank_; }
  std::size_t padded() const { return padded_; }
  void resize(std::size_t rows) {
    weights_.resize(rows * padded_);
    squares_.resize(rows * padded_);
  }
  const float* weights(std::size_t row) const { return weights_.data() + row * padded_; }
  float* weights(std::size_t row) { return weights_.data() + row * padded_; }
  const float* squares(std::size_t row) const { return squares_.data() + row * padded_; }
  float* squares(std::size_t row) { return squares_.data() + row * padded_; }

  void start(std::size_t row, float deviation, float squares, Draws draws);
  void clear(std::size_t row);
  void step(std::size_t row, const float* gradient, Rate rate) {
    kernels().step(weights(row), squares(row), gradient, rate, padded_);
  }

  void save(std::size_t row, ByteWriter& to) const;
  void restore(std::size_t row, ByteReader& from);  // throws Error if the bytes are no such row

 private:
  std::size_t rank_, padded_;
  AlignedFloats weights_, squares_;
};

}  // namespace headroom
