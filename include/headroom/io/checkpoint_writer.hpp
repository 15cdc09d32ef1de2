#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "headroom/engine/checkpoint.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

// Writes checkpoints on a thread of its own, so that the stream does not wait for the disk. One at
// a time: the next one begins when this one is on disk. What went wrong there is thrown at the next
// call here.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(Store& store);
  ~CheckpointWriter();  // waits for the one under way
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Rows of the next checkpoint, in any number of slices, then what closes it.
  void add(SavedRows rows);
  void finish(SavedRest rest);
  // What was finished is not on disk yet.
  bool busy();
  void wait();

 private:
  void serve();
  void rethrow();

  Store& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, busy_ = false;
  std::vector<SavedRows> slices_;  // not yet staged
  std::optional<SavedRest> rest_;  // not yet written
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace headroom
