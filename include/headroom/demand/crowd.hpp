#pragma once

#include <functional>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/random.hpp"

namespace headroom {

// Users, each with a weight above 0: all who are counted by their p, or a sample.
struct Counted {
  UserIx user;
  float weight;
};
using Crowd = std::vector<Counted>;

// A user's `rank` floats, or nothing: all 0. They need to stay only until the same thread asks
// again.
using UserVector = std::function<const float*(UserIx)>;

Crowd counted_of(std::span<const float> listen);  // by user row
double weight_of(const Crowd& crowd);

// Drawn in proportion to weight: the line of all weights is cut into `size` equal parts, and one
// point is drawn in each. Who is hit several times weighs as much, so that the weights of the
// sample sum to `size`. A point for each part, not one for all: rows that alternate in step with
// the parts do no harm then.
Crowd sample_of(const Crowd& crowd, std::size_t size, Draws draws);

}  // namespace headroom
