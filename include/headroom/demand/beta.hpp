#pragma once

namespace headroom {

// The distribution Beta(a, b), a and b > 0.

// The chance of at most x: the regularised incomplete beta function.
double beta_cdf(double a, double b, double x);
// The x of a given chance in (0, 1), to about 1e-9.
double beta_quantile(double a, double b, double chance);

}  // namespace headroom
