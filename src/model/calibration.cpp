#include "headroom/model/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

constexpr double kMemory = 0.9995;    // half after 1,400 observations
constexpr double kLeastSlope = 0.01;  // a higher score is never the lower chance
constexpr double kMostScore = 30.0;   // beyond this no score says more
constexpr double kMargin = 1e-5;      // of score_below()

double bounded(float score) {
  return std::clamp(static_cast<double>(score), -kMostScore, kMostScore);
}
double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The logistic at the upper ends of steps of a 32nd from -kReach to kReach, and a little more: no
// rounding lifts a chance above it.
constexpr double kReach = 16.0, kSteps = 32.0;
constexpr std::size_t kEnds = 2 * static_cast<std::size_t>(kReach * kSteps) + 1;
using Ends = std::array<float, kEnds + 1>;

Ends ends_of_steps() {
  Ends ends;
  for (std::size_t n = 0; n < kEnds; ++n) {
    const double end = static_cast<double>(n) / kSteps - kReach;
    ends[n] = static_cast<float>(logistic(end) * (1.0 + 1e-6));
  }
  ends[kEnds] = 1.0F;  // and beyond
  return ends;
}
const Ends kEndsOfSteps = ends_of_steps();

}  // namespace

float Calibration::stand_in_weight() const {
  const double beyond = static_cast<double>(followed_) - static_cast<double>(kEnough);
  return static_cast<float>(1.0 - std::clamp(beyond / static_cast<double>(kEnough), 0.0, 1.0));
}

void Calibration::observe(std::span<const float> scores, float weight) {
  if (scores.size() < 2 || weight <= 0.0F) return;
  double g0 = 0.0, g1 = 0.0, a00 = 0.0, a01 = 0.0, a11 = 0.0;
  for (std::size_t n = 0; n < scores.size(); ++n) {
    const double x = bounded(scores[n]), p = logistic(intercept_ + slope_ * x);
    const double miss = p - (n == 0 ? 1.0 : 0.0), curve = p * (1.0 - p);
    g0 += miss;
    g1 += miss * x;
    a00 += curve;
    a01 += curve * x;
    a11 += curve * x * x;
  }
  const double w = weight, keep = 1.0 - w * (1.0 - kMemory);
  h00_ = keep * h00_ + w * a00;
  h01_ = keep * h01_ + w * a01;
  h11_ = keep * h11_ + w * a11;
  // One more on the diagonal keeps the step small where nothing is known.
  const double b00 = h00_ + 1.0, b11 = h11_ + 1.0, det = b00 * b11 - h01_ * h01_;
  if (!(det > 0.0)) return;
  intercept_ -= w * (b11 * g0 - h01_ * g1) / det;
  slope_ = std::max(kLeastSlope, slope_ - w * (b00 * g1 - h01_ * g0) / det);
}

void Calibration::observe_followed(std::span<const float> scores) {
  observe(scores, 1.0F - stand_in_weight());
  ++followed_;
}

float Calibration::chance(float score) const {
  return static_cast<float>(logistic(intercept_ + slope_ * bounded(score)));
}

float Calibration::logit(float score) const {
  return static_cast<float>(intercept_ + slope_ * bounded(score));
}

float Calibration::most_chance(float score) const {
  const double step = (intercept_ + slope_ * bounded(score) + kReach) * kSteps;
  const double end = std::clamp(step, 0.0, static_cast<double>(kEnds) - 0.5);
  return kEndsOfSteps[static_cast<std::size_t>(end + 1.0)];
}

// The slope is never 0. A margin that no rounding reaches, neither of the logistic nor of a float.
float Calibration::score_below(float chance) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto p = static_cast<double>(chance) * (1.0 - kMargin);
  if (!(p > 0.0)) return -kInfinity;
  if (p >= 1.0) return kInfinity;
  const double score = (std::log(p / (1.0 - p)) - intercept_) / slope_;
  if (score > kMostScore) return kInfinity;  // no score gets there
  if (score < -kMostScore) return -kInfinity;
  return static_cast<float>(score - kMargin * (1.0 + std::fabs(score)));
}

// A chance p falls by p (1 - p) for each unit that its logit does.
float Calibration::score_below(float chance, float of) const {
  const double left = 1.0 - static_cast<double>(chance), score = of;
  if (left < 1e-3 || std::fabs(score) > kMostScore - 1.0) return score_below(chance);
  return static_cast<float>(score - kMargin / (left * slope_) - kMargin * (1.0 + std::fabs(score)));
}

// Nowhere above does the logistic rise faster than here, or where it is a half. The margin is for
// rounding.
float Calibration::rise_above(float chance) const {
  const double p = std::clamp(static_cast<double>(chance), 0.5, 1.0 - 1e-6);
  return static_cast<float>((1.0 - 1e-4) / (p * (1.0 - p) * slope_));
}

void Calibration::save(ByteWriter& to) const {
  for (const double value : {intercept_, slope_, h00_, h01_, h11_}) to.put(value);
  to.put(followed_);
}

void Calibration::load(ByteReader& from) {
  for (double* value : {&intercept_, &slope_, &h00_, &h01_, &h11_}) {
    *value = from.get<double>();
    if (!std::isfinite(*value)) throw Error("the state store: the calibration is damaged");
  }
  followed_ = from.get<std::uint64_t>();
}

}  // namespace headroom
