#include "headroom/demand/gamma.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace headroom {
namespace {

// The chance that a Poisson variate of this mean is at least n, term by term.
double poisson_reaches(int n, double mean) {
  double below = 0.0;
  for (int k = 0; k < n; ++k) below += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
  return 1.0 - below;
}

TEST_CASE("gamma: values that can be written down") {
  for (const double x : {0.01, 0.5, 1.0, 3.0, 20.0}) {
    CHECK(gamma_share(1.0, x) == Approx(1.0 - std::exp(-x)).epsilon(1e-12));
    CHECK(gamma_share(0.5, x) == Approx(std::erf(std::sqrt(x))).epsilon(1e-12));
  }
  for (const double risk : {0.001, 0.05, 0.5}) {
    CHECK(gamma_inverse(risk, 1.0) == Approx(-std::log1p(-risk)).epsilon(1e-12));
  }
  CHECK(gamma_share(3.0, 0.0) == 0.0);
}

TEST_CASE("gamma: the share is the chance that a Poisson variate reaches the shape") {
  for (const int n : {1, 2, 5, 21, 60}) {
    for (const double mean : {0.3, 2.0, 14.0, 50.0, 90.0}) {
      CHECK(gamma_share(n, mean) == Approx(poisson_reaches(n, mean)).margin(1e-11));
    }
  }
}

TEST_CASE("gamma: quantiles of chi-square tables") {
  // Half of the quantile of chi-square with 2a degrees of freedom, as printed in every table.
  CHECK(2 * gamma_inverse(0.05, 5.0) == Approx(3.940).margin(5e-4));
  CHECK(2 * gamma_inverse(0.05, 10.0) == Approx(10.851).margin(5e-4));
  CHECK(2 * gamma_inverse(0.01, 15.0) == Approx(14.953).margin(5e-4));
  CHECK(2 * gamma_inverse(0.5, 50.0) == Approx(99.334).margin(5e-4));
}

TEST_CASE("gamma: the inverse solves its equation, and the table follows it") {
  for (const double risk : {0.001, 0.01, 0.05, 0.2, 0.5}) {
    const GammaTable table(risk);
    double before = 0.0;
    for (double a = 0.011; a < 5e8; a *= 1.093) {
      const double x = gamma_inverse(risk, a);
      INFO("risk " << risk << " shape " << a << " quantile " << x);
      if (a < 1e5 && x > 1e-30) {
        REQUIRE(gamma_share(a, x) == Approx(risk).epsilon(1e-9));
      }
      REQUIRE(std::abs(table(a) - x) <= 5e-5 * (1.0 + x));
      REQUIRE(table(a) >= before - 1e-5);
      before = table(a);
    }
    CHECK(table(0.0) == 0.0);
    CHECK(table(-7.0) == 0.0);
  }
}

TEST_CASE("gamma: from exact to nearly exact without a step") {
  for (const double risk : {0.01, 0.05, 0.5}) {
    const double below = gamma_inverse(risk, 99'999.999), above = gamma_inverse(risk, 100'000.001);
    CHECK(above - below == Approx(0.002).margin(0.02));
  }
}

}  // namespace
}  // namespace headroom
