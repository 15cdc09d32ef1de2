#pragma once

#include <cstddef>
#include <span>

#include "headroom/base/workers.hpp"
#include "headroom/model/learner.hpp"
#include "headroom/rank/prices.hpp"
#include "headroom/rank/scan.hpp"

namespace headroom {

// Adds to each asker of `demand` the best items of `users`, beside it, by chance less price: at
// least `most`, or as many as the asker has places, of those that are offered: room 0 or more. The
// same on any number of threads.
void gather(Demand& demand, std::span<const UserIx> users, std::size_t most, const Learner& learner,
            const Search& search, std::span<const float> room, Workers& workers);

}  // namespace headroom
