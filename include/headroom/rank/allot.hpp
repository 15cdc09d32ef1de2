#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "headroom/rank/scan.hpp"
#include "headroom/rank/terms.hpp"

namespace headroom {

struct Pick {
  ItemIx item{};
  float score = 0.0F;
  float chance = 0.0F;
  float price = 0.0F;
  float room = 0.0F;      // before it
  float expected = 0.0F;  // seats, as the choice model has it
  float held = 0.0F;      // the same times the item's own factor, at most the room
};

// What a list was chosen from, to say why it is short.
struct Choice {
  std::vector<Pick> picks;  // in the order of the list
  std::size_t offered = 0;  // items that are not closed, hidden or removed, nor filtered out
  std::size_t full = 0;     // of these, items without enough room; counted only if a place is left
};

// Finds the best `most` of all that Terms say may be listed for the one who asks, where a place
// holds this share; best first.
using BestOf = std::function<std::vector<Found>(std::size_t most, float share)>;

// The one place that decides what goes on a list. The hard rule: no place holds more than its item
// has room. Where `none` or `cutoff` show an item that is full, the place holds what is left.
Choice allot(const Asking& asking, const Terms& terms, const BestOf& best_of);

}  // namespace headroom
