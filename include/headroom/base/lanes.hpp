#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace headroom {

// Rows of floats that registers are loaded from: aligned, so that no load crosses a cache line.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, kAlignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};
using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

// A register of floats, as wide as the target has them, and the few functions that the hot loops
// need on it. The same functions exist for float, so that a formula is written once as a template.
// A name for each width: files compiled for different widths meet in one program
// (base/kernels.hpp).
#if defined(__AVX512F__)
inline namespace lanes16 {
inline constexpr int kLanes = 16;
#elif defined(__AVX__)
inline namespace lanes8 {
inline constexpr int kLanes = 8;
#else
inline namespace lanes4 {
inline constexpr int kLanes = 4;
#endif

using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using IntLanes = std::int32_t __attribute__((vector_size(kLanes * sizeof(float))));

inline Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
inline void store(float* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }
inline Lanes broadcast(float value) { return value - Lanes{}; }  // + would lose -0

// a b + c, rounded once where the target does it so: in a register as alone. Left to the compiler
// it may be one in a loop and the other in the next.
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__)
  return std::bit_cast<Lanes>(_mm512_fmadd_ps(std::bit_cast<__m512>(a), std::bit_cast<__m512>(b),
                                              std::bit_cast<__m512>(c)));
#elif defined(__FMA__)
  return std::bit_cast<Lanes>(_mm256_fmadd_ps(std::bit_cast<__m256>(a), std::bit_cast<__m256>(b),
                                              std::bit_cast<__m256>(c)));
#elif defined(__FP_FAST_FMAF)
  for (int lane = 0; lane < kLanes; ++lane) c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  return c;
#else
  return a * b + c;
#endif
}
inline float multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// Bit n: whether lane n is above the cut.
inline std::uint32_t bits_above(Lanes lanes, float cut) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(std::bit_cast<__m512>(lanes), _mm512_set1_ps(cut), _CMP_GT_OQ);
#elif defined(__AVX__)
  const __m256 above = _mm256_cmp_ps(std::bit_cast<__m256>(lanes), _mm256_set1_ps(cut), _CMP_GT_OQ);
  return static_cast<std::uint32_t>(_mm256_movemask_ps(above));
#elif defined(__SSE2__)
  const __m128 above = _mm_cmpgt_ps(std::bit_cast<__m128>(lanes), _mm_set1_ps(cut));
  return static_cast<std::uint32_t>(_mm_movemask_ps(above));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kLanes; ++lane) bits |= (lanes[lane] > cut ? 1U : 0U) << lane;
  return bits;
#endif
}

// Halving: the order of the additions is fixed, and short chains keep the rounding small.
template <class Register, int... kLow>
inline float halve_sum(Register lanes, std::integer_sequence<int, kLow...>) {
  constexpr int kHalf = sizeof...(kLow);
  const auto half = __builtin_shufflevector(lanes, lanes, kLow...) +
                    __builtin_shufflevector(lanes, lanes, (kLow + kHalf)...);
  if constexpr (kHalf == 2) {
    return half[0] + half[1];
  } else {
    return halve_sum(half, std::make_integer_sequence<int, kHalf / 2>{});
  }
}
inline float sum(Lanes lanes) {
  return halve_sum(lanes, std::make_integer_sequence<int, kLanes / 2>{});
}

// The sums of kLanes registers as one register: sums_of(r)[n] = sum(r[n]). Halving again, but two
// registers share each addition, for a third of the work of as many single sums.
template <int kWidth, int... kLane>
inline Lanes add_halves(Lanes a, Lanes b, std::integer_sequence<int, kLane...>) {
  // Segments of kWidth lanes hold one sum each; the first half of each segment, then the second.
  constexpr auto kHalf = kWidth / 2;
  constexpr auto from = [](int lane, int half) {
    const int segment = lane / kHalf;  // of a, then of b
    return segment * kWidth + half * kHalf + lane % kHalf;
  };
  return __builtin_shufflevector(a, b, from(kLane, 0)...) +
         __builtin_shufflevector(a, b, from(kLane, 1)...);
}
template <int kWidth = kLanes>
inline Lanes sums_of(const Lanes* registers) {
  if constexpr (kWidth == 1) {
    return registers[0];
  } else {
    Lanes halved[kWidth / 2];
    for (int n = 0; n < kWidth / 2; ++n) {
      halved[n] = add_halves<kWidth>(registers[2 * n], registers[2 * n + 1],
                                     std::make_integer_sequence<int, kLanes>{});
    }
    return sums_of<kWidth / 2>(halved);
  }
}

inline Lanes sqrt(Lanes x) {
  for (int lane = 0; lane < kLanes; ++lane) x[lane] = std::sqrt(x[lane]);
  return x;
}
inline float sqrt(float x) { return std::sqrt(x); }

// 2^f for f in [-1/2, 1/2] to 1e-7 of itself: a minimax polynomial.
inline Lanes exp2_fraction(Lanes f) {
  Lanes poly = f * 1.326472727e-3F + 9.671512768e-3F;
  poly = poly * f + 5.550733744e-2F;
  poly = poly * f + 2.402224208e-1F;
  poly = poly * f + 6.931469776e-1F;
  return poly * f + 1.0F;
}

inline constexpr float kLog2E = 1.44269504F;

// e^x to a few ulp near 0 and 1e-5 of itself at the ends of [-87, 87], clamped outside: never
// infinite, never a denormal.
inline Lanes exp(Lanes x) {
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const Lanes low = broadcast(-87.0F), high = broadcast(87.0F);
  x = x < low ? low : x;
  x = x > high ? high : x;
  const Lanes shifted = x * kLog2E + kShift;
  const Lanes whole = shifted - kShift;
  const IntLanes exponent = (std::bit_cast<IntLanes>(shifted) - (0x4B400000 - 127)) << 23;
  return exp2_fraction(x * kLog2E - whole) * std::bit_cast<Lanes>(exponent);
}

// 1 / (1 + e^-x). AVX-512 has what this needs as instructions, an estimate of 1 / x among them that
// one Newton step makes exact enough: an iteration of Cap-PMF takes a tenth less time than with the
// plain form (2.9 against 3.3 ms).
inline Lanes sigmoid(Lanes x) {
#if defined(__AVX512F__)
  constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  constexpr __mmask16 kAll = 0xFFFF;
  const __m512 t =
      _mm512_maskz_min_ps(kAll, _mm512_set1_ps(126.0F), std::bit_cast<__m512>(x * -kLog2E));
  const __m512 whole = _mm512_maskz_roundscale_ps(kAll, t, kNearest);
  const Lanes fraction = exp2_fraction(std::bit_cast<Lanes>(t) - std::bit_cast<Lanes>(whole));
  const Lanes power =
      std::bit_cast<Lanes>(_mm512_maskz_scalef_ps(kAll, std::bit_cast<__m512>(fraction), whole));
  const Lanes below = 1.0F + power;
  const Lanes guess =
      std::bit_cast<Lanes>(_mm512_maskz_rcp14_ps(kAll, std::bit_cast<__m512>(below)));
  return guess + guess * (1.0F - below * guess);
#else
  return 1.0F / (1.0F + exp(-x));
#endif
}
inline float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

// log(1 + e^x) without overflow; log(1 + z) for z in (0, 1] by the series of 2 atanh(z / (2 + z)).
inline Lanes softplus(Lanes x) {
  const Lanes magnitude = x < 0.0F ? -x : x;
  const Lanes z = exp(-magnitude);
  const Lanes s = z / (2.0F + z);
  const Lanes s2 = s * s;
  Lanes series = s2 * (2.0F / 13) + 2.0F / 11;
  series = series * s2 + 2.0F / 9;
  series = series * s2 + 2.0F / 7;
  series = series * s2 + 2.0F / 5;
  series = series * s2 + 2.0F / 3;
  series = series * s2 + 2.0F;
  return (x > 0.0F ? x : Lanes{}) + s * series;
}
inline float softplus(float x) {
  return (x > 0.0F ? x : 0.0F) + std::log1p(std::exp(-std::fabs(x)));
}

}  // inline namespace of the width
}  // namespace headroom
