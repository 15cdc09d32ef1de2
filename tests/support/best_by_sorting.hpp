#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "headroom/rank/allot.hpp"

namespace headroom::test {

// The rule as it stands: all that may be listed, sorted.
inline std::vector<Found> best_by_sorting(const Asking& asking, const Terms& terms,
                                          std::span<const float> scores, std::size_t most,
                                          float share) {
  std::vector<Found> all;
  for (std::uint32_t j = 0; j < scores.size(); ++j) {
    const ItemIx item{j};
    if (!terms.may_be_listed(asking, item, scores[j], share)) continue;
    all.push_back({terms.value(scores[j], terms.price(item)), scores[j], item});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& a, const Found& b) { return a.value > b.value; });
  all.resize(std::min(all.size(), most));
  return all;
}

}  // namespace headroom::test
