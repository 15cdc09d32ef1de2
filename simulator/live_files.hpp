#pragma once

#include <filesystem>

#include "simulator/cli.hpp"
#include "simulator/live.hpp"

namespace headroom::sim {

// Every policy's figures with intervals and differences, and the curves of the first city.
Json live_json(const LiveRuns& runs);

// The same as tables: figures.csv, curves.csv and, with the places and capacities of the first
// city, load.csv: by policy, quarter of an hour and place.
void write_live(const LiveRuns& runs, const LifePlan& first, const std::filesystem::path& folder);

}  // namespace headroom::sim
