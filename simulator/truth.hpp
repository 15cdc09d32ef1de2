#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "headroom/base/time.hpp"

namespace headroom::sim {

// How people really listen, which nobody is told: p_i(t).
enum class TruthKind : std::uint8_t {
  kConstant,    // each has one chance, of a Beta(1.2, 2.8)
  kHour,        // less at lunch, which is habit, more at dinner and at weekends
  kDrift,       // wanders within days
  kJump,        // another chance every few days
  kExperience,  // less after every full place that a list led to, forgotten within days
  kGroups,      // some never listen, some by the hour, some mostly
};
TruthKind parse_truth(std::string_view words);  // throws Error
std::string_view to_string(TruthKind kind);

class ListeningTruth {
 public:
  ListeningTruth(TruthKind kind, std::size_t users, std::uint64_t seed);

  double chance(std::uint32_t user, Time at) const;
  void met_full(std::uint32_t user, Time at);  // a list led to a full place

 private:
  struct Grudge {
    double weight = 0.0;  // as of then
    Time at{};
  };
  double grudge(std::uint32_t user, Time at) const;

  TruthKind kind_;
  std::uint64_t seed_;
  std::vector<double> chance_;
  std::vector<std::uint8_t> group_;
  std::vector<Grudge> grudges_;
};

}  // namespace headroom::sim
