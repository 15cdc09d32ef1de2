#pragma once

#include <functional>

#include "headroom/engine/options.hpp"
#include "simulator/life.hpp"
#include "simulator/live.hpp"

namespace headroom::sim {

// One evening of a small city, with lists by Headroom as it is told here, beside what lists without
// capacities would have done to the same people.

// The city, with an hour to get going before the five that count.
LifeOptions evening_life();

struct Evening {
  LiveRuns runs;  // the policies kByHeadroom and kUnconstrained
  Time until;     // both ended then
};
inline constexpr std::size_t kByHeadroom = 0, kUnconstrained = 1;

// What came of all who were measured so far, by either. Returns whether to go on.
using EveningOnlooker =
    std::function<bool(Time now, const Crowd& headroom, const Crowd& unconstrained)>;

// The unconstrained run comes first, in this process, by the same engine.
Evening run_evening(const LifePlan& plan, const EngineOptions& engine, ListMaker& headroom,
                    const EveningOnlooker& onlooker);

}  // namespace headroom::sim
