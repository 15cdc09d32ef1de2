#pragma once

#include <concepts>

#include "headroom/base/lanes.hpp"

namespace headroom {

// dLoss/dscore of the two scores that an objective looks at.
template <class T>
struct Pull {
  T score;
  T other;
};

// An objective is a pure functor on scores, for one float or a register of them. Every gradient
// follows from its pull g:  du += g v,  dv += g u,  dx += g y.  `kPairs`: it compares a liked item
// (score) with another (other) and needs no target; else it looks at one score and its target.
template <class O>
concept Objective = requires(float score, float other, float target) {
  { O::kPairs } -> std::convertible_to<bool>;
  { O::loss(score, other, target) } -> std::same_as<float>;
  { O::pull(score, other, target) } -> std::same_as<Pull<float>>;
};

// (r - score)^2: PMF, GeoMF.
struct Squared {
  static constexpr bool kPairs = false;
  template <class T>
  static T loss(T score, T /*other*/, T target) {
    return (score - target) * (score - target);
  }
  template <class T>
  static Pull<T> pull(T score, T /*other*/, T target) {
    return {2.0F * (score - target), T{}};
  }
};

// log(1 + e^-(score - other)): BPR, GeoBPR.
struct Bpr {
  static constexpr bool kPairs = true;
  template <class T>
  static T loss(T score, T other, T /*target*/) {
    return softplus(other - score);
  }
  template <class T>
  static Pull<T> pull(T score, T other, T /*target*/) {
    const T g = sigmoid(other - score);
    return {-g, g};
  }
};

static_assert(Objective<Squared> && Objective<Bpr>);

}  // namespace headroom
