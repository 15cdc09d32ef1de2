#pragma once

#include <cstdint>

#include "simulator/dataset.hpp"

namespace headroom::sim {

struct CityOptions {
  std::size_t users = 600;
  std::size_t items = 500;
  std::uint64_t seed = 1;
};

// A small made-up city, so that everything can be tried without a download: places in districts,
// a few of them far more popular than the rest, and users with a home, a taste for some kinds of
// places and little will to travel. Two months of first visits with a lunch and an evening peak.
Dataset generate_city(const CityOptions& options);

}  // namespace headroom::sim
