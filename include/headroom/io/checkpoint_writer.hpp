#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "headroom/engine/checkpoint.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

// Writes checkpoints on a thread of its own, so that the stream does not wait for the disk. One at
// a time. What went wrong there is thrown at the next call here.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(Store& store);
  ~CheckpointWriter();  // waits for the one under way
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  bool busy();
  // Must not be busy.
  void write(std::vector<SavedRow> rows, SavedRest rest);
  void wait();

 private:
  void serve();
  void rethrow();

  Store& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, waiting_ = false;
  std::vector<SavedRow> rows_;
  SavedRest rest_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace headroom
