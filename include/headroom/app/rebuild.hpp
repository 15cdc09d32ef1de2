#pragma once

#include <cstdint>

#include "headroom/app/edges.hpp"
#include "headroom/app/options.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

struct Rebuilt {
  std::uint64_t events = 0, lists = 0, batch = 0;
};

// Makes a lost store again from Kafka's topics: learns from all records that batches were delivered
// of, in the order of their time, makes no lists, and takes those that were delivered from the
// output, with what they hold. Then the store has a checkpoint and a new epoch. Holds all delivered
// lists in memory, about 1 KB each. What is not in the topics any more is not learned. Throws Error
// if the store is not new, or if nothing was ever delivered; Stopped leaves the store as it was.
Rebuilt rebuild(const Options& options, Store& store, KafkaLog& log, const KafkaSink& sink,
                const EdgeFlags& edge);

}  // namespace headroom
