#include "headroom/rank/prices.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace headroom {
namespace {

constexpr std::size_t kChunk = 64;  // askers whose sums are added before others': never by threads

constexpr float kNever = 1e30F;  // minus so much is worth less than anything

struct Candidate {
  float chance;
  std::uint32_t item;
};

// The n-th largest, or 0 if there are not so many. `best` gets at least the n largest, those first.
float nth_largest(std::span<const float> values, std::size_t n, std::vector<float>& best) {
  best.clear();
  if (n == 0 || values.size() < n) {
    best.assign(values.begin(), values.end());
    return 0.0F;
  }
  // The n-th largest among the largest of each block is at most the n-th largest of all, and not
  // far below.
  const std::size_t block = std::clamp<std::size_t>(values.size() / (4 * n), 1, 16);
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    const std::size_t end = std::min(values.size(), begin + block);
    float most = -kNever;  // what is not a number is never more
    for (std::size_t k = begin; k < end; ++k) most = std::max(most, values[k]);
    best.push_back(most);
  }
  const auto nth = static_cast<std::ptrdiff_t>(n - 1);
  const auto take = [&] {
    std::nth_element(best.begin(), best.begin() + nth, best.end(), std::greater<>());
    return best[n - 1];
  };
  const float least = take();
  if (block == 1) return least;
  best.clear();
  for (const float value : values) {
    if (value >= least) best.push_back(value);
  }
  return take();
}

// A share of a place that an asker takes of an item.
struct Taken {
  std::uint32_t item;
  float share, chance;
};

// What a chunk of askers does to the dual.
struct Part {
  std::vector<Taken> taken;
  struct End {
    std::size_t at;  // in `taken`, of this asker's
    double weight;
  };
  std::vector<End> ends;
  double value = 0.0;
  std::vector<float> values, order;  // to work with

  void clear() {
    taken.clear();
    ends.clear();
    value = 0.0;
  }
};

// Sums over all askers of their soft choice: the share x of each place, sum(x) <= n. Chunk by chunk
// in their order.
class Dual {
 public:
  Dual(const Demand& demand, std::span<const float> capacity, float softness, Workers& workers)
      : demand_(demand),
        capacity_(capacity),
        softness_(softness),
        workers_(workers),
        kept_(demand.askers.size()),
        usage_(capacity.size()),
        slope_(capacity.size()),
        worth_(capacity.size()) {}

  std::span<const double> usage() const { return usage_; }
  std::span<const double> slope() const { return slope_; }  // of the usage, down with the price
  double best() const { return best_; }  // what lists are worth at these prices, less the prices
  // What the soft lists are worth, each item cut to its capacity: some lists that fit.
  double fitting() const {
    double sum = 0.0;
    for (std::size_t j = 0; j < usage_.size(); ++j) {
      const auto capacity = static_cast<double>(capacity_[j]);
      sum += usage_[j] > capacity ? worth_[j] * (capacity / usage_[j]) : worth_[j];
    }
    return sum;
  }

  void move_to(std::span<const float> prices) {
    note_fall(prices);
    for (auto* sums : {&usage_, &slope_, &worth_}) std::fill(sums->begin(), sums->end(), 0.0);
    best_ = 0.0;
    // Only a few chunks' parts are held at once.
    const std::size_t chunks = (demand_.askers.size() + kChunk - 1) / kChunk;
    parts_.resize(std::min(chunks, kHeld));
    for (std::size_t first = 0; first < chunks; first += kHeld) {
      const std::size_t held = std::min(kHeld, chunks - first);
      workers_.each(held, [&](std::size_t n) { take_chunk(first + n, prices, parts_[n]); });
      for (std::size_t n = 0; n < held; ++n) add(parts_[n]);
    }
  }

 private:
  static constexpr std::size_t kHeld = 64;

  // The candidates of an asker that can come into its list. No other was worth more than `outside`
  // when prices had fallen by `fallen`, so now none is worth more than that and the fall since.
  struct Kept {
    std::vector<Candidate> near;
    float outside = std::numeric_limits<float>::infinity();
    double fallen = 0.0;
  };

  void note_fall(std::span<const float> prices) {
    double most = 0.0;
    for (std::size_t j = 0; j < prices_.size(); ++j) {
      most = std::max(most, static_cast<double>(prices_[j] - prices[j]));
    }
    last_fall_ = most;
    fallen_ += most + 1e-7;  // and the rounding
    prices_.assign(prices.begin(), prices.end());
  }

  void take_chunk(std::size_t chunk, std::span<const float> prices, Part& to) {
    to.clear();
    const std::size_t end = std::min(demand_.askers.size(), (chunk + 1) * kChunk);
    for (std::size_t n = chunk * kChunk; n < end; ++n) {
      const Demand::Asker& asker = demand_.askers[n];
      if (asker.n == 0) continue;
      float last = value(kept_[n], asker, prices, to);
      if (static_cast<double>(kept_[n].outside) + fallen_ - kept_[n].fallen >=
          static_cast<double>(std::max(0.0F, last - softness_))) {
        keep(kept_[n], asker, prices, to);
        last = value(kept_[n], asker, prices, to);
      }
      take(kept_[n], asker, last, to);
      narrow(kept_[n], last, to);
    }
  }

  // What each kept candidate is worth at these prices; the worth of the last place.
  float value(const Kept& kept, const Demand::Asker& asker, std::span<const float> prices,
              Part& to) const {
    to.values.resize(kept.near.size());
    for (std::size_t k = 0; k < kept.near.size(); ++k) {
      to.values[k] = kept.near[k].chance - prices[kept.near[k].item];
    }
    return nth_largest(to.values, asker.n, to.order);
  }

  // Looks through all candidates for those that can matter now and after some more steps.
  void keep(Kept& kept, const Demand::Asker& asker, std::span<const float> prices, Part& to) const {
    const std::size_t count = asker.end - asker.begin;
    to.values.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto item = static_cast<std::uint32_t>(demand_.items[asker.begin + k]);
      const bool offered = asker.seats <= capacity_[item];
      const float worth = demand_.chances[asker.begin + k] - prices[item];
      to.values[k] = offered && worth > -kNever ? worth : -kNever;  // nor what is not a number
    }
    kept.outside = far_below(nth_largest(to.values, asker.n, to.order));
    kept.fallen = fallen_;
    kept.near.clear();
    for (std::size_t k = 0; k < count; ++k) {
      if (to.values[k] <= kept.outside) continue;
      const std::size_t at = asker.begin + k;
      kept.near.push_back({demand_.chances[at], static_cast<std::uint32_t>(demand_.items[at])});
    }
  }

  // So far below the last place that a few steps lift nothing from there into the list.
  float far_below(float last) const {
    return std::max(0.0F, last) - 4.0F * (softness_ + static_cast<float>(last_fall_));
  }

  // Steps grow smaller, and fewer candidates can matter.
  void narrow(Kept& kept, float last, const Part& part) const {
    const float outside = far_below(last);
    const auto near =
        static_cast<std::size_t>(std::count_if(part.values.begin(), part.values.end(),
                                               [outside](float worth) { return worth > outside; }));
    if (4 * near > 3 * kept.near.size()) return;
    std::size_t to = 0;
    for (std::size_t k = 0; k < kept.near.size(); ++k) {
      if (part.values[k] > outside) kept.near[to++] = kept.near[k];
    }
    kept.near.resize(to);
    kept.outside = std::max(outside, kept.outside + static_cast<float>(fallen_ - kept.fallen));
    kept.fallen = fallen_;
  }

  void take(const Kept& kept, const Demand::Asker& asker, float last, Part& to) const {
    const double weight = static_cast<double>(asker.lists) * static_cast<double>(asker.seats);
    double sum = 0.0;
    for (std::size_t k = 0; k < std::min<std::size_t>(asker.n, to.order.size()); ++k) {
      sum += static_cast<double>(std::max(0.0F, to.order[k]));
    }
    to.value += weight * sum;
    const float cut = cut_of(asker.n, last, to);
    for (std::size_t k = 0; k < to.values.size(); ++k) {
      if (to.values[k] <= cut) continue;
      const float share = std::min(1.0F, (to.values[k] - cut) / softness_);
      to.taken.push_back({kept.near[k].item, share, kept.near[k].chance});
    }
    to.ends.push_back({to.taken.size(), weight});
  }

  // Where the shares add up to n, or 0 if they never do. Only what is near the last place is looked
  // at more than once.
  float cut_of(std::size_t n, float last, Part& to) const {
    float low = std::max(0.0F, last - softness_), high = std::max(low, last);
    float whole = 0.0F;
    to.order.clear();
    for (const float worth : to.values) {
      if (worth >= high + softness_) {
        whole += 1.0F;
      } else if (worth > low) {
        to.order.push_back(worth);
      }
    }
    // The sum of shares falls with the cut along straight pieces: Newton's steps find the last one.
    float cut = low;
    for (int step = 0; step < 16; ++step) {
      float sum = whole, partly = 0.0F;
      for (const float worth : to.order) {
        const float share = (worth - cut) / softness_;
        sum += std::clamp(share, 0.0F, 1.0F);
        if (share > 0.0F && share < 1.0F) partly += 1.0F;
      }
      const float over = sum - static_cast<float>(n);
      if (step == 0 && over <= 0.0F) return low;  // there is place for all
      if (std::abs(over) <= 1e-4F) return cut;
      (over > 0.0F ? low : high) = cut;
      const float next = cut + softness_ * over / partly;
      cut = next > low && next < high ? next : 0.5F * (low + high);
    }
    return high;
  }

  void add(const Part& part) {
    std::size_t at = 0;
    for (const Part::End& end : part.ends) {
      const double slope = end.weight / static_cast<double>(softness_);
      for (; at < end.at; ++at) {
        const Taken& one = part.taken[at];
        const double usage = end.weight * static_cast<double>(one.share);
        usage_[one.item] += usage;
        worth_[one.item] += usage * static_cast<double>(one.chance);
        if (one.share < 1.0F) slope_[one.item] += slope;
      }
    }
    best_ += part.value;
  }

  const Demand& demand_;
  std::span<const float> capacity_;
  float softness_;
  Workers& workers_;
  std::vector<Kept> kept_;     // by asker
  std::vector<float> prices_;  // of the step before
  double fallen_ = 0.0, last_fall_ = 0.0;
  std::vector<Part> parts_;
  std::vector<double> usage_, slope_, worth_;  // by item
  double best_ = 0.0;
};

// The median over askers of the chance on the last place, at no price, and the highest chance; over
// some of them, if there are many.
struct Scale {
  float last = 0.0F, range = 0.0F;
};

Scale scale_of(const Demand& demand) {
  constexpr std::size_t kEnough = 500;
  std::vector<float> lasts, best;
  Scale scale;
  const std::size_t each = 1 + demand.askers.size() / kEnough;
  for (std::size_t i = 0; i < demand.askers.size(); i += each) {
    const Demand::Asker& asker = demand.askers[i];
    const auto chances = std::span(demand.chances).subspan(asker.begin, asker.end - asker.begin);
    if (chances.empty() || asker.n == 0) continue;
    lasts.push_back(nth_largest(chances, std::min<std::size_t>(asker.n, chances.size()), best));
    scale.range = std::max(scale.range, *std::max_element(best.begin(), best.end()));
  }
  if (lasts.empty()) return scale;
  const auto middle = lasts.begin() + static_cast<std::ptrdiff_t>(lasts.size() / 2);
  std::nth_element(lasts.begin(), middle, lasts.end());
  scale.last = *middle;
  return scale;
}

double cost_of(std::span<const float> prices, std::span<const float> capacity) {
  double cost = 0.0;
  for (std::size_t j = 0; j < capacity.size(); ++j) {
    // What is unlimited has no price.
    if (prices[j] > 0.0F) cost += static_cast<double>(prices[j]) * static_cast<double>(capacity[j]);
  }
  return cost;
}

bool finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// One step after another from the prices of before, or from none.
class Descent {
 public:
  Descent(Dual& dual, std::span<const float> capacity, float most_step, Prices& prices)
      : dual_(dual),
        capacity_(capacity),
        most_step_(static_cast<double>(most_step)),
        prices_(prices),
        ahead_(prices.values),
        next_(prices.values.size()) {}

  // How far lists that fit are from the bound, at the prices looked at.
  double look() {
    dual_.move_to(ahead_);
    const double bound = dual_.best() + cost_of(ahead_, capacity_);
    if (bound < prices_.bound) {
      prices_.bound = bound;
      prices_.bound_prices = ahead_;
    }
    return 1.0 - dual_.fitting() / bound;
  }

  // Fewer askers than before make a flatter dual.
  void flatten() {
    double now = 0.0, before = 0.0;
    for (std::size_t j = 0; j < capacity_.size(); ++j) {
      now += dual_.slope()[j];
      before += static_cast<double>(prices_.curvature[j]);
    }
    if (!(now < before)) return;
    for (float& curvature : prices_.curvature) curvature *= static_cast<float>(now / before);
  }

  void step() {
    const double mean = note_curvature();
    double uphill = 0.0;
    for (std::size_t j = 0; j < capacity_.size(); ++j) {
      const double excess = dual_.usage()[j] - static_cast<double>(capacity_[j]);
      const double curvature = static_cast<double>(prices_.curvature[j]) + 0.3 * mean + 1e-12;
      const double step = std::clamp(excess / curvature, -most_step_, most_step_);
      next_[j] = static_cast<float>(std::max(0.0, static_cast<double>(ahead_[j]) + step));
      const double moved = static_cast<double>(next_[j]) - static_cast<double>(prices_.values[j]);
      if (moved != 0.0) uphill -= excess * moved;
    }
    if (uphill > 0.0) momentum_ = 1.0;
    const double grown = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_));
    const double push = (momentum_ - 1.0) / grown;
    momentum_ = grown;
    for (std::size_t j = 0; j < capacity_.size(); ++j) {
      const double moved = static_cast<double>(next_[j]) - static_cast<double>(prices_.values[j]);
      ahead_[j] = static_cast<float>(std::max(0.0, static_cast<double>(next_[j]) + push * moved));
    }
    prices_.values.swap(next_);
  }

 private:
  // Its mean.
  double note_curvature() {
    double sum = 0.0;
    for (std::size_t j = 0; j < capacity_.size(); ++j) {
      float& curvature = prices_.curvature[j];
      curvature = std::max(static_cast<float>(dual_.slope()[j]), 0.8F * curvature);
      sum += static_cast<double>(curvature);
    }
    return sum / static_cast<double>(capacity_.size());
  }

  Dual& dual_;
  std::span<const float> capacity_;
  double most_step_, momentum_ = 1.0;
  Prices& prices_;
  std::vector<float> ahead_, next_;
};

}  // namespace

Prices solve_prices(const Demand& demand, std::span<const float> capacity, const Prices& from,
                    const PriceOptions& options, Workers& workers) {
  const std::size_t items = capacity.size();
  const bool warm = from.values.size() == items && from.curvature.size() == items &&
                    finite(from.values) && finite(from.curvature);
  Prices prices;
  prices.values = warm ? from.values : std::vector<float>(items);
  prices.curvature = warm ? from.curvature : std::vector<float>(items);
  prices.bound_prices = prices.values;
  const Scale scale = scale_of(demand);
  if (!(scale.last > 0.0F)) return prices;  // nobody asks for anything
  prices.bound = std::numeric_limits<double>::infinity();
  Dual dual(demand, capacity, options.softness * scale.last, workers);
  Descent descent(dual, capacity, 0.2F * scale.range, prices);
  const double first_gap = prices.gap = descent.look();
  if (warm) descent.flatten();
  const unsigned steps = warm ? options.warm : options.cold;
  for (unsigned step = 1; step < steps && !(prices.gap <= options.enough); ++step) {
    descent.step();
    prices.gap = descent.look();
  }
  descent.step();
  constexpr double kFar = 0.2;
  prices.converged = std::isfinite(prices.bound) && std::isfinite(prices.gap) &&
                     finite(prices.values) && (prices.gap <= kFar || prices.gap < first_gap);
  return prices;
}

double bound_at(const Demand& demand, std::span<const float> capacity,
                std::span<const float> prices, Workers& workers) {
  // As good as hard: the value does not depend on the softness.
  Dual dual(demand, capacity, 1e-6F, workers);
  dual.move_to(prices);
  return dual.best() + cost_of(prices, capacity);
}

float price_factor(float used, float steepness) { return std::exp(steepness * (used - 0.9F)); }

}  // namespace headroom
