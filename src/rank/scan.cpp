#include "headroom/rank/scan.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "headroom/base/kernels.hpp"

namespace headroom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Seekers that share one reading of the items: their vectors and scores stay in the nearest cache.
constexpr std::size_t kGroup = 64;
constexpr std::size_t kFew = 2;
static_assert(kGroup % kTileUsers == 0);

// The best so far of one seeker. Where many are wanted, still more are gathered before the rest is
// dropped, so that the work for each is small.
class Best {
 public:
  // As if there were enough items of at least the value `guess`; -infinity: no guess.
  Best(const Search& search, const Seeker::Wish& wish, float guess)
      : search_(&search), wish_(wish), cut_(wish.most > 0 ? -kInfinity : kInfinity) {
    if (wish.most == 0 || guess == -kInfinity) return;
    last_ = {guess, 0.0F, kLastItem};
    full_ = true;
    set_cut(by_chance() ? search.calibration->score_below(guess) : below(guess));
  }

  // No score up to this one can get in.
  float cut() const { return cut_; }
  bool wants(float score, std::size_t j, float room) const {
    return score > cut_ && wish_.seats <= room && score > cut_ + rise_ * price(j);
  }

  // `chance` is that of the score, below 0 where it was not asked for yet.
  void offer(float score, float& chance, ItemIx item) {
    const std::size_t j = index(item);
    if (j < search_->cutoffs.size() && !(score > search_->cutoffs[j])) return;
    const float price = this->price(j);
    if (by_chance() && chance < 0.0F) {
      // Without a price the cut has said so.
      if (price > 0.0F && full_ && search_->calibration->most_chance(score) - price < last_.value) {
        return;
      }
      chance = search_->calibration->chance(score);
    }
    const Found found{(by_chance() ? chance : score) - price, score, item};
    if (full_ && !WorthMore()(found, last_)) return;
    if (wish_.most <= kFewWanted) return insert(found);
    kept_.push_back(found);
    if (kept_.size() == (full_ ? wish_.most + std::max(wish_.most, kSpare) : wish_.most)) drop();
  }

  std::vector<Found> take() {
    if (kept_.size() > wish_.most) drop();
    std::sort(kept_.begin(), kept_.end(), WorthMore());
    return std::move(kept_);
  }

 private:
  static constexpr std::size_t kSpare = 8, kFewWanted = 32;
  static constexpr ItemIx kLastItem{std::numeric_limits<std::uint32_t>::max()};

  // In order: for a few that is less work than to gather and drop.
  void insert(const Found& found) {
    if (kept_.size() == wish_.most) kept_.pop_back();
    kept_.push_back(found);
    for (std::size_t n = kept_.size() - 1; n > 0 && WorthMore()(found, kept_[n - 1]); --n) {
      std::swap(kept_[n], kept_[n - 1]);
    }
    if (kept_.size() == wish_.most) raise(kept_.back());
  }

  void drop() {
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(wish_.most - 1);
    std::nth_element(kept_.begin(), last, kept_.end(), WorthMore());
    raise(*last);
    kept_.resize(wish_.most);
  }

  void raise(const Found& last) {
    last_ = last;
    full_ = true;
    if (!by_chance()) return set_cut(below(last.value));
    const Calibration& calibration = *search_->calibration;
    set_cut(price(index(last.item)) == 0.0F ? calibration.score_below(last.value, last.score)
                                            : calibration.score_below(last.value));
  }

  // Prices only take away: what is worth less than the last value before its price can't get in,
  // and the higher the price, the higher the score that it takes.
  void set_cut(float cut) {
    cut_ = cut;
    if (by_chance() && !search_->prices.empty()) {
      rise_ = search_->calibration->rise_above(last_.value);
    }
  }

  static float below(float value) { return std::nextafter(value, -kInfinity); }
  bool by_chance() const { return search_->calibration != nullptr; }
  float price(std::size_t j) const {
    return j < search_->prices.size() ? search_->prices[j] : 0.0F;
  }

  const Search* search_;
  Seeker::Wish wish_;
  std::vector<Found> kept_;
  bool full_ = false;
  Found last_{};  // the last of the best, once there are enough
  float cut_;
  float rise_ = 0.0F;  // of the score that it takes, for each unit of price
};

// Which items of each block anybody could have who takes `least` seats.
std::vector<std::uint32_t> open_blocks(std::span<const float> room, std::size_t items,
                                       float least) {
  std::vector<std::uint32_t> open((items + kBlockItems - 1) / kBlockItems);
  const float below = std::nextafter(std::max(least, 0.0F), -kInfinity);
  const std::size_t known = std::min(items, room.size());
  for (std::size_t b = 0; b * kBlockItems < known; ++b) {
    const auto of_block = room.subspan(b * kBlockItems);
    if (known - b * kBlockItems >= kBlockItems) {
      open[b] = kernels().above(of_block.data(), below);
      continue;
    }
    for (std::size_t n = 0; b * kBlockItems + n < known; ++n) {
      open[b] |= (of_block[n] > below ? 1U : 0U) << n;
    }
  }
  return open;
}

// Of one seeker, by search.
using Guess = std::array<float, kMostSearches>;
constexpr Guess kNoGuess{-kInfinity, -kInfinity, -kInfinity};

// Some seekers on their way through the items.
class Group {
 public:
  Group(const Learner& learner, std::span<const Seeker> seekers, std::span<const Search> searches,
        std::span<const float> room, std::span<const Guess> guesses)
      : learner_(learner), searches_(searches), room_(room), rank_(learner.options().rank) {
    const std::size_t tiles = (seekers.size() + kTileUsers - 1) / kTileUsers;
    vectors_.resize(tiles * rank_ * kTileUsers);
    cuts_.assign(tiles * kTileUsers, kInfinity);
    for (std::size_t n = 0; n < seekers.size(); ++n) {
      add(seekers[n], guesses.empty() ? kNoGuess : guesses[n]);
    }
  }

  void look_at(std::size_t block, std::uint32_t open) {
    const std::size_t tiles = cuts_.size() / kTileUsers;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::size_t first = tile * kTileUsers;
      const std::size_t count = std::min(kTileUsers, ones_.size() - first);
      if ((score(tile, count, block) & open) == 0) continue;
      for (std::size_t u = 0; u < count; ++u) {
        const std::uint32_t passing = above_[u] & open;
        if (passing != 0) look_closely(first + u, block, passing, &sums_[u * kBlockItems]);
      }
    }
  }

  FoundBest take(std::size_t at) {
    FoundBest found;
    for (std::size_t k = 0; k < searches_.size(); ++k) found[k] = ones_[at].best[k].take();
    return found;
  }

 private:
  struct One {
    const Filter* filter;
    Learner::View view;
    std::vector<Best> best;  // by search
  };

  // The least over all searches.
  static float cut_of(const One& one) {
    float cut = kInfinity;
    for (const Best& best : one.best) cut = std::min(cut, best.cut());
    return cut;
  }

  void add(const Seeker& seeker, const Guess& guess) {
    const std::size_t at = ones_.size();
    ones_.push_back({seeker.filter, learner_.view(seeker.user), {}});
    for (std::size_t k = 0; k < searches_.size(); ++k) {
      ones_.back().best.emplace_back(searches_[k], seeker.wishes[k], guess[k]);
    }
    begin_with_known(ones_.back());
    set_cut(at);
    const float* const z = ones_.back().view.vector;
    if (z == nullptr) return;
    float* const tile = &vectors_[at / kTileUsers * rank_ * kTileUsers];
    for (std::size_t k = 0; k < rank_; ++k) tile[k * kTileUsers + at % kTileUsers] = z[k];
  }

  // The items of which a block does not say all.
  void begin_with_known(One& one) {
    std::vector<float> scores(one.view.known.size());
    learner_.score_some(one.view.user, one.view.known, scores);
    for (std::size_t n = 0; n < scores.size(); ++n) consider(one, one.view.known[n], scores[n]);
  }

  void consider(One& one, ItemIx item, float score) {
    if (index(item) >= room_.size()) return;
    const float room = room_[index(item)];
    bool allowed = false;
    float chance = -1.0F;
    for (Best& best : one.best) {
      if (!best.wants(score, index(item), room)) continue;
      allowed = allowed || one.filter == nullptr || one.filter->allows(item);
      if (!allowed) return;
      best.offer(score, chance, item);
    }
  }

  // Scores that are more than sums are not known yet when sums are cut.
  void set_cut(std::size_t at) {
    cuts_[at] = ones_[at].view.is_sum ? cut_of(ones_[at]) : -kInfinity;
  }

  // Of a tile, which items may get in for anyone. A tile costs as much for a few as for all of it.
  std::uint32_t score(std::size_t tile, std::size_t count, std::size_t block) {
    const float* const items = learner_.blocks().block(block);
    const float* const cuts = &cuts_[tile * kTileUsers];
    if (count > kFew) {
      const float* const vectors = &vectors_[tile * rank_ * kTileUsers];
      return kernels().score_tile(vectors, rank_, items, cuts, sums_, above_);
    }
    std::uint32_t any = 0;
    for (std::size_t u = 0; u < count; ++u) {
      const float* const z = ones_[tile * kTileUsers + u].view.vector;
      float* const sums = &sums_[u * kBlockItems];
      kernels().score_blocks(z, z == nullptr ? 0 : rank_, items, 1, sums);
      above_[u] = kernels().above(sums, cuts[u]);
      any |= above_[u];
    }
    return any;
  }

  void look_closely(std::size_t at, std::size_t block, std::uint32_t passing, float* scores) {
    One& one = ones_[at];
    if (!one.view.is_sum) {
      learner_.score_block(one.view, block, scores);
      passing &= kernels().above(scores, cut_of(one));
    }
    for (; passing != 0; passing &= passing - 1) {
      const auto n = static_cast<std::uint32_t>(std::countr_zero(passing));
      const ItemIx item{static_cast<std::uint32_t>(block * kBlockItems) + n};
      if (!one.view.is_known(item)) consider(one, item, scores[n]);
    }
    set_cut(at);
  }

  const Learner& learner_;
  std::span<const Search> searches_;
  std::span<const float> room_;
  std::size_t rank_;
  std::vector<One> ones_;
  AlignedFloats vectors_;    // tile by tile, as the kernel reads them
  std::vector<float> cuts_;  // by seeker: no sum up to it gets in
  // Of the tile at hand.
  alignas(64) float sums_[kTileUsers * kBlockItems];
  std::uint32_t above_[kTileUsers];
};

// A scan by groups of seekers.
class Scanning {
 public:
  Scanning(const Learner& learner, std::span<const Search> searches, std::span<const float> room,
           std::span<const std::uint32_t> open)
      : learner_(learner), searches_(searches), room_(room), open_(open) {}

  void find(std::span<const Seeker> seekers, std::span<FoundBest> found) const {
    const std::vector<Guess> guesses = guess(seekers);
    look(seekers, guesses, 1, found);
    if (guesses.empty()) return;
    for (std::size_t n = 0; n < seekers.size(); ++n) {  // hardly ever
      if (too_high(guesses[n], seekers[n], found[n])) {
        look(seekers.subspan(n, 1), {}, 1, found.subspan(n, 1));
      }
    }
  }

 private:
  // Of so many blocks one is looked at for a guess; it pays where that many items are wanted.
  static constexpr std::size_t kSampled = 8, kMany = 64;

  void look(std::span<const Seeker> seekers, std::span<const Guess> guesses, std::size_t each,
            std::span<FoundBest> found) const {
    Group group(learner_, seekers, searches_, room_, guesses);
    for (std::size_t b = each / 2; b < open_.size(); b += each) {
      if (open_[b] != 0) group.look_at(b, open_[b]);
    }
    for (std::size_t n = 0; n < seekers.size(); ++n) found[n] = group.take(n);
  }

  bool too_high(const Guess& guess, const Seeker& seeker, const FoundBest& found) const {
    for (std::size_t k = 0; k < searches_.size(); ++k) {
      if (guess[k] > -kInfinity && found[k].size() < seeker.wishes[k].most) return true;
    }
    return false;
  }

  // A value that somewhat more items than are wanted should reach, by a sample of the blocks: so
  // that few that are not among the best are looked at closely. Empty: it does not pay.
  std::vector<Guess> guess(std::span<const Seeker> seekers) const {
    std::vector<Seeker> some(seekers.begin(), seekers.end());
    bool any = false;
    for (Seeker& seeker : some) {
      for (Seeker::Wish& wish : seeker.wishes) {
        const double expected = static_cast<double>(wish.most) / static_cast<double>(kSampled);
        const double enough = std::ceil(expected + 3.0 * std::sqrt(expected));
        const bool pays = wish.most >= kMany && 4 * wish.most <= learner_.items();
        wish.most = pays ? static_cast<std::size_t>(enough) : 0;
        any = any || pays;
      }
    }
    if (!any) return {};
    std::vector<FoundBest> found(some.size());
    look(some, {}, kSampled, found);
    std::vector<Guess> guesses(some.size(), kNoGuess);
    for (std::size_t n = 0; n < some.size(); ++n) {
      for (std::size_t k = 0; k < searches_.size(); ++k) {
        const std::size_t wanted = some[n].wishes[k].most;
        if (wanted > 0 && found[n][k].size() == wanted) guesses[n][k] = found[n][k].back().value;
      }
    }
    return guesses;
  }

  const Learner& learner_;
  std::span<const Search> searches_;
  std::span<const float> room_;
  std::span<const std::uint32_t> open_;
};

}  // namespace

std::vector<FoundBest> scan(const Learner& learner, std::span<const Seeker> seekers,
                            std::span<const Search> searches, std::span<const float> room,
                            Workers& workers) {
  assert(learner.lined_up() && searches.size() <= kMostSearches);
  std::vector<FoundBest> found(seekers.size());
  float least = kInfinity;
  for (const Seeker& seeker : seekers) {
    for (const Seeker::Wish& wish : std::span(seeker.wishes).first(searches.size())) {
      if (wish.most > 0) least = std::min(least, wish.seats);
    }
  }
  const std::vector<std::uint32_t> open = open_blocks(room, learner.items(), least);
  const Scanning scanning(learner, searches, room, open);
  // As many groups as threads, if they are not too large for it.
  const std::size_t share = (seekers.size() + workers.threads() - 1) / workers.threads();
  const std::size_t size =
      std::clamp((share + kTileUsers - 1) / kTileUsers * kTileUsers, kTileUsers, kGroup);
  workers.each((seekers.size() + size - 1) / size, [&](std::size_t at) {
    const std::size_t first = at * size, count = std::min(size, seekers.size() - first);
    scanning.find(seekers.subspan(first, count), std::span(found).subspan(first, count));
  });
  return found;
}

double sum_of_best(std::span<const Found> found, std::size_t n) {
  double sum = 0.0;
  for (std::size_t k = 0; k < std::min(n, found.size()) && found[k].value > 0.0F; ++k) {
    sum += static_cast<double>(found[k].value);
  }
  return sum;
}

}  // namespace headroom
