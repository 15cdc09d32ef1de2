#pragma once

#include <atomic>
#include <cstdint>

#include "headroom/app/options.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/engine/engine.hpp"
#include "headroom/engine/ports.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

// The engine between its ports: journal, step, commit, in this order, for one batch after another.
class Runner {
 public:
  // Loads the last checkpoint, if there is one.
  Runner(const Options& options, Store& store, ListSink& sink);

  // Repeats what is journalled after the checkpoint; what the sink already has is passed over by
  // it. Returns how many batches that were: fewer than there are if a stop is asked for, and the
  // next start goes on with them.
  // The source stands where it is to be read on then.
  std::uint64_t recover(EventLog& source, const std::atomic<bool>& stop, Time wall);
  // Takes a batch that was just collected: gives it its number and time, journals it, delivers it.
  // `wall` is what the machine's clock says.
  void take(Batch batch, Time wall);
  // Takes a batch again as it was journalled elsewhere.
  void take_again(EventLog& source, const JournalEntry& entry, bool journal);

  Engine& engine() { return engine_; }

 private:
  void deliver(const Batch& batch);

  Store& store_;
  ListSink& sink_;
  Workers workers_;
  Engine engine_;
};

}  // namespace headroom
