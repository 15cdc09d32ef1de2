#include "headroom/rank/finder.hpp"

#include <algorithm>
#include <limits>

namespace headroom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Looked for beyond what a list wants: some of it is taken by the lists before.
constexpr std::size_t kSpare = 8;
// Who asks may be found to hold a little less by the time of the answer.
constexpr float kLess = 0.9F;

constexpr WorthMore worth_more;

enum : std::size_t { kListed, kFree, kFrozen };  // what is looked for

// The most seats before its factor that an item has room for. A factor counts up to 2 only: with
// shares up to a half no place is then thought to hold more than it does.
float offered_room(const Terms& terms, ItemIx item) {
  const Shelf& shelf = terms.shelf();
  if (index(item) >= shelf.offered.size() || shelf.offered[index(item)] == 0) return -1.0F;
  return shelf.ledger.room(item) / std::min(terms.factor(item), 2.0F);
}

// What a place holds at least before an item's factor.
float least_seats(const Terms& terms, const Asking& asking, float share) {
  if (!asking.may_hold) return kInfinity;
  if (!obeys_room(terms.rules().policy)) return 0.0F;
  const bool whole = terms.rules().holding == Holding::kWhole;
  return asking.seats * (whole ? share : std::min(share, 0.5F));
}

}  // namespace

void Finder::renew(const Terms& terms, std::uint64_t prices, std::span<const std::uint32_t> rows) {
  const std::size_t before = prices == prices_heard_ ? std::min(room_.size(), learner_.items()) : 0;
  prices_heard_ = prices;
  for (auto* values : {&room_, &price_}) values->resize(learner_.items());
  is_moved_.resize(learner_.items());
  for (const std::uint32_t row : rows) {
    if (row < before) renew(terms, row);
  }
  for (std::size_t row = before; row < room_.size(); ++row) {
    renew(terms, static_cast<std::uint32_t>(row));
  }
}

void Finder::renew(const Terms& terms, std::uint32_t row) {
  const ItemIx item{row};
  const float room = offered_room(terms, item), price = terms.price(item);
  if (room == room_[row] && price == price_[row]) return;
  if (is_moved_[row] == 0) {
    is_moved_[row] = 1;
    moved_.push_back({item, room_[row], price_[row]});
  }
  offers_moved_ = offers_moved_ || (room < 0.0F) != (room_[row] < 0.0F);
  room_[row] = room;
  price_[row] = price;
}

std::vector<Search> Finder::searches(const Terms& terms) const {
  const Shelf& shelf = terms.shelf();
  Search listed;
  if (terms.is_priced()) {
    listed.calibration = &shelf.calibration;
    listed.prices = price_;
  }
  if (terms.rules().policy == Policy::kCutoff) listed.cutoffs = shelf.cutoffs;
  return {listed, {&shelf.calibration, {}, {}}, {&shelf.calibration, frozen_, {}}};
}

Seeker Finder::seeker(const Terms& terms, const Asking& asking, std::size_t most,
                      float share) const {
  Seeker seeker{asking.user, {}, &asking.filter};
  seeker.wishes[kListed] = {most, least_seats(terms, asking, share) * kLess};
  if (!asking.certified) return seeker;
  seeker.wishes[kFree].most = asking.n;
  if (!frozen_.empty()) seeker.wishes[kFrozen].most = asking.n;
  return seeker;
}

void Finder::look(const Terms& terms, std::span<const Asking> askings,
                  std::span<const float> frozen) {
  for (const Moved& moved : moved_) is_moved_[index(moved.item)] = 0;
  moved_.clear();
  offers_moved_ = false;
  frozen_ = frozen;
  seekers_.clear();
  for (const Asking& asking : askings) {
    const std::size_t most = terms.candidates(asking.n);
    const float share = terms.least_share(asking.n);
    seekers_.push_back(seeker(terms, asking, most + kSpare, share));
  }
  found_ = scan(learner_, seekers_, searches(terms), room_, workers_);
}

bool Finder::gained(const Moved& moved, const Seeker::Wish& wish) const {
  const std::size_t j = index(moved.item);
  return price_[j] < moved.price || (moved.room < wish.seats && wish.seats <= room_[j]);
}

void Finder::add_gained(const Terms& terms, std::size_t at, const Asking& asking, float share,
                        std::vector<Found>& to) const {
  const std::vector<Found>& found = found_[at][kListed];
  std::vector<ItemIx> items;
  for (const Moved& moved : moved_) {
    if (!gained(moved, seekers_[at].wishes[kListed])) continue;
    const auto is_it = [&](const Found& one) { return one.item == moved.item; };
    if (std::none_of(found.begin(), found.end(), is_it)) items.push_back(moved.item);
  }
  std::vector<float> scores(items.size());
  learner_.score_some(asking.user, items, scores);
  for (std::size_t n = 0; n < items.size(); ++n) {
    if (!terms.may_be_listed(asking, items[n], scores[n], share)) continue;
    to.push_back({terms.value(scores[n], price_[index(items[n])]), scores[n], items[n]});
  }
}

std::vector<Found> Finder::best(const Terms& terms, std::size_t at, const Asking& asking,
                                std::size_t most, float share) const {
  const Seeker::Wish& wish = seekers_[at].wishes[kListed];
  const std::vector<Found>& found = found_[at][kListed];
  const bool all = found.size() < wish.most;  // nothing else may be listed
  constexpr float kRounding = 0.999F;
  const bool had_room = least_seats(terms, asking, share) * kRounding >= wish.seats;
  if (!had_room || (!all && wish.most < most)) return best_alone(terms, asking, most, share);

  std::vector<Found> out;
  for (Found one : found) {
    const std::size_t j = index(one.item);
    if (is_moved_[j] != 0) one.value = terms.value(one.score, price_[j]);
    if (!all && worth_more(found.back(), one)) continue;  // others may be worth more
    if (terms.may_be_listed(asking, one.item, one.score, share)) out.push_back(one);
  }
  add_gained(terms, at, asking, share, out);
  std::sort(out.begin(), out.end(), worth_more);
  const bool sure =
      all || most == 0 || (out.size() >= most && !worth_more(found.back(), out[most - 1]));
  if (!sure) return best_alone(terms, asking, most, share);
  out.resize(std::min(out.size(), most));
  return out;
}

std::vector<Found> Finder::best_alone(const Terms& terms, const Asking& asking, std::size_t most,
                                      float share) const {
  const std::vector<Search> searches = this->searches(terms);
  for (std::size_t wanted = most + kSpare;; wanted *= 4) {
    const Seeker one = seeker(terms, asking, wanted, share);
    auto found = std::move(
        scan(learner_, std::span(&one, 1), std::span(searches).first(1), room_, workers_)[0][0]);
    const bool all = found.size() < wanted;
    std::erase_if(found, [&](const Found& each) {
      return !terms.may_be_listed(asking, each.item, each.score, share);
    });
    if (!all && found.size() < most) continue;
    found.resize(std::min(found.size(), most));
    return found;
  }
}

Finder::Worth Finder::worth_of(const FoundBest& found, std::size_t n) const {
  const double free = sum_of_best(found[kFree], n);
  return {free, frozen_.empty() ? free : sum_of_best(found[kFrozen], n)};
}

Finder::Worth Finder::most_worth(const Terms& terms, std::size_t at, const Asking& asking) const {
  if (!offers_moved_) return worth_of(found_[at], asking.n);
  const Seeker one = seeker(terms, asking, 0, 0.0F);
  return worth_of(scan(learner_, std::span(&one, 1), searches(terms), room_, workers_)[0],
                  asking.n);
}

}  // namespace headroom
