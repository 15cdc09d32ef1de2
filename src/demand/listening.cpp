#include "headroom/demand/listening.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "headroom/demand/beta.hpp"

namespace headroom {

namespace {

constexpr double kLow = 0.05, kHigh = 0.95;     // the ends of a 90 % interval
constexpr double kZ = 1.6448536269514722;       // the same of a normal distribution
constexpr float kLeast = 0.01F, kMost = 0.99F;  // the ratio is never sure

// Only a user's first labels speak for the population: else the pairs of the few who ask most,
// which grow with the square, would speak for all.
constexpr std::uint32_t kVoice = 32;

// What the configured prior weighs against the population: so many labels, and so many pairs.
constexpr double kPriorLabels = 20.0, kPriorPairs = 100.0;

constexpr double kWeakest = 0.5, kStrongest = 200.0;

}  // namespace

Listening::Listening(const ListeningOptions& options, RowWatch& watch)
    : options_(options), watch_(watch) {
  assert(options.prior_mean > 0.0F && options.prior_mean < 1.0F && options.prior_strength > 0.0F);
  assert(options.half_life.count() > 0);
}

const Listening::Row* Listening::find(UserIx user) const {
  return index(user) < rows_.size() ? &rows_[index(user)] : nullptr;
}

Listening::Counts Listening::counts_at(const Row* row, Time at) const {
  if (row == nullptr) return {};
  Counts counts = row->counts;
  if (options_.kind == ListeningKind::kForgetting && at > row->last) {
    const std::chrono::duration<double> since = at - row->last, half = options_.half_life;
    const auto kept = static_cast<float>(std::exp2(-(since / half)));
    counts.followed *= kept;
    counts.shown *= kept;
  }
  return counts;
}

// Method of moments. If p varies over users with mean m and variance v, a label is a follow with
// chance m and two labels of one user are both follows with chance m^2 + v; for a Beta,
// v = m(1 - m)/(strength + 1). Both chances are plain ratios of sums that labels add to.
Listening::Prior Listening::learned_prior() const {
  const double m0 = options_.prior_mean;
  const double both0 = m0 * m0 + m0 * (1.0 - m0) / (options_.prior_strength + 1.0);
  const Population& all = population_;
  const double mean = (kPriorLabels * m0 + all.followed) / (kPriorLabels + all.shown);
  const double both = (kPriorPairs * both0 + all.pairs_followed) / (kPriorPairs + all.pairs_shown);
  const double variance = both - mean * mean;
  const double most = mean * (1.0 - mean);
  const double strength = variance > 0.0 ? most / variance - 1.0 : kStrongest;
  return {std::clamp(mean, 1e-3, 1.0 - 1e-3), std::clamp(strength, kWeakest, kStrongest)};
}

double Listening::mean_of(const Counts& counts) const {
  const Prior prior = learned_prior();
  if (options_.kind == ListeningKind::kRatio) {
    const float ratio =
        counts.shown > 0.0F ? counts.followed / counts.shown : static_cast<float>(prior.mean);
    return std::clamp(ratio, kLeast, kMost);
  }
  return (prior.mean * prior.strength + counts.followed) / (prior.strength + counts.shown);
}

void Listening::observe(UserIx user, bool followed, float exposure, Time at) {
  watch_.changing(user);
  if (index(user) >= rows_.size()) rows_.resize(index(user) + 1 + rows_.size() / 2);
  Row& row = rows_[index(user)];
  row.counts = counts_at(&row, at);
  row.last = row.labels == 0 ? at : std::max(row.last, at);

  // A follow was surely seen. An ignored list counts by the chance that it was seen, given that it
  // was not followed: e(1 - p)/(1 - ep), one step of online EM. That keeps followed / shown at p
  // where follows have the chance ep, and is 1 for e = 1.
  const float e = std::clamp(exposure, 0.0F, 1.0F);
  const auto p = static_cast<float>(mean_of(row.counts));
  const float weight = followed ? 1.0F : e * (1.0F - p) / std::max(1.0F - e * p, 1e-6F);
  if (row.labels < kVoice) {
    population_.shown += weight;
    population_.pairs_shown += 2.0 * weight * row.counts.shown;
    if (followed) {
      population_.followed += 1.0;
      population_.pairs_followed += 2.0 * row.counts.followed;
    }
  }
  row.counts.shown += weight;
  row.counts.followed += followed ? 1.0F : 0.0F;
  ++row.labels;
}

float Listening::mean(UserIx user, Time at) const {
  return static_cast<float>(mean_of(counts_at(find(user), at)));
}

Estimate Listening::estimate(UserIx user, Time at) const {
  return estimate_of(counts_at(find(user), at));
}

Estimate Listening::prior() const { return estimate_of({}); }

Estimate Listening::estimate_of(const Counts& counts) const {
  const double mean = mean_of(counts);
  double low = 0.0, high = 1.0;
  if (options_.kind == ListeningKind::kRatio) {
    if (const double n = counts.shown; n > 0.0) {  // Wilson's interval
      const double ratio = counts.followed / n, shrink = 1.0 + kZ * kZ / n;
      const double middle = (ratio + kZ * kZ / (2 * n)) / shrink;
      const double half =
          kZ * std::sqrt(ratio * (1.0 - ratio) / n + kZ * kZ / (4 * n * n)) / shrink;
      low = middle - half;
      high = middle + half;
    }
  } else {
    const double strength = learned_prior().strength + counts.shown;
    const double a = mean * strength, b = strength - a;
    low = beta_quantile(a, b, kLow);
    high = beta_quantile(a, b, kHigh);
  }
  return {static_cast<float>(mean), static_cast<float>(std::clamp(low, 0.0, mean)),
          static_cast<float>(std::clamp(high, mean, 1.0))};
}

void Listening::erase(UserIx user) {
  if (find(user) == nullptr) return;
  watch_.changing(user);
  rows_[index(user)] = {};
}

void Listening::save(UserIx user, ByteWriter& out) const {
  const Row none;
  const Row& row = find(user) != nullptr ? *find(user) : none;
  out.put(row.counts.followed);
  out.put(row.counts.shown);
  out.put(row.last);
  out.put(row.labels);
}

void Listening::load(UserIx user, ByteReader& in) {
  if (index(user) >= rows_.size()) rows_.resize(index(user) + 1 + rows_.size() / 2);
  Row& row = rows_[index(user)];
  row.counts.followed = in.get<float>();
  row.counts.shown = in.get<float>();
  row.last = in.get<Time>();
  row.labels = in.get<std::uint32_t>();
}

void Listening::save_population(ByteWriter& out) const { out.put(population_); }

void Listening::load_population(ByteReader& in) { population_ = in.get<Population>(); }

}  // namespace headroom
