#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/lanes.hpp"
#include "headroom/model/geography.hpp"

namespace headroom::sim {

// The loops over all pairs of users and items. A register holds kLanes users, so that each item's
// row is a handful of broadcasts and geography one more load; a chunk of registers is the unit of
// work. Chunks depend on the number of users and the width of a register, never on the number of
// threads.
struct Chunk {
  std::size_t first;   // register
  std::size_t blocks;  // registers

  std::size_t first_user() const { return first * kLanes; }
  std::size_t end_user(std::size_t users) const {
    return std::min((first + blocks) * kLanes, users);
  }
};

std::vector<Chunk> chunks_of(std::size_t users);

// Users by register: factor k of block b is values[b * K + k].
using Registers = std::vector<Lanes>;

// A row of K factors, padded with zeros to whole registers.
constexpr std::size_t row_size(int rank) { return (rank + kLanes - 1) / kLanes * kLanes; }

template <int K>
struct Row {
  static constexpr int kRegisters = static_cast<int>(row_size(K)) / kLanes;
  Lanes at[kRegisters] = {};

  Row() = default;
  explicit Row(const float* from) {
    for (int r = 0; r < kRegisters; ++r) at[r] = load(from + r * kLanes);
  }
  void store(float* to) const {
    for (int r = 0; r < kRegisters; ++r) headroom::store(to + r * kLanes, at[r]);
  }
  void add(float weight, const Row& other) {
    for (int r = 0; r < kRegisters; ++r) at[r] += weight * other.at[r];
  }
  // Its sum over the lanes is the dot product.
  Lanes products(const Row& other) const {
    Lanes total = at[0] * other.at[0];
    for (int r = 1; r < kRegisters; ++r) total += at[r] * other.at[r];
    return total;
  }
};

double sum_of_squares(std::span<const float> values);

// scores[n] = user . rows of item n.
template <int K>
void score_items(const Row<K>& user, const float* rows, std::span<const std::uint32_t> items,
                 float* scores) {
  std::size_t n = 0;
  for (; n + kLanes <= items.size(); n += kLanes) {
    Lanes products[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      products[lane] = user.products(Row<K>(rows + items[n + lane] * row_size(K)));
    }
    store(scores + n, sums_of(products));
  }
  for (; n < items.size(); ++n) {
    scores[n] = sum(user.products(Row<K>(rows + items[n] * row_size(K))));
  }
}

// A number for each tile and user of a chunk, such as x_i . y_j by the tile of j. False where the
// model has no geography.
class Field {
 public:
  Field() = default;
  Field(std::size_t tiles, std::size_t blocks) : at_(tiles * blocks), blocks_(blocks) {}

  explicit operator bool() const { return !at_.empty(); }
  std::size_t blocks() const { return blocks_; }
  const Lanes* tile(std::uint32_t tile) const { return &at_[tile * blocks_]; }
  Lanes* tile(std::uint32_t tile) { return &at_[tile * blocks_]; }
  // Of one user, counted from the chunk's first.
  float of(std::uint32_t tile, std::size_t user) const {
    return at_[tile * blocks_ + user / kLanes][user % kLanes];
  }
  auto of(std::uint32_t tile, std::size_t user) -> float& {
    return reinterpret_cast<float*>(&at_[tile * blocks_])[user];
  }

 private:
  Registers at_;
  std::size_t blocks_ = 0;
};

// Each tile takes the kernel's sum over the tiles around it.
Field spread(const Influence& influence, const Field& from);

// What the kernels look at.
template <int K>
struct View {
  const Lanes* users;              // of the chunk's first block
  const Lanes* propensity;         // likewise
  const float* items;              // rows
  const std::uint32_t* item_tile;  // with a field
  const Field& field;
  std::size_t blocks;

  const float* row(std::uint32_t item) const { return items + item * row_size(K); }
  const Lanes* geography(std::uint32_t item) const {
    return field ? field.tile(item_tile[item]) : nullptr;
  }
};

template <int K>
inline Lanes dot(const Lanes* users, const float* item) {
  Lanes even = users[0] * item[0], odd = users[1] * item[1];
  for (int k = 2; k < K; k += 2) {
    even += users[k] * item[k];
    odd += users[k + 1] * item[k + 1];
  }
  return even + odd;
}

// Calls use(block, chance) with sigmoid(r) of one item for each block of the chunk.
template <int K, class Use>
inline void each_block(const View<K>& view, std::uint32_t item, const Use& use) {
  float row[K];
  std::copy_n(view.row(item), K, row);
  if (const Lanes* geo = view.geography(item); geo != nullptr) {
    for (std::size_t b = 0; b < view.blocks; ++b) {
      use(b, sigmoid(dot<K>(view.users + b * K, row) + geo[b]));
    }
  } else {
    for (std::size_t b = 0; b < view.blocks; ++b) {
      use(b, sigmoid(dot<K>(view.users + b * K, row)));
    }
  }
}

// usage[n] = sum over the chunk of p sigmoid(r), for the n-th of the items.
template <int K>
void sum_usage(const View<K>& view, std::span<const std::uint32_t> items, float* usage) {
  for (std::size_t n = 0; n < items.size(); ++n) {
    Lanes total{};
    each_block(view, items[n],
               [&](std::size_t b, Lanes chance) { total += view.propensity[b] * chance; });
    usage[n] = sum(total);
  }
}

// The same, and beside it the sum of p sigmoid'(r) u: the V gradient but for the item's pressure,
// which is not known before all chunks are summed.
template <int K>
void sum_usage_and_pull(const View<K>& view, std::span<const std::uint32_t> items, float* usage,
                        float* pull_rows) {
  for (std::size_t n = 0; n < items.size(); ++n) {
    Lanes total{};
    Lanes slope[row_size(K)] = {};
    each_block(view, items[n], [&](std::size_t b, Lanes chance) {
      const Lanes expected = view.propensity[b] * chance;
      total += expected;
      const Lanes weight = expected - expected * chance;
      for (int k = 0; k < K; ++k) slope[k] += weight * view.users[b * K + k];
    });
    usage[n] = sum(total);
    for (std::size_t k = 0; k < row_size(K); k += kLanes) {
      store(pull_rows + n * row_size(K) + k, sums_of(slope + k));
    }
  }
}

// gradient[k] += sum over the items of weight p sigmoid'(r) v, for the users of one block.
template <int K>
void add_user_pressure(const View<K>& view, std::size_t block, std::span<const std::uint32_t> items,
                       const float* weights, Lanes* gradient) {
  Lanes user[K], total[K] = {};
  for (int k = 0; k < K; ++k) user[k] = view.users[block * K + k];
  for (std::size_t n = 0; n < items.size(); ++n) {
    const float* row = view.row(items[n]);
    const Lanes* geo = view.geography(items[n]);
    const Lanes score = dot<K>(user, row);
    const Lanes chance = sigmoid(geo != nullptr ? score + geo[block] : score);
    const Lanes weight = weights[n] * (chance - chance * chance);
    for (int k = 0; k < K; ++k) total[k] += weight * row[k];
  }
  for (int k = 0; k < K; ++k) gradient[k] += view.propensity[block] * total[k];
}

// sums[tile of the item] += weight p sigmoid'(r): spread over the kernel, the X gradient.
template <int K>
void add_tile_pressure(const View<K>& view, std::span<const std::uint32_t> items,
                       const float* weights, Field& sums) {
  for (std::size_t n = 0; n < items.size(); ++n) {
    Lanes* at = sums.tile(view.item_tile[items[n]]);
    each_block(view, items[n], [&](std::size_t b, Lanes chance) {
      at[b] += weights[n] * view.propensity[b] * (chance - chance * chance);
    });
  }
}

}  // namespace headroom::sim
