#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "headroom/base/bytes.hpp"
#include "headroom/base/lanes.hpp"
#include "headroom/base/random.hpp"
#include "headroom/model/adagrad.hpp"

namespace headroom {

// Rows of weights, each followed by its Adagrad sums: at rank 16 a row is two cache lines side by
// side, and an event touches no others of it. Weights are padded to whole registers; the padding is
// 0 on both sides of every product, has no gradient and therefore stays 0.
class FactorRows {
 public:
  explicit FactorRows(std::size_t rank)
      : rank_(rank), padded_((rank + kLanes - 1) / kLanes * kLanes) {}

  std::size_t rank() const { return rank_; }
  std::size_t padded() const { return padded_; }
  void resize(std::size_t rows) { data_.resize(rows * stride()); }
  const float* weights(std::size_t row) const { return data_.data() + row * stride(); }
  const float* squares(std::size_t row) const { return weights(row) + padded_; }

  void start(std::size_t row, float deviation, float squares, Draws draws);
  void clear(std::size_t row);

  // One Adagrad step of a row; `gradient` is a function from a coordinate to the register of
  // gradients that begins there. False, and the row is as before, if it would not stay finite. A
  // weight moves by at most Adagrad's step, so that only the sums can leave the range.
  template <class Gradient>
  bool step(std::size_t row, const Adagrad& adagrad, const Gradient& gradient) {
    float* at = data_.data() + row * stride();
    Lanes after{};
    for (std::size_t k = 0; k < padded_; k += kLanes) {
      const Lanes g = gradient(k);
      after += load(at + padded_ + k) + g * g;
    }
    if (!std::isfinite(sum(after))) return false;
    for (std::size_t k = 0; k < padded_; k += kLanes) {
      Lanes weight = load(at + k), squares = load(at + padded_ + k);
      adagrad.move(weight, squares, gradient(k));
      store(at + k, weight);
      store(at + padded_ + k, squares);
    }
    return true;
  }

  void save(std::size_t row, ByteWriter& to) const;
  void restore(std::size_t row, ByteReader& from);  // throws Error if the bytes are no such row

 private:
  std::size_t stride() const { return 2 * padded_; }

  std::size_t rank_, padded_;
  AlignedFloats data_;
};

inline float dot(const float* a, const float* b, std::size_t padded) {
  Lanes total{};
  for (std::size_t k = 0; k < padded; k += kLanes) total += load(a + k) * load(b + k);
  return sum(total);
}

}  // namespace headroom
