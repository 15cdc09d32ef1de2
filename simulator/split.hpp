#pragma once

#include <cstdint>

#include "simulator/observation_set.hpp"
#include "simulator/ratings.hpp"

namespace headroom::sim {

enum class Feedback { kImplicit, kExplicit };

struct Split {
  ObservationSet train;
  ObservationSet test;
  Feedback feedback;

  // What the user is known to have from training, and so is never recommended again.
  std::span<const std::uint32_t> known(std::size_t user) const {
    return feedback == Feedback::kImplicit ? train.liked_by(user) : train.of_user(user);
  }
};

// A random half of each user's ratings to train on (the larger one if they are odd), the rest to
// test. Implicit: every rating is a like with target 1, and beside each half stand as many items
// that the user has in neither half, target 0; where a user has too few left, they are shared out.
// Explicit: four stars or more are +1, less is -1. `repeat` gives a new split under the same seed.
Split split_in_halves(const Ratings& ratings, Feedback feedback, std::uint64_t seed,
                      std::uint64_t repeat);

}  // namespace headroom::sim
