#pragma once

#include <atomic>
#include <chrono>

#include "headroom/app/options.hpp"
#include "headroom/engine/ports.hpp"

namespace headroom {

// Closes batches: so long after the first request in it, or after it was begun, or at so many
// records, whichever is first; at once where the source has ended or a stop is asked for.
class Batcher {
 public:
  Batcher(const Options& options, EventLog& source, const std::atomic<bool>& stop, bool until_end)
      : options_(options), source_(source), stop_(stop), until_end_(until_end) {}

  // May be empty. In the order of the step; without number and time.
  Batch collect();
  // With until_end: everything that there is was taken.
  bool ended() const { return ended_; }

 private:
  using Clock = std::chrono::steady_clock;
  const Options& options_;
  EventLog& source_;
  const std::atomic<bool>& stop_;
  bool until_end_;
  bool ended_ = false;
};

}  // namespace headroom
