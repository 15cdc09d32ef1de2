#include "headroom/rank/terms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "headroom/rank/prices.hpp"

namespace headroom {

float Terms::price(ItemIx item) const {
  if (!is_priced_ || index(item) >= shelf_.prices.size()) return 0.0F;
  float price = shelf_.prices[index(item)];
  if (price != 0.0F && rules_.steepness != 0.0F) {
    price *= price_factor(shelf_.ledger.used(item), rules_.steepness);
  }
  if (rules_.full_cost != 0.0F) price += rules_.full_cost * shelf_.ledger.crowded(item);
  return price;
}

bool Terms::may_be_listed(const Asking& asking, ItemIx item, float score, float share) const {
  if (!is_offered(asking, item)) return false;
  const float room = shelf_.ledger.room(item);
  if (!asking.may_hold && !std::isinf(room)) return false;
  if (asking.may_hold && obeys_room(rules_.policy) && taken_by(asking, item, share) > room) {
    return false;
  }
  return rules_.policy != Policy::kCutoff || index(item) >= shelf_.cutoffs.size() ||
         score > shelf_.cutoffs[index(item)];
}

float Terms::taken_by(const Asking& asking, ItemIx item, float share) const {
  return asking.seats * std::min(1.0F, share * factor(item));
}

float Terms::least_share(std::size_t n) const {
  if (rules_.holding == Holding::kWhole || n == 0) return 1.0F;
  std::vector<float> logits(n), shares(n);
  shelf_.choice.shares(logits, shares);
  return 0.5F * *std::min_element(shares.begin(), shares.end());
}

std::string_view to_string(Policy policy) {
  constexpr std::string_view kNames[] = {"none", "cutoff", "greedy", "price"};
  return kNames[static_cast<std::size_t>(policy)];
}

}  // namespace headroom
