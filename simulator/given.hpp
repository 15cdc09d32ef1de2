#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "headroom/engine/options.hpp"
#include "simulator/dataset.hpp"

namespace headroom::sim {

// What the paper gives to an experiment, taken over the whole data set, for the live engine.
struct Given {
  std::vector<float> capacity;                        // by item; empty: none
  std::unordered_map<std::string, float> propensity;  // by user; empty: as estimated

  // The engine holds on to this.
  void give_to(EngineOptions& options) const;
};

// Words as parse_capacity and parse_propensity take them; empty: not given. The capacity `given` is
// what the data set itself says, infinite where it says nothing; Error where it has no capacities.
Given given(std::string_view capacity, std::string_view propensity, const Dataset& data,
            std::uint64_t seed);

}  // namespace headroom::sim
