#include "headroom/rank/prices.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace headroom {
namespace {

constexpr std::size_t kChunk = 64;  // askers whose sums are added before others': never by threads

// What a list does to the dual: usage, the slope of it, and the value at these prices.
struct Sums {
  std::vector<double> usage, slope;
  double value = 0.0;
};

// The soft choice of one asker: the share x of each place, sum(x) <= n.
class SoftChoice {
 public:
  SoftChoice(const Demand& demand, std::span<const float> capacity, float softness)
      : demand_(demand), capacity_(capacity), softness_(softness) {}

  // Adds what the asker takes at these prices. `level` is where the last place was found in the
  // iteration before, and is set anew: only candidates near it are looked at twice.
  void add(const Demand::Asker& asker, std::span<const float> prices, float& level, Sums& to) {
    gather(asker, prices, level);
    if (threshold_ > std::max(0.0F, last_of(asker.n) - softness_)) {
      gather(asker, prices, 0.0F);  // prices moved too far
    }
    const float last = near_.size() < asker.n ? 0.0F : last_of(asker.n);
    level = last - 8.0F * softness_;
    const float cut = cut_of(asker.n, last);
    const double weight = static_cast<double>(asker.lists) * static_cast<double>(asker.seats);
    for (const Near& one : near_) {
      const float x = std::clamp((one.value - cut) / softness_, 0.0F, 1.0F);
      if (x <= 0.0F) continue;
      to.usage[one.item] += weight * static_cast<double>(x);
      if (x < 1.0F) to.slope[one.item] += weight / static_cast<double>(softness_);
    }
    to.value += weight * best_sum(asker.n);
  }

 private:
  struct Near {
    float value;  // chance - price
    std::uint32_t item;
  };

  void gather(const Demand::Asker& asker, std::span<const float> prices, float level) {
    threshold_ = std::max(level, 0.0F);
    near_.clear();
    for (std::size_t k = asker.begin; k < asker.end; ++k) {
      const auto item = static_cast<std::uint32_t>(demand_.items[k]);
      const float value = demand_.chances[k] - prices[item];
      if (value > threshold_ && asker.seats <= capacity_[item]) near_.push_back({value, item});
    }
  }

  float last_of(std::size_t n) {
    if (near_.size() < n) return 0.0F;
    const auto last = near_.begin() + static_cast<std::ptrdiff_t>(n - 1);
    std::nth_element(near_.begin(), last, near_.end(),
                     [](const Near& a, const Near& b) { return a.value > b.value; });
    return last->value;
  }

  // Where the shares add up to n, or 0 if they never do.
  float cut_of(std::size_t n, float last) const {
    float low = std::max(0.0F, last - softness_), high = std::max(low, last);
    const auto taken = [&](float cut) {
      float sum = 0.0F;
      for (const Near& one : near_) {
        sum += std::clamp((one.value - cut) / softness_, 0.0F, 1.0F);
      }
      return sum;
    };
    if (taken(low) <= static_cast<float>(n)) return low;
    for (int step = 0; step < 16; ++step) {
      const float middle = 0.5F * (low + high);
      (taken(middle) > static_cast<float>(n) ? low : high) = middle;
    }
    return high;
  }

  // The n largest are in front since last_of().
  double best_sum(std::size_t n) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < std::min(n, near_.size()); ++k) {
      sum += static_cast<double>(near_[k].value);
    }
    return sum;
  }

  const Demand& demand_;
  std::span<const float> capacity_;
  float softness_;
  float threshold_ = 0.0F;
  std::vector<Near> near_;
};

// Sums over all askers, chunk by chunk in their order.
class Dual {
 public:
  Dual(const Demand& demand, std::span<const float> capacity, float softness, Workers& workers)
      : demand_(demand),
        capacity_(capacity),
        softness_(softness),
        workers_(workers),
        levels_(demand.askers.size()) {
    total_.usage.resize(capacity.size());
    total_.slope.resize(capacity.size());
  }

  const Sums& at(std::span<const float> prices) {
    const std::size_t chunks = (demand_.askers.size() + kChunk - 1) / kChunk;
    std::fill(total_.usage.begin(), total_.usage.end(), 0.0);
    std::fill(total_.slope.begin(), total_.slope.end(), 0.0);
    total_.value = 0.0;
    // Only a few chunks' sums are held at once.
    const std::size_t at_once = std::max<std::size_t>(1, std::min(chunks, kHeld));
    parts_.resize(at_once);
    for (std::size_t first = 0; first < chunks; first += at_once) {
      const std::size_t held = std::min(at_once, chunks - first);
      workers_.each(held, [&](std::size_t n) { add_chunk(first + n, prices, parts_[n]); });
      for (std::size_t n = 0; n < held; ++n) add(parts_[n]);
    }
    return total_;
  }

 private:
  static constexpr std::size_t kHeld = 32;

  void add_chunk(std::size_t chunk, std::span<const float> prices, Sums& to) {
    to.usage.assign(capacity_.size(), 0.0);
    to.slope.assign(capacity_.size(), 0.0);
    to.value = 0.0;
    SoftChoice choice(demand_, capacity_, softness_);
    const std::size_t end = std::min(demand_.askers.size(), (chunk + 1) * kChunk);
    for (std::size_t n = chunk * kChunk; n < end; ++n) {
      choice.add(demand_.askers[n], prices, levels_[n], to);
    }
  }
  void add(const Sums& part) {
    for (std::size_t j = 0; j < capacity_.size(); ++j) {
      total_.usage[j] += part.usage[j];
      total_.slope[j] += part.slope[j];
    }
    total_.value += part.value;
  }

  const Demand& demand_;
  std::span<const float> capacity_;
  float softness_;
  Workers& workers_;
  std::vector<float> levels_;  // by asker
  std::vector<Sums> parts_;
  Sums total_;
};

// The median over askers of the chance on the last place, at no price, and the highest chance.
struct Scale {
  float last = 0.0F, range = 0.0F;
};

Scale scale_of(const Demand& demand) {
  std::vector<float> lasts, chances;
  Scale scale;
  for (const Demand::Asker& asker : demand.askers) {
    const auto begin = demand.chances.begin();
    chances.assign(begin + static_cast<std::ptrdiff_t>(asker.begin),
                   begin + static_cast<std::ptrdiff_t>(asker.end));
    if (chances.empty() || asker.n == 0) continue;
    const auto last = chances.begin() + static_cast<std::ptrdiff_t>(
                                            std::min<std::size_t>(asker.n, chances.size()) - 1);
    std::nth_element(chances.begin(), last, chances.end(), std::greater<>());
    lasts.push_back(*last);
    scale.range = std::max(scale.range, *std::max_element(chances.begin(), last + 1));
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

}  // namespace

Prices solve_prices(const Demand& demand, std::span<const float> capacity, const Prices& from,
                    const PriceOptions& options, Workers& workers) {
  const std::size_t items = capacity.size();
  const bool warm = from.values.size() == items && from.curvature.size() == items;
  const Scale scale = scale_of(demand);
  Prices best;
  best.values = warm ? from.values : std::vector<float>(items);
  best.curvature = warm ? from.curvature : std::vector<float>(items);
  best.bound_prices = best.values;
  if (!(scale.last > 0.0F)) return best;
  Dual dual(demand, capacity, options.softness * scale.last, workers);
  std::vector<float> ahead = best.values, next(items);
  double momentum = 1.0;
  best.bound = std::numeric_limits<double>::infinity();
  const unsigned iterations = warm ? options.warm : options.cold;
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    const Sums& sums = dual.at(ahead);
    if (const double bound = sums.value + cost_of(ahead, capacity); bound < best.bound) {
      best.bound = bound;
      best.bound_prices = ahead;
    }
    double mean = 0.0;
    for (std::size_t j = 0; j < items; ++j) {
      best.curvature[j] = std::max(static_cast<float>(sums.slope[j]), 0.8F * best.curvature[j]);
      mean += static_cast<double>(best.curvature[j]);
    }
    mean /= static_cast<double>(items);
    const double most = 0.2 * static_cast<double>(scale.range);
    double uphill = 0.0;
    for (std::size_t j = 0; j < items; ++j) {
      const double excess = sums.usage[j] - static_cast<double>(capacity[j]);
      const double curvature = static_cast<double>(best.curvature[j]) + 0.3 * mean + 1e-12;
      next[j] = static_cast<float>(std::max(
          0.0, static_cast<double>(ahead[j]) + std::clamp(excess / curvature, -most, most)));
      const double moved = static_cast<double>(next[j]) - static_cast<double>(best.values[j]);
      if (moved != 0.0) uphill -= excess * moved;
    }
    if (uphill > 0.0) momentum = 1.0;
    const double grown = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const double push = (momentum - 1.0) / grown;
    momentum = grown;
    for (std::size_t j = 0; j < items; ++j) {
      const double moved = static_cast<double>(next[j]) - static_cast<double>(best.values[j]);
      ahead[j] = static_cast<float>(std::max(0.0, static_cast<double>(next[j]) + push * moved));
    }
    best.values.swap(next);
  }
  return best;
}

double bound_at(const Demand& demand, std::span<const float> capacity,
                std::span<const float> prices, Workers& workers) {
  // As good as hard: the value does not depend on the softness.
  Dual dual(demand, capacity, 1e-6F, workers);
  return dual.at(prices).value + cost_of(prices, capacity);
}

float price_factor(float used, float steepness) { return std::exp(steepness * (used - 0.9F)); }

}  // namespace headroom
