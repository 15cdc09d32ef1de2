#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headroom/base/ids.hpp"
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
std::string_view to_string(Policy policy);

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
  float steepness = 6.0F;  // of prices as a place fills up, see price_factor()
  float full_cost = 1.0F;  // in visits, of sending somebody who finds it full
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
  UserIx user = kNobody;
  std::size_t n = 10;
  float seats = 0.0F;      // p times the party
  bool may_hold = true;    // else only items without capacity
  Filter filter;           // of this user's own
  bool certified = false;  // it is wanted what the list could be worth at most
};

// The rules as they stand for one item, whoever looks for it: what may be listed, at what price.
class Terms {
 public:
  Terms(const Shelf& shelf, const AllotRules& rules)
      : shelf_(shelf),
        rules_(rules),
        is_priced_(rules.policy == Policy::kPrice && !shelf.prices.empty()) {}

  const Shelf& shelf() const { return shelf_; }
  const AllotRules& rules() const { return rules_; }

  // By what items are ranked: chance less price, or the score.
  bool is_priced() const { return is_priced_; }
  float price(ItemIx item) const;  // 0 where nothing is priced
  float value(float score, float price) const {
    return is_priced_ ? shelf_.calibration.chance(score) - price : score;
  }

  bool is_offered(const Asking& asking, ItemIx item) const {
    return shelf_.offered[index(item)] != 0 && asking.filter.allows(item);
  }
  // Where a place holds this share of the party, at least.
  bool may_be_listed(const Asking& asking, ItemIx item, float score, float share) const;
  // What a place with this share of the party holds. Whatever is known of an item, nobody chooses
  // it more often than always.
  float taken_by(const Asking& asking, ItemIx item, float share) const;
  float factor(ItemIx item) const {
    return rules_.holding == Holding::kChoice ? shelf_.ledger.factor(item) : 1.0F;
  }
  // No place of a list of n is likely to have less than half of what the last of equals has.
  float least_share(std::size_t n) const;
  // Of a list of n: those to choose from, each of which takes the place of one that does not fit.
  std::size_t candidates(std::size_t n) const {
    return rules_.holding == Holding::kWhole ? n : 2 * n;
  }

 private:
  Shelf shelf_;
  AllotRules rules_;
  bool is_priced_;
};

}  // namespace headroom
