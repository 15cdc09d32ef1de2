#include "simulator/given.hpp"

#include "headroom/base/error.hpp"
#include "simulator/definitions.hpp"

namespace headroom::sim {
namespace {

constexpr std::string_view kGivenCapacity = "given";

}  // namespace

void Given::give_to(EngineOptions& options) const {
  if (propensity.empty()) return;
  options.given_listening = [this](std::string_view user) {
    return propensity.at(std::string(user));
  };
}

Given given(std::string_view capacity, std::string_view propensity, const Dataset& data,
            std::uint64_t seed) {
  Given out;
  if (capacity.empty() && propensity.empty()) return out;
  if (capacity == kGivenCapacity) {
    if (data.capacities.empty()) {
      throw Error(data.name +
                  ": the data set has no capacities; name their column in --place-columns");
    }
    out.capacity = data.capacities;
    if (propensity.empty()) return out;
  }
  const Ratings ratings = prepare(data, {.min_count = 1, .to_split = false});
  if (!capacity.empty() && capacity != kGivenCapacity) {
    const auto values = capacities(parse_capacity(capacity), ratings, seed);
    std::unordered_map<std::string, float> by_name;
    for (std::size_t j = 0; j < values.size(); ++j) by_name[ratings.items[j]] = values[j];
    for (const std::string& item : data.items) out.capacity.push_back(by_name[item]);
  }
  if (!propensity.empty()) {
    const auto values = listen_propensities(parse_propensity(propensity), ratings, seed);
    for (std::size_t i = 0; i < values.size(); ++i) out.propensity[ratings.users[i]] = values[i];
  }
  return out;
}

}  // namespace headroom::sim
