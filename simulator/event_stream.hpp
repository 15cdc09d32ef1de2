#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "simulator/dataset.hpp"

namespace headroom::sim {

// The data set without the events of pairs whose user or item has fewer than `min_count` distinct
// pairs, both counted before anything is removed; users and items without events go too. 0: all.
Dataset keep_frequent(Dataset data, std::size_t min_count);

struct StreamOptions {
  bool first_visits = false;  // only the first event of each pair of user and item
  std::size_t limit = 0;      // the first so many events; 0: all
};

// The events in the order of their time. Where the set has no calendar time, its order counts and
// the events are a second apart.
std::vector<Interaction> event_stream(const Dataset& data, const StreamOptions& options);

// How many events of the stream make the next batch: those within `seconds` of the first one, or a
// single one if that is 0.
std::size_t next_batch(std::span<const Interaction> stream, double seconds);

}  // namespace headroom::sim
