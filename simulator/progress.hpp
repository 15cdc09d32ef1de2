#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace headroom::sim {

// A line on standard error that shows how far a long job is; silent unless that is a terminal.
class ProgressBar {
 public:
  // `bound`: how sure the time left is, "about" or "at most".
  explicit ProgressBar(std::string bound);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` in [0, 1] of the whole job; redrawn at most ten times a second.
  void show(double done, const std::string& words);

 private:
  using Clock = std::chrono::steady_clock;
  std::string bound_;
  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point began_ = Clock::now(), last_{};
};

// 75 -> "1m15s"
std::string short_duration(double seconds);

}  // namespace headroom::sim
