#include "headroom/io/checkpoint_writer.hpp"

#include <utility>

namespace headroom {

CheckpointWriter::CheckpointWriter(Store& store) : store_(store), thread_([this] { serve(); }) {}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CheckpointWriter::add(SavedRows rows) {
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    slices_.push_back(std::move(rows));
  }
  changed_.notify_all();
}

void CheckpointWriter::finish(SavedRest rest) {
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    rest_ = std::move(rest);
    busy_ = true;
  }
  changed_.notify_all();
}

bool CheckpointWriter::busy() {
  const std::lock_guard lock(mutex_);
  rethrow();
  return busy_;
}

void CheckpointWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !busy_; });
  rethrow();
}

// The failure stays: a store that could not be written is not tried again.
void CheckpointWriter::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

void CheckpointWriter::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || rest_ || !slices_.empty(); });
    if (!rest_ && stop_) return;  // a checkpoint that was not finished is dropped
    auto slices = std::exchange(slices_, {});
    const auto rest = std::exchange(rest_, std::nullopt);
    lock.unlock();
    std::exception_ptr failure;
    try {
      for (const SavedRows& rows : slices) store_.stage(rows);
      slices.clear();
      if (rest) store_.write(*rest);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) failure_ = failure;
    if (rest || failure) busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace headroom
