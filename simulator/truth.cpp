#include "simulator/truth.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"
#include "simulator/draws.hpp"
#include "simulator/rhythm.hpp"

namespace headroom::sim {
namespace {

constexpr std::pair<TruthKind, std::string_view> kNames[] = {
    {TruthKind::kConstant, "constant"},     {TruthKind::kHour, "hour"},
    {TruthKind::kDrift, "drift"},           {TruthKind::kJump, "jump"},
    {TruthKind::kExperience, "experience"}, {TruthKind::kGroups, "groups"}};

// Parts of the world's random numbers; the city has those below.
enum : std::uint32_t { kListener = 32, kWave, kJumped };

double logit(double p) { return std::log(p / (1.0 - p)); }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// On the logit: people eat lunch where they always do, and are open for a dinner.
double by_hour(Time at) {
  const std::size_t slot = slot_of(at);
  const double hour = (static_cast<double>(slot % kSlotsADay) + 0.5) * 24.0 / kSlotsADay;
  const auto bump = [&](double centre, double width) {
    return std::exp(-0.5 * std::pow((hour - centre) / width, 2.0));
  };
  const double weekend = slot / kSlotsADay >= 5 ? 0.5 : 0.0;
  return 1.2 * bump(19.5, 1.5) - 1.2 * bump(12.5, 1.5) + weekend;
}

double days(Time at) {
  return std::chrono::duration<double, std::ratio<86'400>>(at.time_since_epoch()).count();
}

// Waves of several lengths that nobody else shares: one standard deviation of the logit.
double wandering(std::uint64_t seed, std::uint32_t user, Time at) {
  Draws draws(seed, Purpose::kWorld, user, kWave);
  double sum = 0.0;
  for (const double length : {3.0, 5.0, 8.0, 13.0}) {
    const double own = length * (0.8 + 0.4 * draws.uniform());
    sum += std::sin(2.0 * std::numbers::pi * (days(at) / own + draws.uniform()));
  }
  return sum / std::sqrt(2.0);
}

double draw_chance(Draws& draws) { return draw_beta(1.2, 2.8, draws); }

}  // namespace

TruthKind parse_truth(std::string_view words) {
  std::string all;
  for (const auto& [kind, name] : kNames) {
    if (name == words) return kind;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw Error("one of " + all + " is wanted, not '" + std::string(words) + "'");
}

std::string_view to_string(TruthKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "";
}

ListeningTruth::ListeningTruth(TruthKind kind, std::size_t users, std::uint64_t seed)
    : kind_(kind), seed_(seed), grudges_(users) {
  for (std::uint32_t user = 0; user < users; ++user) {
    Draws draws(seed, Purpose::kWorld, user, kListener);
    const double u = draws.uniform();
    group_.push_back(u < 0.3 ? 0 : u < 0.7 ? 1 : 2);
    constexpr std::array<double, 3> kOfGroup = {0.02, 0.25, 0.7};
    chance_.push_back(kind == TruthKind::kGroups ? kOfGroup[group_.back()] : draw_chance(draws));
  }
}

double ListeningTruth::chance(std::uint32_t user, Time at) const {
  double p = chance_[user];
  switch (kind_) {
    case TruthKind::kConstant:
      return p;
    case TruthKind::kHour:
      return sigmoid(logit(p) + by_hour(at));
    case TruthKind::kDrift:
      return sigmoid(logit(p) + wandering(seed_, user, at));
    case TruthKind::kJump: {
      constexpr double kEvery = 4.0;  // days
      Draws phase(seed_, Purpose::kWorld, user, kJumped);
      const auto turn = static_cast<std::uint64_t>(days(at) / kEvery + phase.uniform());
      Draws draws(seed_, Purpose::kWorld, turn << 32U | user, kJumped);
      return draw_chance(draws);
    }
    case TruthKind::kExperience:
      return sigmoid(logit(p) - grudge(user, at));
    case TruthKind::kGroups:
      return group_[user] == 1 ? sigmoid(logit(p) + by_hour(at)) : p;
  }
  return p;
}

double ListeningTruth::grudge(std::uint32_t user, Time at) const {
  const Grudge& last = grudges_[user];
  return last.weight * std::exp(-std::max(0.0, days(at) - days(last.at)) / 5.0);
}

void ListeningTruth::met_full(std::uint32_t user, Time at) {
  grudges_[user] = {grudge(user, at) + 1.0, at};
}

}  // namespace headroom::sim
