#pragma once

#include <vector>

#include "simulator/cli.hpp"

namespace headroom::sim {

// Over seeds: the mean, and what holds the true one with 95 % (NaN: one seed only).
struct Interval {
  double mean = 0.0, low = 0.0, high = 0.0;
};
Interval interval_of(const std::vector<double>& values);
Json to_json(const Interval& interval);

}  // namespace headroom::sim
