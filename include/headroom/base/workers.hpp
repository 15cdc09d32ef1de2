#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headroom {

// A fixed crew for pure, independent tasks. Which thread runs a task is not determined, so a task
// writes only what is its own; results are then the same on any number of threads.
class Workers {
 public:
  // 0: one for each core. Throws Error if the system grants fewer.
  explicit Workers(std::size_t threads = 0);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t threads() const { return threads_.size() + 1; }

  // Runs task(0) .. task(count - 1), the caller helping; returns when all are done. The first
  // exception thrown by a task is thrown here. One call at a time.
  void each(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void dismiss();
  void serve();
  void drain();

  std::mutex mutex_;
  std::condition_variable work_ready_, work_done_;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> busy_{0};
  std::atomic<std::size_t> round_{0};
  std::atomic<bool> stop_{false};
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace headroom
