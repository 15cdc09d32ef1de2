#pragma once

#include "headroom/base/kernels.hpp"
#include "headroom/base/lanes.hpp"

// The kernels, written once. Each file that includes this is compiled for another register width:
// everything here is the file's own, and nothing of the standard library that could be emitted out
// of line is used, so that no other file can end up calling code for a width it did not ask for.
namespace headroom {
namespace {

constexpr auto kStep = static_cast<std::size_t>(kLanes);
static_assert(kRowFloats % kStep == 0 && kTasteGroups % kStep == 0 &&
              kControlledItems % kStep == 0);

// A weight moves as Adagrad (model/adagrad.hpp) moves it.
inline void move(float* weights, float* squares, Lanes gradient, Rate rate) {
  constexpr float kFloor = 1e-8F;
  Lanes weight = load(weights);
  gradient += weight * rate.l2;
  const Lanes square = load(squares) + gradient * gradient;
  store(squares, square);
  store(weights, weight - rate.step * gradient / (sqrt(square) + kFloor));
}

inline Lanes products(const float* a, const float* b, std::size_t padded) {
  Lanes total = load(a) * load(b);
  for (std::size_t k = kStep; k < padded; k += kStep) total += load(a + k) * load(b + k);
  return total;
}

void dots(const float* x, const float* const* rows, std::size_t count, std::size_t padded,
          float* out) {
  for (std::size_t n = 0; n < count; ++n) out[n] = sum(products(x, rows[n], padded));
}

// Registers of a block that are summed at once, for as many users as leave no register in memory.
constexpr std::size_t kColumns = 2, kUsersAtOnce = kLanes == 16 ? 8 : 4;
static_assert(kBlockItems % (kColumns * kStep) == 0 && kBlockItems == 32 &&
              kTileUsers % kUsersAtOnce == 0);

// Users stride floats apart in each coordinate, with columns of a block.
template <std::size_t kUsers>
inline void score_columns(const float* users, std::size_t stride, std::size_t rank,
                          const float* columns, Lanes (&totals)[kUsers][kColumns]) {
  for (std::size_t u = 0; u < kUsers; ++u) {
    for (std::size_t c = 0; c < kColumns; ++c) totals[u][c] = load(columns + c * kStep);
  }
  for (std::size_t k = 0; k < rank; ++k) {
    columns += kBlockItems;
    Lanes items[kColumns];
    for (std::size_t c = 0; c < kColumns; ++c) items[c] = load(columns + c * kStep);
    for (std::size_t u = 0; u < kUsers; ++u) {
      const Lanes z = broadcast(users[k * stride + u]);
      for (std::size_t c = 0; c < kColumns; ++c) {
        totals[u][c] = multiply_add(z, items[c], totals[u][c]);
      }
    }
  }
}

void score_blocks(const float* z, std::size_t rank, const float* blocks, std::size_t count,
                  float* out) {
  for (std::size_t b = 0; b < count; ++b, out += kBlockItems) {
    const float* const block = blocks + b * block_floats(rank);
    for (std::size_t n = 0; n < kBlockItems; n += kColumns * kStep) {
      Lanes totals[1][kColumns];
      score_columns(z, 1, rank, block + n, totals);
      for (std::size_t c = 0; c < kColumns; ++c) store(out + n + c * kStep, totals[0][c]);
    }
  }
}

std::uint32_t score_tile(const float* users, std::size_t rank, const float* block,
                         const float* cuts, float* out, std::uint32_t* above) {
  std::uint32_t any = 0;
  for (std::size_t u = 0; u < kTileUsers; ++u) above[u] = 0;
  for (std::size_t n = 0; n < kBlockItems; n += kColumns * kStep) {
    for (std::size_t first = 0; first < kTileUsers; first += kUsersAtOnce) {
      Lanes totals[kUsersAtOnce][kColumns];
      score_columns(users + first, kTileUsers, rank, block + n, totals);
      for (std::size_t u = 0; u < kUsersAtOnce; ++u) {
        std::uint32_t bits = 0;
        for (std::size_t c = 0; c < kColumns; ++c) {
          bits |= bits_above(totals[u][c], cuts[first + u]) << (n + c * kStep);
        }
        above[first + u] |= bits;
        if (bits == 0) continue;
        any |= bits;
        for (std::size_t c = 0; c < kColumns; ++c) {
          store(out + (first + u) * kBlockItems + n + c * kStep, totals[u][c]);
        }
      }
    }
  }
  return any;
}

// Some rows side by side: one sum after the other would wait for each of its additions.
void score_rows(const float* z, std::size_t rank, const float* const* rows, std::size_t count,
                float* out) {
  constexpr std::size_t kAtOnce = 8;
  std::size_t n = 0;
  for (; n + kAtOnce <= count; n += kAtOnce) {
    float totals[kAtOnce];
    for (std::size_t r = 0; r < kAtOnce; ++r) totals[r] = out[n + r];
    for (std::size_t k = 0; k < rank; ++k) {
      for (std::size_t r = 0; r < kAtOnce; ++r) {
        totals[r] = multiply_add(z[k], rows[n + r][k], totals[r]);
      }
    }
    for (std::size_t r = 0; r < kAtOnce; ++r) out[n + r] = totals[r];
  }
  for (; n < count; ++n) {
    float total = out[n];
    for (std::size_t k = 0; k < rank; ++k) total = multiply_add(z[k], rows[n][k], total);
    out[n] = total;
  }
}

std::uint32_t above(const float* values, float cut) {
  std::uint32_t bits = 0;
  for (std::size_t n = 0; n < kBlockItems; n += kStep) {
    bits |= bits_above(load(values + n), cut) << n;
  }
  return bits;
}

void step(float* weights, float* squares, const float* gradient, Rate rate, std::size_t padded) {
  for (std::size_t k = 0; k < padded; k += kStep) {
    move(weights + k, squares + k, load(gradient + k), rate);
  }
}

void learn(const PulledRow* items, std::size_t count, Rate item_rate, float* u, float* u_squares,
           Rate user_rate, float* x, float* gathered, std::size_t padded) {
  for (std::size_t k = 0; k < padded; k += kStep) {
    const Lanes at = load(x + k);
    Lanes du{};
    for (std::size_t n = 0; n < count; ++n) {
      const PulledRow& item = items[n];
      du += load(item.weights + k) * item.pull;
      move(item.weights + k, item.squares + k, at * item.pull, item_rate);
    }
    store(gathered + k, load(gathered + k) + du);
    const Lanes before = load(u + k);
    move(u + k, u_squares + k, du, user_rate);
    store(x + k, at + (load(u + k) - before));
  }
}

void press(const PressedRow* items, std::size_t count, const float* z, float* du,
           std::size_t padded) {
  for (std::size_t k = 0; k < padded; k += kStep) {
    const Lanes at = load(z + k);
    Lanes total{};
    for (std::size_t n = 0; n < count; ++n) {
      const PressedRow& item = items[n];
      total += load(item.weights + k) * item.force;
      store(item.gradient + k, load(item.gradient + k) + at * item.force);
    }
    store(du + k, total);
  }
}

// Whole registers, and the rest in one of its own: every place is computed in the same way.
inline Lanes load_some(const float* from, std::size_t count) {
  float some[kLanes] = {};
  for (std::size_t n = 0; n < count; ++n) some[n] = from[n];
  return load(some);
}
inline void store_some(float* to, Lanes lanes, std::size_t count) {
  for (std::size_t n = 0; n < count; ++n) to[n] = lanes[n];
}

void slopes(const float* scores, std::size_t count, float* out) {
  const auto slope = [](Lanes score) {
    const Lanes chance = sigmoid(score);
    return chance * (1.0F - chance);
  };
  std::size_t j = 0;
  for (; j + kStep <= count; j += kStep) store(out + j, slope(load(scores + j)));
  if (j < count) store_some(out + j, slope(load_some(scores + j, count - j)), count - j);
}

void add_chances(const float* scores, float weight, std::size_t count, float* sums) {
  std::size_t j = 0;
  for (; j + kStep <= count; j += kStep) {
    store(sums + j, load(sums + j) + weight * sigmoid(load(scores + j)));
  }
  if (j == count) return;
  const std::size_t left = count - j;
  const Lanes chances = weight * sigmoid(load_some(scores + j, left));
  store_some(sums + j, load_some(sums + j, left) + chances, left);
}

void nearest(Points points, std::size_t count, const float (*anchors)[3], std::size_t anchor_count,
             float* out) {
  const auto least = [&](Lanes x, Lanes y, Lanes z) {
    Lanes square{};
    for (std::size_t a = 0; a < anchor_count; ++a) {
      const Lanes dx = x - anchors[a][0], dy = y - anchors[a][1], dz = z - anchors[a][2];
      const Lanes other = dx * dx + dy * dy + dz * dz;
      square = a == 0 ? other : other < square ? other : square;
    }
    return square;
  };
  std::size_t j = 0;
  for (; j + kStep <= count; j += kStep) {
    store(out + j, least(load(points.x + j), load(points.y + j), load(points.z + j)));
  }
  if (j == count) return;
  const std::size_t left = count - j;
  store_some(out + j,
             least(load_some(points.x + j, left), load_some(points.y + j, left),
                   load_some(points.z + j, left)),
             left);
}

// The mean over a normal distribution of sigmoid, of its slope and of half its curvature: by
// Stein's lemma the quadratic that fits it best. The rule of Gauss and Hermite with five points:
// three give the estimator up to 5 % more error, seven no less.
struct Fit {
  Lanes value = {}, slope = {}, bend = {};

  void add(float weight, Lanes score) {
    const Lanes chance = sigmoid(score);
    const Lanes rise = weight * chance * (1.0F - chance);
    value += weight * chance;
    slope += rise;
    bend += rise * (0.5F - chance);
  }
};

inline Fit fit(Lanes mean, Lanes deviation) {
  constexpr float kNear = 1.3556261799742659F, kFar = 2.8569700138728056F;
  constexpr float kMiddleWeight = 0.5333333333F, kNearWeight = 0.2220759220F,
                  kFarWeight = 0.0112574113F;
  Fit fit;
  fit.add(kMiddleWeight, mean);
  fit.add(kNearWeight, mean - kNear * deviation);
  fit.add(kNearWeight, mean + kNear * deviation);
  fit.add(kFarWeight, mean - kFar * deviation);
  fit.add(kFarWeight, mean + kFar * deviation);
  return fit;
}

std::size_t nearest_group(const float* z, std::size_t rank, const float* toward, const float* far) {
  constexpr std::size_t kRegisters = kTasteGroups / kStep;
  Lanes near[kRegisters];
  for (std::size_t n = 0; n < kRegisters; ++n) near[n] = -load(far + n * kStep);
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t n = 0; n < kRegisters; ++n) {
      near[n] += z[k] * load(toward + k * kTasteGroups + n * kStep);
    }
  }
  // No branch depends on z: which group is nearest is what no processor can foresee.
  float all[kTasteGroups], most[kTasteGroups];
  for (std::size_t n = 0; n < kRegisters; ++n) {
    store(all + n * kStep, near[n]);
    store(most + n * kStep, near[n]);
  }
  for (std::size_t half = kTasteGroups / 2; half > 0; half /= 2) {
    for (std::size_t g = 0; g < half; ++g) {
      most[g] = most[g] > most[g + half] ? most[g] : most[g + half];
    }
  }
  std::size_t nearest = 0;
  for (std::size_t g = kTasteGroups; g-- > 0;) nearest = all[g] == most[0] ? g : nearest;
  return nearest;
}

void add_control(const GroupControl& group, const float* vectors, const float* biases, float* out) {
  for (std::size_t n = 0; n < kControlledItems; n += kStep) {
    Lanes mean = load(biases + n), lean = {}, variance = {}, excess = {};
    for (std::size_t k = 0; k < group.rank; ++k) {
      const Lanes v = load(vectors + k * kControlledItems + n);
      Lanes in_covariance = {}, in_excess = {};
      for (std::size_t l = 0; l < k; ++l) {
        const Lanes other = load(vectors + l * kControlledItems + n);
        in_covariance += group.covariance[k * group.rank + l] * other;
        in_excess += group.excess[k * group.rank + l] * other;
      }
      mean += group.mean[k] * v;
      lean += group.lean[k] * v;
      variance += v * (2.0F * in_covariance + group.covariance[k * group.rank + k] * v);
      excess += v * (2.0F * in_excess + group.excess[k * group.rank + k] * v);
    }
    variance = variance > 0.0F ? variance : Lanes{};  // rounding
    const Fit curve = fit(mean, sqrt(variance));
    const Lanes control = group.missing * curve.value - lean * curve.slope - excess * curve.bend;
    store(out + n, load(out + n) + control);
  }
}

constexpr Kernels kernels_named(std::string_view name) {
  return {name,  kLanes, dots,  score_blocks, score_tile, score_rows,    above,      step,
          learn, slopes, press, add_chances,  nearest,    nearest_group, add_control};
}

}  // namespace
}  // namespace headroom
