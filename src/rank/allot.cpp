#include "headroom/rank/allot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "headroom/rank/prices.hpp"
#include "headroom/rank/top_n.hpp"

namespace headroom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Candidate {
  float value = 0.0F;  // what it is chosen by
  float score = 0.0F;
  float price = 0.0F;
  ItemIx item{};
};

// The lower row first among equals: one order, so that lists are repeatable.
bool better(const Candidate& a, const Candidate& b) {
  return a.value != b.value ? a.value > b.value : index(a.item) < index(b.item);
}
bool scores_better(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : index(a.item) < index(b.item);
}

// The best by chance less price, best first, in one scan. The running threshold is one of scores:
// no price makes a chance higher, so that who scores below it need not be looked at.
template <class Allowed, class PriceOf>
std::vector<Candidate> best_priced(std::span<const float> scores, std::size_t count,
                                   const Calibration& calibration, const Allowed& allowed,
                                   const PriceOf& price_of) {
  std::vector<Candidate> heap;  // the worst of the kept is in front
  heap.reserve(count + 1);
  float least = -kInfinity;
  for (std::uint32_t j = 0; j < scores.size() && count > 0; ++j) {
    const ItemIx item{j};
    if (scores[j] <= least && heap.size() == count) continue;
    if (!allowed(item, scores[j])) continue;
    const float price = price_of(item);
    const Candidate candidate{calibration.chance(scores[j]) - price, scores[j], price, item};
    if (heap.size() == count && !better(candidate, heap.front())) continue;
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end(), better);
    if (heap.size() > count) {
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
    if (heap.size() < count) continue;
    least = calibration.score_below(heap.front().value);
  }
  std::sort_heap(heap.begin(), heap.end(), better);
  return heap;
}

class Allotting {
 public:
  Allotting(const Asking& asking, const Shelf& shelf, const AllotRules& rules)
      : asking_(asking),
        shelf_(shelf),
        rules_(rules),
        priced_(rules.policy == Policy::kPrice && !shelf.prices.empty()),
        obeys_room_(obeys_room(rules.policy)),
        least_share_(least_share()) {}

  Choice run() {
    // Each round drops one place and takes the next candidate.
    const bool whole = rules_.holding == Holding::kWhole;
    candidates_ = best(whole ? asking_.n : 2 * asking_.n);
    const std::size_t first = std::min(asking_.n, candidates_.size());
    next_ = first;
    listed_.assign(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(first));
    while (!fits()) drop_worst();
    if (listed_.size() < asking_.n && !whole) fill_up();
    Choice choice;
    for (std::size_t n = 0; n < listed_.size(); ++n) choice.picks.push_back(pick(n));
    if (choice.picks.size() < asking_.n) count_reasons(choice);
    return choice;
  }

 private:
  // No place of a list is likely to have less than half of what the last of equals has.
  float least_share() const {
    if (rules_.holding == Holding::kWhole || asking_.n == 0) return 1.0F;
    std::vector<float> logits(asking_.n), shares(asking_.n);
    shelf_.choice.shares(logits, shares);
    return 0.5F * *std::min_element(shares.begin(), shares.end());
  }

  bool has_room(ItemIx item) const {
    const float room = shelf_.ledger.room(item);
    if (!asking_.may_hold) return std::isinf(room);
    return !obeys_room_ || taken_by(item, least_share_) <= room;
  }
  // Whatever is known of an item, nobody chooses it more often than always.
  float taken_by(ItemIx item, float share) const {
    return asking_.seats * std::min(1.0F, share * factor(item));
  }
  float factor(ItemIx item) const {
    return rules_.holding == Holding::kChoice ? shelf_.ledger.factor(item) : 1.0F;
  }
  bool is_offered(ItemIx item) const {
    return shelf_.offered[index(item)] != 0 && asking_.filter.allows(item);
  }
  bool may_be_listed(ItemIx item, float score) const {
    if (!is_offered(item) || !has_room(item)) return false;
    return rules_.policy != Policy::kCutoff || index(item) >= shelf_.cutoffs.size() ||
           score > shelf_.cutoffs[index(item)];
  }
  float price(ItemIx item) const {
    if (!priced_ || index(item) >= shelf_.prices.size()) return 0.0F;
    const float price = shelf_.prices[index(item)];
    if (price == 0.0F || rules_.steepness == 0.0F) return price;
    return price * price_factor(shelf_.ledger.used(item), rules_.steepness);
  }

  std::vector<Candidate> best(std::size_t count) const {
    const auto allowed = [this](ItemIx item, float score) { return may_be_listed(item, score); };
    if (priced_) {
      return best_priced(asking_.scores, count, shelf_.calibration, allowed,
                         [this](ItemIx item) { return price(item); });
    }
    std::vector<Candidate> out;
    for (const Scored& one : top_n(asking_.scores, count, [&](ItemIx item) {
           return may_be_listed(item, asking_.scores[index(item)]);
         })) {
      out.push_back({one.score, one.score, 0.0F, one.item});
    }
    return out;
  }

  // Sets what each place is expected to take. False: one of them takes more than there is.
  bool fits() {
    std::sort(listed_.begin(), listed_.end(), scores_better);
    shares_.assign(listed_.size(), 1.0F);
    if (rules_.holding == Holding::kChoice) {
      logits_.clear();
      for (const Candidate& one : listed_) logits_.push_back(shelf_.calibration.logit(one.score));
      shelf_.choice.shares(logits_, shares_);
    }
    if (!obeys_room_ || !asking_.may_hold) return true;
    for (std::size_t n = 0; n < listed_.size(); ++n) {
      if (wanted(n) > shelf_.ledger.room(listed_[n].item)) return false;
    }
    return true;
  }
  float wanted(std::size_t n) const { return taken_by(listed_[n].item, shares_[n]); }

  void drop_worst() {
    std::size_t worst = 0;
    float most = -kInfinity;
    for (std::size_t n = 0; n < listed_.size(); ++n) {
      const float beyond = wanted(n) - shelf_.ledger.room(listed_[n].item);
      if (beyond > most) std::tie(worst, most) = std::tuple(n, beyond);
    }
    listed_.erase(listed_.begin() + static_cast<std::ptrdiff_t>(worst));
    if (next_ < candidates_.size()) listed_.push_back(candidates_[next_++]);
  }

  // What has room for the whole party fits whatever its share, and takes from the others' shares.
  void fill_up() {
    least_share_ = 1.0F;
    for (const Candidate& one : best(asking_.n + listed_.size())) {
      if (listed_.size() == asking_.n) break;
      const auto is_it = [&](const Candidate& other) { return other.item == one.item; };
      if (std::none_of(listed_.begin(), listed_.end(), is_it)) listed_.push_back(one);
    }
    fits();
  }

  Pick pick(std::size_t n) const {
    const Candidate& one = listed_[n];
    Pick pick;
    pick.item = one.item;
    pick.score = one.score;
    pick.chance = shelf_.calibration.chance(one.score);
    pick.price = one.price;
    pick.room = shelf_.ledger.room(one.item);
    if (asking_.may_hold) {
      pick.expected = asking_.seats * shares_[n];
      pick.held = std::min(wanted(n), pick.room);
    }
    return pick;
  }

  void count_reasons(Choice& choice) const {
    for (std::uint32_t j = 0; j < asking_.scores.size(); ++j) {
      if (!is_offered(ItemIx{j})) continue;
      ++choice.offered;
      choice.full += may_be_listed(ItemIx{j}, asking_.scores[j]) ? 0 : 1;
    }
  }

  const Asking& asking_;
  const Shelf& shelf_;
  const AllotRules& rules_;
  const bool priced_, obeys_room_;
  float least_share_;                           // items without room for it are not looked at
  std::vector<Candidate> candidates_, listed_;  // best first; in the order of the list
  std::size_t next_ = 0;                        // candidate
  std::vector<float> logits_, shares_;
};

}  // namespace

Choice allot(const Asking& asking, const Shelf& shelf, const AllotRules& rules) {
  return Allotting(asking, shelf, rules).run();
}

double most_worth(const Asking& asking, const Shelf& shelf, std::span<const float> prices) {
  const auto best = best_priced(
      asking.scores, asking.n, shelf.calibration,
      [&](ItemIx item, float /*score*/) {
        return shelf.offered[index(item)] != 0 && asking.filter.allows(item);
      },
      [&](ItemIx item) { return index(item) < prices.size() ? prices[index(item)] : 0.0F; });
  double sum = 0.0;
  for (const Candidate& one : best) sum += std::max(0.0, static_cast<double>(one.value));
  return sum;
}

std::string_view to_string(Policy policy) {
  constexpr std::string_view kNames[] = {"none", "cutoff", "greedy", "price"};
  return kNames[static_cast<std::size_t>(policy)];
}

}  // namespace headroom
