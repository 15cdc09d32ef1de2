#pragma once

#include <vector>

namespace headroom {

// The regularised incomplete gamma function P(a, x), a > 0, x >= 0: the chance that a gamma variate
// of this shape is at most x; for a whole a also that a Poisson variate of mean x reaches a.
double gamma_share(double a, double x);
// The x with P(a, x) = share, 0 < share < 1. To about 12 digits.
double gamma_inverse(double share, double a);

// x = gamma_inverse(risk, a) as a table: the largest mean of a Poisson variate that reaches `a`
// with at most this chance. To 5e-5 of x + 1 for every a up to 2e9; 0 for a <= 0.
class GammaTable {
 public:
  explicit GammaTable(double risk);
  double operator()(double a) const;

 private:
  static constexpr double kFine = 32.0;  // up to here in equal steps,
  static constexpr int kPerUnit = 64;
  static constexpr int kPerOctave = 32;  // beyond in equal ratios
  static constexpr int kOctaves = 26;
  std::vector<double> fine_, coarse_;
};

}  // namespace headroom
