#include "simulator/paper_claims.hpp"

#include <algorithm>
#include <cmath>

namespace headroom::sim {

const Table1Row* table_1(std::string_view dataset) {
  static constexpr Table1Row kRows[] = {{"ml-100k", 943, 1682, 100000, 0},
                                        {"ml-1m", 6040, 3706, 1000209, 0},
                                        {"foursquare", 2025, 2759, 85988, 290},
                                        {"gowalla", 7104, 8707, 195722, 4320}};
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Table1Row& r) { return r.dataset == dataset; });
  return row == std::end(kRows) ? nullptr : row;
}

const std::vector<StatedRun>& stated_runs() {
  static const std::vector<StatedRun> runs = {
      {"ml-100k", Method::kPmf, 0.0F, 11.29, 0.38, 0.0},
      {"ml-100k", Method::kPmf, 0.2F, 1.65, 0.71, 0.0},
      {"ml-100k", Method::kPmf, 1.0F, 0.04, 1.43, 0.17},
      {"ml-100k", Method::kBpr, 0.0F, 4.51, 0.0, 0.12},
      {"ml-100k", Method::kBpr, 0.2F, 0.08, 0.0, 0.14},
      {"foursquare", Method::kGeoMf, 0.0F, 2.35, 0.66, 0.0},
      {"foursquare", Method::kGeoMf, 0.2F, 0.15, 0.97, 0.0},
      {"foursquare", Method::kGeoBpr, 0.0F, 0.81, 0.0, 0.31},
      {"foursquare", Method::kGeoBpr, 0.2F, 0.02, 0.0, 0.28}};
  return runs;
}

bool capacity_loss_held(const StatedRun& stated, double found) {
  return std::fabs(found - stated.capacity_loss) <= std::max(0.08 * stated.capacity_loss, 0.01);
}

bool accuracy_held(double stated, double found) { return found <= 1.05 * stated; }

}  // namespace headroom::sim
