#include "headroom/rank/allot.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace headroom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The lower row first among equals: one order, so that lists are repeatable.
bool scores_better(const Found& a, const Found& b) {
  return a.score != b.score ? a.score > b.score : index(a.item) < index(b.item);
}

class Allotting {
 public:
  Allotting(const Asking& asking, const Terms& terms, const BestOf& best_of)
      : asking_(asking),
        terms_(terms),
        shelf_(terms.shelf()),
        best_of_(best_of),
        whole_(terms.rules().holding == Holding::kWhole),
        obeys_room_(obeys_room(terms.rules().policy)),
        least_share_(terms.least_share(asking.n)) {}

  Choice run() {
    // Each round drops one place and takes the next candidate.
    candidates_ = best_of_(terms_.candidates(asking_.n), least_share_);
    const std::size_t first = std::min(asking_.n, candidates_.size());
    next_ = first;
    listed_.assign(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(first));
    while (!fits()) drop_worst();
    if (listed_.size() < asking_.n && !whole_) fill_up();
    Choice choice;
    for (std::size_t n = 0; n < listed_.size(); ++n) choice.picks.push_back(pick(n));
    if (choice.picks.size() < asking_.n) count_reasons(choice);
    return choice;
  }

 private:
  // With `choice` its rank brings people to a place: the first is the one worth most, its price
  // counted. With `whole` it brings none, and what the user likes best comes first.
  bool goes_before(const Found& a, const Found& b) const {
    return whole_ ? scores_better(a, b) : WorthMore()(a, b);
  }

  // Sets what each place is expected to take. False: one of them takes more than there is.
  bool fits() {
    std::sort(listed_.begin(), listed_.end(),
              [this](const Found& a, const Found& b) { return goes_before(a, b); });
    shares_.assign(listed_.size(), 1.0F);
    if (!whole_) {
      logits_.clear();
      for (const Found& one : listed_) logits_.push_back(shelf_.calibration.logit(one.score));
      shelf_.choice.shares(logits_, shares_);
    }
    if (!obeys_room_ || !asking_.may_hold) return true;
    for (std::size_t n = 0; n < listed_.size(); ++n) {
      if (wanted(n) > shelf_.ledger.room(listed_[n].item)) return false;
    }
    return true;
  }
  float wanted(std::size_t n) const {
    return terms_.taken_by(asking_, listed_[n].item, shares_[n]);
  }

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
    for (const Found& one : best_of_(asking_.n + listed_.size(), least_share_)) {
      if (listed_.size() == asking_.n) break;
      const auto is_it = [&](const Found& other) { return other.item == one.item; };
      if (std::none_of(listed_.begin(), listed_.end(), is_it)) listed_.push_back(one);
    }
    fits();
  }

  Pick pick(std::size_t n) const {
    const Found& one = listed_[n];
    Pick pick;
    pick.item = one.item;
    pick.score = one.score;
    pick.chance = shelf_.calibration.chance(one.score);
    pick.price = terms_.price(one.item);
    pick.room = shelf_.ledger.room(one.item);
    if (asking_.may_hold) {
      pick.expected = asking_.seats * shares_[n];
      pick.held = std::min(wanted(n), pick.room);
    }
    return pick;
  }

  void count_reasons(Choice& choice) const {
    std::size_t with_room = 0;
    for (std::uint32_t j = 0; j < shelf_.offered.size(); ++j) {
      if (!terms_.is_offered(asking_, ItemIx{j})) continue;
      ++choice.offered;
      with_room += terms_.may_be_listed(asking_, ItemIx{j}, kInfinity, least_share_) ? 1 : 0;
    }
    // A cutoff wants to know the scores.
    if (terms_.rules().policy == Policy::kCutoff) {
      with_room = best_of_(choice.offered, least_share_).size();
    }
    choice.full = choice.offered - with_room;
  }

  const Asking& asking_;
  const Terms& terms_;
  const Shelf& shelf_;
  const BestOf& best_of_;
  const bool whole_, obeys_room_;
  float least_share_;                       // items without room for it are not looked at
  std::vector<Found> candidates_, listed_;  // best first; in the order of the list
  std::size_t next_ = 0;                    // candidate
  std::vector<float> logits_, shares_;
};

}  // namespace

Choice allot(const Asking& asking, const Terms& terms, const BestOf& best_of) {
  return Allotting(asking, terms, best_of).run();
}

}  // namespace headroom
