#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/model/factors.hpp"

namespace headroom {

// The paper's post-processing baseline (Algorithm 1): item j is shown only to the c_j users who
// score it highest, so that no capacity is ever exceeded.
class Cutoff {
 public:
  Cutoff(const Factors& factors, const std::vector<float>& capacity, Workers& workers);

  bool admits(UserIx user, ItemIx item, float score) const {
    const Last& last = last_[index(item)];
    return score != last.score ? score > last.score
                               : static_cast<std::int64_t>(index(user)) <= last.user;
  }

 private:
  struct Last {  // the last user admitted
    float score;
    std::int64_t user;
  };
  std::vector<Last> last_;
};

// The same where users come one after another: an item is shown only above the score that a `share`
// of its active users exceeds, share = capacity / active users. From a sample of their scores,
// which is reordered. With a share of 1, or with no sample, everything is above it; with a share of
// 0 nothing is.
float cutoff_score(std::span<float> sample, double share);

}  // namespace headroom
