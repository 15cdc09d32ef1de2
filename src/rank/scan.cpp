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

// The best so far of one seeker. More than wanted are gathered before the rest is dropped, so that
// the work for each is small however many are wanted.
class Best {
 public:
  Best(std::size_t most, const Calibration* calibration)
      : most_(most), calibration_(calibration), cut_(most > 0 ? -kInfinity : kInfinity) {}

  // No score up to this one can get in.
  float cut() const { return cut_; }

  void offer(float score, float price, ItemIx item) {
    const float worth = calibration_ == nullptr ? score : calibration_->chance(score);
    const Found found{worth - price, score, item};
    if (full_ && !worth_more(found, last_)) return;
    kept_.push_back(found);
    if (kept_.size() == (full_ ? most_ + std::max(most_, kSpare) : most_)) drop();
  }

  std::vector<Found> take() {
    std::sort(kept_.begin(), kept_.end(), worth_more);
    if (kept_.size() > most_) kept_.resize(most_);
    return std::move(kept_);
  }

 private:
  static constexpr std::size_t kSpare = 8;

  void drop() {
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
    std::nth_element(kept_.begin(), last, kept_.end(), worth_more);
    last_ = *last;
    full_ = true;
    kept_.resize(most_);
    // Prices only take away: what is worth less than the last value before its price can't get in.
    cut_ = calibration_ == nullptr ? std::nextafter(last_.value, -kInfinity)
                                   : calibration_->score_below(last_.value);
  }

  std::size_t most_;
  const Calibration* calibration_;
  std::vector<Found> kept_;
  bool full_ = false;
  Found last_{};  // the last of the best, once there are enough
  float cut_;
};

// Which items of each block anybody could have who takes `least` seats.
std::vector<std::uint32_t> open_blocks(const Search& search, std::size_t items, float least) {
  std::vector<std::uint32_t> open((items + kBlockItems - 1) / kBlockItems);
  const float below = std::nextafter(std::max(least, 0.0F), -kInfinity);
  const std::size_t known = std::min(items, search.room.size());
  for (std::size_t b = 0; b * kBlockItems < known; ++b) {
    const auto room = search.room.subspan(b * kBlockItems);
    if (known - b * kBlockItems >= kBlockItems) {
      open[b] = kernels().above(room.data(), below);
      continue;
    }
    for (std::size_t n = 0; b * kBlockItems + n < known; ++n) {
      open[b] |= (room[n] > below ? 1U : 0U) << n;
    }
  }
  return open;
}

// Some seekers on their way through the items.
class Group {
 public:
  Group(const Learner& learner, std::span<const Seeker> seekers, const Search& search)
      : learner_(learner), search_(search), rank_(learner.options().rank) {
    const std::size_t tiles = (seekers.size() + kTileUsers - 1) / kTileUsers;
    vectors_.resize(tiles * rank_ * kTileUsers);
    cuts_.assign(tiles * kTileUsers, kInfinity);
    for (const Seeker& seeker : seekers) add(seeker);
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

  std::vector<Found> take(std::size_t at) { return ones_[at].best.take(); }

 private:
  struct One {
    Seeker seeker;
    Learner::View view;
    Best best;
  };

  void add(const Seeker& seeker) {
    const std::size_t at = ones_.size();
    ones_.push_back({seeker, learner_.view(seeker.user), Best(seeker.most, search_.calibration)});
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
    learner_.score_some(one.seeker.user, one.view.known, scores);
    for (std::size_t n = 0; n < scores.size(); ++n) consider(one, one.view.known[n], scores[n]);
  }

  static bool is_among(std::span<const ItemIx> ordered, ItemIx item) {
    return std::binary_search(ordered.begin(), ordered.end(), item);
  }

  void consider(One& one, ItemIx item, float score) {
    const std::size_t j = index(item);
    if (!(score > one.best.cut()) || j >= search_.room.size()) return;
    if (!(one.seeker.seats <= search_.room[j]) || is_among(one.seeker.without, item)) return;
    one.best.offer(score, search_.prices.empty() ? 0.0F : search_.prices[j], item);
  }

  // Scores that are more than sums are not known yet when sums are cut.
  void set_cut(std::size_t at) {
    cuts_[at] = ones_[at].view.is_sum ? ones_[at].best.cut() : -kInfinity;
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
      passing &= kernels().above(scores, one.best.cut());
    }
    for (; passing != 0; passing &= passing - 1) {
      const auto n = static_cast<std::uint32_t>(std::countr_zero(passing));
      const ItemIx item{static_cast<std::uint32_t>(block * kBlockItems) + n};
      if (!is_among(one.view.known, item)) consider(one, item, scores[n]);
    }
    set_cut(at);
  }

  const Learner& learner_;
  const Search& search_;
  std::size_t rank_;
  std::vector<One> ones_;
  AlignedFloats vectors_;    // tile by tile, as the kernel reads them
  std::vector<float> cuts_;  // by seeker: no sum up to it gets in
  // Of the tile at hand.
  alignas(64) float sums_[kTileUsers * kBlockItems];
  std::uint32_t above_[kTileUsers];
};

}  // namespace

std::vector<std::vector<Found>> scan(const Learner& learner, std::span<const Seeker> seekers,
                                     const Search& search, Workers& workers) {
  assert(learner.lined_up());
  std::vector<std::vector<Found>> found(seekers.size());
  float least = kInfinity;
  for (const Seeker& seeker : seekers) least = std::min(least, seeker.seats);
  const std::vector<std::uint32_t> open = open_blocks(search, learner.items(), least);
  // As many groups as threads, if they are not too large for it.
  const std::size_t share = (seekers.size() + workers.threads() - 1) / workers.threads();
  const std::size_t size =
      std::clamp((share + kTileUsers - 1) / kTileUsers * kTileUsers, kTileUsers, kGroup);
  workers.each((seekers.size() + size - 1) / size, [&](std::size_t at) {
    const auto some = seekers.subspan(at * size, std::min(size, seekers.size() - at * size));
    Group group(learner, some, search);
    for (std::size_t b = 0; b < open.size(); ++b) {
      if (open[b] != 0) group.look_at(b, open[b]);
    }
    for (std::size_t n = 0; n < some.size(); ++n) found[at * size + n] = group.take(n);
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
