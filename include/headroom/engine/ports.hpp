#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "headroom/base/list.hpp"
#include "headroom/engine/batch.hpp"

namespace headroom {

// The process edge: Kafka, a local log folder and the simulator implement these two.

// Where events come from. One thread.
class EventLog {
 public:
  virtual ~EventLog() = default;
  // Where to read on: the end of what was taken so far, by the journal. Partitions not named start
  // at their beginning, or where the log was told to begin; what begins elsewhere than at 0, or
  // goes on elsewhere than it ended, is returned as empty ranges, to be journalled.
  virtual Bounds seek(const Bounds& taken) = 0;
  // Adds up to `most` further records to the batch and extends its bounds, waiting at most `wait`
  // for the first of them. Everything added is on disk. Returns how many records were added.
  virtual std::size_t take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) = 0;
  // Fills a batch with exactly the records of its bounds. Throws Error if they are not there.
  virtual void read_again(Batch& batch) = 0;
  // Everything before these ends is in a checkpoint and may be removed by retention.
  virtual void release(const Bounds& taken) = 0;
  // Records (or bytes, where a log counts in bytes) not yet taken.
  virtual std::uint64_t lag() = 0;
  // A source that ends (a file, standard input) has ended and everything of it was taken.
  virtual bool ended() const = 0;
};

// Where lists and dead letters go. Output comes in the order of its ids; what the other side
// already has (after a crash) is passed over, so that each is there exactly once.
class ListSink {
 public:
  virtual ~ListSink() = default;
  virtual void emit(const RankedList& list) = 0;
  virtual void emit(const DeadLetter& letter) = 0;
  // Everything emitted since the last commit is on disk on return.
  virtual void commit(const Batch& batch) = 0;
  // What the other side has; nothing where it has none, or can't be asked.
  virtual Delivered last() const = 0;
};

}  // namespace headroom
