#include "headroom/demand/beta.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace headroom {
namespace {

TEST_CASE("beta: values that can be written down") {
  for (const double x : {0.001, 0.05, 0.3, 0.5, 0.77, 0.999}) {
    CHECK(beta_cdf(1, 1, x) == Approx(x));
    CHECK(beta_cdf(3, 1, x) == Approx(x * x * x));
    CHECK(beta_cdf(1, 4, x) == Approx(1 - std::pow(1 - x, 4)));
    CHECK(beta_cdf(2, 2, x) == Approx(x * x * (3 - 2 * x)));
    CHECK(beta_cdf(0.5, 0.5, x) == Approx(2 / M_PI * std::asin(std::sqrt(x))));
    CHECK(beta_quantile(3, 1, x) == Approx(std::cbrt(x)).epsilon(1e-6));
    CHECK(beta_quantile(1, 4, x) == Approx(1 - std::pow(1 - x, 0.25)).epsilon(1e-6));
  }
  CHECK(beta_cdf(2, 3, -1) == 0.0);
  CHECK(beta_cdf(2, 3, 2) == 1.0);
}

TEST_CASE("beta: values from another library") {
  // By bisection of mpmath's betainc with 30 digits.
  CHECK(beta_quantile(1.2, 2.8, 0.05) == Approx(0.03167891766).margin(1e-8));
  CHECK(beta_quantile(1.2, 2.8, 0.95) == Approx(0.6894181316).margin(1e-8));
  CHECK(beta_quantile(0.3, 0.7, 0.05) == Approx(7.660738054e-5).margin(1e-8));
  CHECK(beta_quantile(0.3, 0.7, 0.95) == Approx(0.9435739429).margin(1e-8));
  CHECK(beta_quantile(3.2, 40.5, 0.05) == Approx(0.02192184487).margin(1e-8));
  CHECK(beta_quantile(3.2, 40.5, 0.95) == Approx(0.1466483575).margin(1e-8));
  CHECK(beta_quantile(120, 80, 0.05) == Approx(0.5425779147).margin(1e-8));
  CHECK(beta_quantile(120, 80, 0.95) == Approx(0.6562820512).margin(1e-8));
  CHECK(beta_quantile(0.05, 9, 0.05) == Approx(6.534533931e-28).margin(1e-8));
  CHECK(beta_quantile(0.05, 9, 0.95) == Approx(0.03069126998).margin(1e-8));
}

TEST_CASE("beta: the quantile is the inverse, also where the density has poles") {
  for (const double a : {0.01, 0.3, 1.2, 7.0, 300.0, 1e5}) {
    for (const double b : {0.01, 0.7, 2.8, 40.0, 1e4}) {
      for (const double chance : {0.05, 0.5, 0.95}) {
        const double x = beta_quantile(a, b, chance);
        INFO(a << " " << b << " " << chance << " " << x);
        REQUIRE(x >= 0.0);
        REQUIRE(x <= 1.0);
        // Within the quantile's own precision, which at a pole is a wide band of chance.
        CHECK(beta_cdf(a, b, x - 2e-9) <= chance + 1e-9);
        CHECK(beta_cdf(a, b, x + 2e-9) >= chance - 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace headroom
