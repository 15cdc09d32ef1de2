#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom {

// Rows are padded with zeros to whole multiples of this many floats, the widest register.
inline constexpr std::size_t kRowFloats = 16;
inline constexpr std::size_t padded_row(std::size_t floats) {
  return (floats + kRowFloats - 1) / kRowFloats * kRowFloats;
}

// Adagrad per coordinate (Duchi et al., 2011) of one kind of row: the gradient is that of the loss
// plus l2 times the row.
struct Rate {
  float step;
  float l2;
};

// A row of weights beside its Adagrad sums, and dLoss/dscore of the item it is of.
struct PulledRow {
  float* weights;
  float* squares;
  float pull;
};

// An item's row, the sum of its gradients, and dLoss/dscore of it.
struct PressedRow {
  const float* weights;
  float* gradient;
  float force;
};

// Points on the globe, in metres from its middle, by coordinate.
struct Points {
  const float* x;
  const float* y;
  const float* z;
};

// Users are told apart by so many groups, and items are looked at so many at once, when usage is
// estimated; whatever the registers, they divide both.
inline constexpr std::size_t kTasteGroups = 16, kControlledItems = 16;

// What the estimator of usage knows of a group of users, of all users and of the sample. Matrices
// are squares of which only the lower triangle is read; entries off the diagonal count twice.
struct GroupControl {
  std::size_t rank;
  float missing;            // the group's share of all weight, less that of the sample
  const float* mean;        // of z, over the group
  const float* covariance;  // of z, over the group
  const float* lean;        // sum over the sample of weight * (z - mean)
  const float* excess;      // sum over the sample of weight * ((z - mean)(z - mean)' - covariance)
};

// What is scored with whole catalogues lies in blocks of so many items, coordinate by coordinate:
// block[n] is the bias of item n, block[(1 + k) * kBlockItems + n] the k-th of its vector. So many
// users share one reading of a block.
inline constexpr std::size_t kBlockItems = 32, kTileUsers = 8;
inline constexpr std::size_t block_floats(std::size_t rank) { return (1 + rank) * kBlockItems; }

// The hot loops, on plain floats. `padded` is a row's length, a multiple of kRowFloats.
struct Kernels {
  std::string_view name;
  int lanes;  // floats in a register

  // out[n] = x . rows[n]
  void (*dots)(const float* x, const float* const* rows, std::size_t count, std::size_t padded,
               float* out);
  // Scores, each summed in one order whatever is computed beside it: the bias, then coordinate
  // after coordinate. Of one user with blocks that lie one after the other;
  void (*score_blocks)(const float* z, std::size_t rank, const float* blocks, std::size_t count,
                       float* out);
  // of kTileUsers users with one block, users[k * kTileUsers + u] being the k-th of the u-th
  // vector: bit n of above[u] says whether it is above cuts[u], and then it is
  // out[u * kBlockItems + n]; the result is which items are above for anyone;
  std::uint32_t (*score_tile)(const float* users, std::size_t rank, const float* block,
                              const float* cuts, float* out, std::uint32_t* above);
  // of one user with single rows, out[n] being the bias at first.
  void (*score_rows)(const float* z, std::size_t rank, const float* const* rows, std::size_t count,
                     float* out);
  // Bit n: whether values[n] of kBlockItems is above the cut.
  std::uint32_t (*above)(const float* values, float cut);
  // One Adagrad step of a row on gradient + l2 * row.
  void (*step)(float* weights, float* squares, const float* gradient, Rate rate,
               std::size_t padded);
  // One outcome: du = sum g v and dv = g x before any row moves; then all rows take their step, x
  // moves with u, and du is added to `gathered`.
  void (*learn)(const PulledRow* items, std::size_t count, Rate item_rate, float* u,
                float* u_squares, Rate user_rate, float* x, float* gathered, std::size_t padded);
  // out[j] = the slope of sigmoid at scores[j]
  void (*slopes)(const float* scores, std::size_t count, float* out);
  // du = sum of force v, and force z is added to each dv
  void (*press)(const PressedRow* items, std::size_t count, const float* z, float* du,
                std::size_t padded);
  // sums[j] += weight * sigmoid(scores[j])
  void (*add_chances)(const float* scores, float weight, std::size_t count, float* sums);
  // out[j] = the least square of the distance from point j to any of the anchors
  void (*nearest)(Points points, std::size_t count, const float (*anchors)[3],
                  std::size_t anchor_count, float* out);
  // The g with the greatest z . toward_g - far[g]; toward[k * kTasteGroups + g] is the k-th of
  // toward_g.
  std::size_t (*nearest_group)(const float* z, std::size_t rank, const float* toward,
                               const float* far);
  // For each of kControlledItems items the chance sigmoid(b + z . v) as a quadratic in z, fitted as
  // if z were normal: out[n] += its sum over all users of the group less that over the sample.
  // vectors[k * kControlledItems + n] is the k-th coordinate of the n-th v.
  void (*add_control)(const GroupControl& group, const float* vectors, const float* biases,
                      float* out);
};

enum class KernelKind : std::uint8_t { kBest, kPlain, kAvx2, kAvx512 };

// Those that this machine can run, the best last. `plain` is always there.
std::span<const KernelKind> runnable_kernels();
const Kernels& kernels_of(KernelKind kind);  // throws Error if this machine can't run them
// What the program uses: the best, or what it was told at its start, before any other thread.
const Kernels& kernels();
void use_kernels(KernelKind kind);

}  // namespace headroom
