#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/model/calibration.hpp"
#include "headroom/model/learner.hpp"

namespace headroom {

// Who looks for items.
struct Seeker {
  UserIx user;
  float seats = 0.0F;               // that a place holds; infinite: only items without capacity
  std::size_t most = 10;            // items wanted
  std::span<const ItemIx> without;  // items that are not wanted, ordered
};

// What is looked for: the items of most value, chance - price, or score - price without a
// calibration.
struct Search {
  const Calibration* calibration = nullptr;
  std::span<const float> prices;  // by item, at least 0; empty: none
  // By item the seats that may be had, below 0 where it is not offered; what lies beyond is not
  // offered. No item with less than a place holds.
  std::span<const float> room;
};

struct Found {
  float value;
  float score;
  ItemIx item;
};

// Higher value first, the lower index first among equals, as in top_n.hpp.
inline bool worth_more(const Found& a, const Found& b) {
  return a.value != b.value ? a.value > b.value : index(a.item) < index(b.item);
}

// The best items of every seeker, best first, exactly: one pass over all items for many seekers at
// once, with a running threshold for each, in which the blocks of the learner, lined up, are read
// in turn and only what may pass is looked at closely. Blocks in which nobody could have an item
// are not read. The same on any number of threads, and whoever is sought for beside.
std::vector<std::vector<Found>> scan(const Learner& learner, std::span<const Seeker> seekers,
                                     const Search& search, Workers& workers);

// The sum of the largest n values, of those above 0: what a seeker of at least n adds to the
// Lagrangian bound at these prices.
double sum_of_best(std::span<const Found> found, std::size_t n);

}  // namespace headroom
