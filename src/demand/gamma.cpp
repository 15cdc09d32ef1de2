#include "headroom/demand/gamma.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "headroom/demand/normal.hpp"

namespace headroom {

namespace {

constexpr double kExact = 1e-15;
constexpr int kMostTerms = 100'000;

// x^a e^-x / Gamma(a + 1), without overflow.
double front(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a + 1.0)); }

double by_series(double a, double x) {
  double term = 1.0, sum = 1.0;
  for (int n = 1; n < kMostTerms && term > kExact * sum; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return front(a, x) * sum;
}

// 1 - P(a, x) as a continued fraction, by Lentz's method.
double rest_by_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1.0 - a, c = 1.0 / kTiny, d = 1.0 / b, value = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double step = -n * (n - a);
    b += 2.0;
    d = step * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + step / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1.0 / d;
    value *= d * c;
    if (std::abs(d * c - 1.0) < kExact) break;
  }
  return front(a, x) * a * value;
}

// Wilson and Hilferty: the cube root is nearly normal. Beyond this shape it is exact to 1e-6 of x.
constexpr double kLarge = 1e5;

double by_cube_root(double z, double a) {
  const double root = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * std::sqrt(a));
  return root > 0.0 ? a * root * root * root : 0.0;
}

}  // namespace

double gamma_share(double a, double x) {
  if (x <= 0.0) return 0.0;
  return x < a + 1.0 ? by_series(a, x) : 1.0 - rest_by_fraction(a, x);
}

double gamma_inverse(double share, double a) {
  const double z = normal_inverse(share);
  if (a > kLarge) return by_cube_root(z, a);
  // For small shapes P is nearly x^a / Gamma(a + 1).
  const double small = std::exp((std::log(share) + std::lgamma(a + 1.0)) / a);
  double x = a < 1.0 ? small : std::max(by_cube_root(z, a), small);
  double low = 0.0, high = std::numeric_limits<double>::infinity();
  for (int n = 0; n < 200; ++n) {
    const double off = gamma_share(a, x) - share;
    (off > 0.0 ? high : low) = x;
    const double slope = front(a, x) * a / x;
    double next = slope > 0.0 ? x - off / slope : -1.0;
    if (!(next > low && next < high)) next = std::isinf(high) ? 2.0 * x + 1.0 : 0.5 * (low + high);
    if (std::abs(next - x) <= 1e-13 * x || next == 0.0) return next;
    x = next;
  }
  return x;
}

GammaTable::GammaTable(double risk) {
  fine_.push_back(0.0);
  for (int n = 1; n <= kFine * kPerUnit; ++n) {
    fine_.push_back(gamma_inverse(risk, static_cast<double>(n) / kPerUnit));
  }
  for (int n = 0; n <= kOctaves * kPerOctave; ++n) {
    coarse_.push_back(gamma_inverse(risk, kFine * std::exp2(static_cast<double>(n) / kPerOctave)));
  }
}

namespace {

// The cubic through the four points around.
double cubic(const std::vector<double>& points, double at) {
  const auto n = std::clamp<std::size_t>(static_cast<std::size_t>(at), 1, points.size() - 3);
  const double x = at - static_cast<double>(n);
  const double* p = &points[n];
  return p[0] * (x + 1) * (x - 1) * (x - 2) / 2 - p[-1] * x * (x - 1) * (x - 2) / 6 -
         p[1] * (x + 1) * x * (x - 2) / 2 + p[2] * (x + 1) * x * (x - 1) / 6;
}

}  // namespace

double GammaTable::operator()(double a) const {
  if (!(a > 0.0)) return 0.0;
  if (a < kFine) return std::max(cubic(fine_, a * kPerUnit), 0.0);
  return cubic(coarse_, std::min(std::log2(a / kFine), 1.0 * kOctaves) * kPerOctave);
}

}  // namespace headroom
