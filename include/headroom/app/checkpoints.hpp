#pragma once

#include <chrono>
#include <cstdint>

#include "headroom/app/options.hpp"
#include "headroom/engine/engine.hpp"
#include "headroom/io/checkpoint_writer.hpp"

namespace headroom {

// Takes checkpoints between batches, a slice at a time, so that no batch waits long for them. One
// is begun only of delivered batches: call after a commit.
class Checkpoints {
 public:
  // `on_disk`: the batch of the one that is there.
  Checkpoints(const Options& options, Engine& engine, Store& store, std::uint64_t on_disk);

  // Begins one if it is due, and copies rows for a few milliseconds. True when one is on disk that
  // was not before.
  bool between_batches();
  // Copies and writes everything, and waits for it. Before the end.
  void finish();

  std::uint64_t batch() const { return done_.batch; }  // of the last one on disk
  const Bounds& taken() const { return done_.taken; }
  std::chrono::milliseconds longest_pause() const { return longest_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Mark {
    std::uint64_t batch = 0;
    Bounds taken;
  };
  enum class Phase { kNone, kCopying, kWriting };

  void begin();
  void copy_some(std::size_t rows);
  bool look_for_end();

  const Options& options_;
  Engine& engine_;
  CheckpointWriter writer_;
  Phase phase_ = Phase::kNone;
  Mark done_, under_way_;
  Clock::time_point last_begun_;
  ByteWriter row_;
  SavedRows rows_;  // copied, not yet handed over
  SavedRest rest_;
  std::chrono::milliseconds longest_{0};
};

}  // namespace headroom
