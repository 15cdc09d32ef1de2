#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/workers.hpp"

namespace headroom {

// Who will ask, and the chances of what they could be given. Each asker has candidates; an item
// comes at most once among them.
struct Demand {
  struct Asker {
    float lists = 1.0F;              // how many such lists are expected
    float seats = 1.0F;              // that each place of such a list holds
    std::uint32_t n = 10;            // places
    std::size_t begin = 0, end = 0;  // of the candidates
  };
  std::vector<Asker> askers;
  std::vector<ItemIx> items;   // the candidates of all askers
  std::vector<float> chances;  // in (0, 1), beside them
};

struct PriceOptions {
  unsigned cold = 60;      // iterations from nothing
  unsigned warm = 10;      // from prices of before
  float softness = 0.02F;  // of the choice, in shares of a typical last place's chance
  float enough = 0.002F;   // a gap at which no more iterations are made
};

// What a seat of each item is worth: the dual variables of the linear program that gives every
// asker at most n places and every item at most its capacity, for the largest sum of lists times
// seats times chance.
struct Prices {
  std::vector<float> values;     // by item, at least 0; none: not solved yet
  std::vector<float> curvature;  // of the dual, to go on from
  // The Lagrangian bound: no lists that fit reach a higher value. The least that was met, at
  // `bound_prices`.
  double bound = 0.0;
  std::vector<float> bound_prices;
  // How far below the bound some lists that fit were (places shared out in parts), at the prices
  // of the last iteration.
  double gap = 0.0;
  // Whether the prices are of use: all is finite, and the gap is small or fell. Else the caller
  // keeps those that it had.
  bool converged = true;
};

// Accelerated gradient steps on the dual of a slightly softened choice, each coordinate by its own
// curvature; starts from `from`, if that has prices. A place that holds more than an item's whole
// capacity is not offered. The same result on any number of threads.
Prices solve_prices(const Demand& demand, std::span<const float> capacity, const Prices& from,
                    const PriceOptions& options, Workers& workers);

// The bound at these prices, by its definition: for any prices at least 0 no lists that fit reach a
// higher value.
double bound_at(const Demand& demand, std::span<const float> capacity,
                std::span<const float> prices, Workers& workers);

// How a price follows what happens between two solves, where seats come free again and most of them
// are meant to be used: exp(steepness (used - 0.9)), `used` being the share of the capacity.
float price_factor(float used, float steepness);

}  // namespace headroom
