#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/model/calibration.hpp"
#include "headroom/model/learner.hpp"
#include "headroom/rank/filter.hpp"

namespace headroom {

// What is looked for: the items of most value, chance - price, or score - price without a
// calibration. What lies beyond prices has none; beyond cutoffs nobody needs a score.
struct Search {
  const Calibration* calibration = nullptr;
  std::span<const float> prices;   // by item, at least 0
  std::span<const float> cutoffs;  // by item the score that only what scores higher is found for
};

// So much can be looked for at once, with one calibration if any.
inline constexpr std::size_t kMostSearches = 3;

// Who looks for items.
struct Seeker {
  struct Wish {
    std::size_t most = 0;  // items wanted
    float seats = 0.0F;    // that a place holds; infinite: only items without capacity
  };
  UserIx user;
  std::array<Wish, kMostSearches> wishes;  // by search
  const Filter* filter = nullptr;          // of what this user may have; none: anything
};

struct Found {
  float value;
  float score;
  ItemIx item;
};

// Higher value first, the lower index first among equals, as in top_n.hpp.
struct WorthMore {
  bool operator()(const Found& a, const Found& b) const {
    return a.value != b.value ? a.value > b.value : index(a.item) < index(b.item);
  }
};

// By search, best first.
using FoundBest = std::array<std::vector<Found>, kMostSearches>;

// The best items of every seeker, exactly: one pass over all items for many seekers at once, with a
// running threshold for each, in which the blocks of the learner, lined up, are read in turn and
// only what may pass is looked at closely. `room` are by item the seats that may be had, below 0
// where it is not offered, as what lies beyond is not. Blocks in which nobody could have an item
// are not read. The same on any number of threads, and whoever is sought for beside.
std::vector<FoundBest> scan(const Learner& learner, std::span<const Seeker> seekers,
                            std::span<const Search> searches, std::span<const float> room,
                            Workers& workers);

// The sum of the largest n values, of those above 0: what a seeker of at least n adds to the
// Lagrangian bound at these prices.
double sum_of_best(std::span<const Found> found, std::size_t n);

}  // namespace headroom
