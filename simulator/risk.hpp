#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "headroom/base/workers.hpp"
#include "headroom/engine/options.hpp"
#include "simulator/world.hpp"

namespace headroom::sim {

// How often more people come than there are seats, where a World answers lists.

struct RiskOptions {
  // Greedy, so that the room rule is seen by itself: prices keep away from what is likely to be
  // full.
  RiskOptions() {
    engine.ledger.risk = 0.05F;
    engine.allot.policy = Policy::kGreedy;
  }
  std::string capacity = "uniform-20";  // of every item so many; or actual: from 2 to 200
  std::size_t items = 0;                // 0: by their seats
  bool only_ledger = false;             // the room rule alone, with the town's own taste
  std::size_t longest_stay = 120;       // minutes, as items say
  std::size_t seeds = 1;
  EngineOptions engine;
  WorldOptions world;  // but for its capacities
};

// A mean with an interval that holds it with 95 %, its parts taken as independent.
class WeightedMean {
 public:
  void add(double value, double weight);
  double mean() const;
  double low() const { return mean() - 1.96 * error(); }
  double high() const { return mean() + 1.96 * error(); }

 private:
  double error() const;
  double weighted_ = 0.0, weights_ = 0.0;
  std::vector<std::pair<double, double>> parts_;
};

// Over the items with a demand of more than 1.1 of their seats.
struct RiskFigures {
  std::size_t items = 0;
  WeightedMean overload_time;  // share of the time with more people than seats
  WeightedMean met_full;       // of those whom a list brought
  WeightedMean seats_used;

  void add(const std::vector<ItemSeen>& seen);
};

struct RiskResult {
  RiskFigures whole, after;  // after: the second half, where a shock is
  WeightedMean value;        // glad people for each list, over seeds
};

RiskResult measure_risk(const RiskOptions& options, Workers& workers);

}  // namespace headroom::sim
