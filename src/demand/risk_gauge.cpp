#include "headroom/demand/risk_gauge.hpp"

#include <algorithm>
#include <cmath>

#include "headroom/base/error.hpp"
#include "headroom/demand/normal.hpp"

namespace headroom {

namespace {

constexpr double kFirst = 0.25, kGrid = 0.05;  // of quantiles, down to -4.5
// In a town where everything was known and everything in demand it was .4 at all sizes and risks.
constexpr double kPrior = 0.35, kPriorInformation = 20.0, kTermInformation = 40.0;
// Looks at one item within a visit's time say nearly the same: so many count as one.
constexpr double kAlike = 5.0;
constexpr double kMemory = 0.995;  // half after 139 parts, 12 hours with windows of 30 minutes
constexpr double kLeast = -0.25, kMost = 1.2;
constexpr double kFarthest = 3.5;

}  // namespace

RiskGauge::RiskGauge() {
  all_ = {kPrior, kPriorInformation};
  of_size_.fill({0.0, kTermInformation});
  of_level_.fill({0.0, kTermInformation});
}

std::size_t RiskGauge::size_of(const Item& item) {
  return static_cast<std::size_t>(std::clamp(std::log2(item.seats), 0.0, kSizes - 1.0));
}
std::uint8_t RiskGauge::level_of(float pressure) {
  return static_cast<std::uint8_t>(
      std::min(static_cast<std::size_t>(pressure * kLevels), kLevels - 1));
}

double RiskGauge::off(const Item& item) const {
  return all_.value + of_size_[size_of(item)].value + of_level_[item.level].value;
}

double RiskGauge::chance(Aim aim) { return normal_share(kFirst - kGrid * aim); }

RiskGauge::Aim RiskGauge::nearest(double quantile) {
  const double at = (kFirst - quantile) / kGrid;
  return static_cast<Aim>(std::lround(std::clamp(at, 0.0, kAims - 1.0)));
}

RiskGauge::Aim RiskGauge::aim(const Item& item, double quantile) const {
  return nearest(quantile - std::clamp(off(item), kLeast, kMost));
}

void RiskGauge::Term::learn(double slope, double gained) {
  information += gained;
  value += slope / information;
}

void RiskGauge::observe(const Item& item, Aim aim, bool over) {
  // Beyond that a look weighs next to nothing, just where the most is wrong.
  const double z = std::clamp(kFirst - kGrid * aim + off(item), -kFarthest, kFarthest);
  const double chance = normal_share(z), density = normal_density(z);
  const double weight = density / (chance * (1.0 - chance)) / kAlike;
  const double slope = ((over ? 1.0 : 0.0) - chance) * weight;
  for (Term* term : {&all_, &of_size_[size_of(item)], &of_level_[item.level]}) {
    term->learn(slope, density * weight);
  }
}

void RiskGauge::pass(std::int64_t parts) {
  const double kept = std::pow(kMemory, static_cast<double>(parts));
  const auto fade = [kept](Term& term, double least) {
    term.information = std::max(kept * term.information, least);
  };
  fade(all_, kPriorInformation);
  for (Term& term : of_size_) fade(term, kTermInformation);
  for (Term& term : of_level_) fade(term, kTermInformation);
}

void RiskGauge::save(ByteWriter& out) const {
  out.put(all_);
  out.put(of_size_);
  out.put(of_level_);
}

bool RiskGauge::is_good(const Term& term) {
  return std::isfinite(term.value) && std::isfinite(term.information) && term.information > 0.0;
}

void RiskGauge::load(ByteReader& in) {
  all_ = in.get<Term>();
  of_size_ = in.get<std::array<Term, kSizes>>();
  of_level_ = in.get<std::array<Term, kLevels>>();
  bool good = is_good(all_);
  for (const Term& term : of_size_) good = good && is_good(term);
  for (const Term& term : of_level_) good = good && is_good(term);
  if (!good) throw Error("the state store: the gauge of risks is damaged");
}

}  // namespace headroom
