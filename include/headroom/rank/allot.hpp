#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headroom/demand/ledger.hpp"
#include "headroom/model/calibration.hpp"
#include "headroom/rank/choice_model.hpp"
#include "headroom/rank/filter.hpp"

namespace headroom {

// How a list is chosen.
enum class Policy : std::uint8_t {
  kNone,    // the best, full or not: no capacity counts
  kCutoff,  // the best, each item only to those who score it highest: the paper's post-processing
  kGreedy,  // the best that have room
  kPrice,   // the best by chance less price that have room
};

// Whether an item that is full is on no list.
inline bool obeys_room(Policy policy) {
  return policy == Policy::kGreedy || policy == Policy::kPrice;
}

// What a place of a list holds.
enum class Holding : std::uint8_t {
  kChoice,  // p times the chance that it is the one chosen
  kWhole,   // p, each of them
};

struct AllotRules {
  Policy policy = Policy::kPrice;
  Holding holding = Holding::kChoice;
  float steepness = 0.5F;  // of prices as a place fills up, see price_factor()
};

// What the items are like just now, by row.
struct Shelf {
  std::span<const std::uint8_t> offered;  // not 0: may be on a list
  const Ledger& ledger;
  const Calibration& calibration;
  const ChoiceModel& choice;
  std::span<const float> prices;   // none: nothing has a price
  std::span<const float> cutoffs;  // the score that kCutoff wants of an item; none: any
};

struct Asking {
  std::span<const float> scores;  // by row; `offered` is at least as long
  std::size_t n = 10;
  float seats = 0.0F;    // p times the party
  bool may_hold = true;  // else only items without capacity
  Filter filter;         // of this user's own
};

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
  std::vector<Pick> picks;  // the highest score first
  std::size_t offered = 0;  // items that are not closed, hidden or removed, nor filtered out
  std::size_t full = 0;     // of these, items without enough room; counted only if a place is left
};

// The one place that decides what goes on a list. The hard rule: no place holds more than its item
// has room. Where `none` or `cutoff` show an item that is full, the place holds what is left.
Choice allot(const Asking& asking, const Shelf& shelf, const AllotRules& rules);

// The most that any list is worth at these prices, full items included: the sum of chance less
// price over the n best places, where that is above 0.
double most_worth(const Asking& asking, const Shelf& shelf, std::span<const float> prices);

std::string_view to_string(Policy policy);

}  // namespace headroom
