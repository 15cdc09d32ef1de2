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

bool CheckpointWriter::busy() {
  const std::lock_guard lock(mutex_);
  rethrow();
  return waiting_;
}

void CheckpointWriter::write(std::vector<SavedRow> rows, SavedRest rest) {
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    rows_ = std::move(rows);
    rest_ = std::move(rest);
    waiting_ = true;
  }
  changed_.notify_all();
}

void CheckpointWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_; });
  rethrow();
}

// The failure stays: a store that could not be written is not tried again.
void CheckpointWriter::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

void CheckpointWriter::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || waiting_; });
    if (!waiting_) return;
    const auto rows = std::move(rows_);
    const auto rest = std::move(rest_);
    lock.unlock();
    std::exception_ptr failure;
    try {
      store_.write(rows, rest);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    waiting_ = false;
    changed_.notify_all();
  }
}

}  // namespace headroom
