#pragma once

#include <atomic>
#include <chrono>

#include "headroom/app/options.hpp"
#include "headroom/engine/ports.hpp"

namespace headroom {

// Closes batches: so long after the first request in it, or after it was begun, or at so many
// records, places asked for or bytes, whichever is first; at once where the source has ended or a
// stop is asked for.
class Batcher {
 public:
  Batcher(const Options& options, EventLog& source, const std::atomic<bool>& stop)
      : options_(options), source_(source), stop_(stop) {}

  // May be empty. In the order of the step; without number and time.
  Batch collect();

 private:
  using Clock = std::chrono::steady_clock;
  const Options& options_;
  EventLog& source_;
  const std::atomic<bool>& stop_;
  std::size_t last_ = 0;  // arrivals in the batch before
};

}  // namespace headroom
