#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "headroom/base/workers.hpp"
#include "headroom/model/learner.hpp"
#include "simulator/ratings.hpp"

namespace headroom::sim {

// The online learner run over the same data several times, as batch programs do: a random half of
// each user's items is learned, in a new order in each epoch, and the other half tested.

struct EpochsOptions {
  LearnerOptions learner;
  std::size_t epochs = 30;
  std::size_t negatives = 100;  // per user, that the user has in neither half
  std::uint64_t seed = 1;       // of the split, the negatives and the orders
};

// Where it stands after so much learning.
struct EpochsPoint {
  double epoch = 0.0;        // 1.25: a quarter into the second one
  double cpu_seconds = 0.0;  // of learning alone
  double auc = 0.0;          // mean over users of the share of pairs in the right order
};

struct EpochsRun {
  std::size_t train = 0, test = 0, tested_users = 0;
  std::vector<EpochsPoint> points;  // after every epoch; every quarter of the first ones
  std::uint64_t rejected_steps = 0;
};

EpochsRun run_epochs(const Ratings& ratings, const EpochsOptions& options, Workers& workers,
                     const std::function<void(const EpochsPoint&)>& progress = {});

}  // namespace headroom::sim
