#include "headroom/base/workers.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

// Rounds follow each other within microseconds while a model trains, and waking a sleeper takes
// longer than that: look a while before going to sleep.
template <class Ready>
bool soon(const Ready& ready) {
  constexpr int kLooks = 4000;
  for (int look = 0; look < kLooks; ++look) {
    if (ready()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

}  // namespace

Workers::Workers(std::size_t threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads_.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    dismiss();
    throw Error("only " + std::to_string(threads_.size() + 1) + " of " + std::to_string(threads) +
                " threads can be started here");
  } catch (...) {  // no memory for another
    dismiss();
    throw;
  }
}

Workers::~Workers() { dismiss(); }

void Workers::dismiss() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::each(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (count <= 1 || threads_.empty()) {  // nothing to share: waking the crew costs more than a task
    for (std::size_t at = 0; at < count; ++at) task(at);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    count_ = count;
    next_ = 0;
    busy_ = threads_.size();
    failure_ = nullptr;
    ++round_;
  }
  work_ready_.notify_all();
  drain();
  const auto done = [this] { return busy_ == 0; };
  soon(done);
  std::unique_lock lock(mutex_);
  work_done_.wait(lock, done);
  task_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void Workers::serve() {
  std::size_t seen = 0;
  for (;;) {
    const auto ready = [&] { return stop_ || round_ != seen; };
    soon(ready);
    {
      std::unique_lock lock(mutex_);
      work_ready_.wait(lock, ready);
      if (stop_) return;
      seen = round_;
    }
    drain();
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) work_done_.notify_one();
  }
}

void Workers::drain() {
  for (;;) {
    const std::size_t mine = next_.fetch_add(1);
    if (mine >= count_) return;
    try {
      (*task_)(mine);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = count_;
    }
  }
}

}  // namespace headroom
