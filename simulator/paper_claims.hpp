#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "simulator/experiment.hpp"

namespace headroom::sim {

// A row of the paper's Table 1; `tiles` is 0 where it names none.
struct Table1Row {
  std::string_view dataset;
  std::size_t users, items, ratings, tiles;
};
const Table1Row* table_1(std::string_view dataset);  // null: not one of the paper's sets

// The figures that the paper's text states, one row a run.
struct StatedRun {
  std::string_view dataset;
  Method method;
  float alpha;
  double capacity_loss;
  double rmse;      // 0: not stated
  double pairwise;  // 0: not stated
};
const std::vector<StatedRun>& stated_runs();

// When a figure counts as come out: a capacity loss within 8 % of the stated one, or 0.01; an
// accuracy at most 5 % worse. onlyCap (alpha 1) is not trained for accuracy.
bool capacity_loss_held(const StatedRun& stated, double found);
bool accuracy_held(double stated, double found);

}  // namespace headroom::sim
