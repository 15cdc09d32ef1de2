#include "simulator/interval.hpp"

#include <array>
#include <cmath>

#include "simulator/experiment.hpp"

namespace headroom::sim {

namespace {

// Of Student's distribution, two-sided 95 %, by degrees of freedom from 1.
constexpr std::array kStudent = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064};

}  // namespace

Interval interval_of(const std::vector<double>& values) {
  const Spread spread = spread_of(values);
  if (values.size() < 2) return {spread.mean, std::nan(""), std::nan("")};
  const std::size_t freedom = values.size() - 1;
  const double student = freedom <= kStudent.size() ? kStudent[freedom - 1] : 1.96;
  const double half = student * spread.deviation / std::sqrt(static_cast<double>(values.size()));
  return {spread.mean, spread.mean - half, spread.mean + half};
}

Json to_json(const Interval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

}  // namespace headroom::sim
