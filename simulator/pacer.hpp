#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "headroom/base/time.hpp"
#include "headroom/io/stop.hpp"

namespace headroom::sim {

// Lets simulated time go by at `speed` times the real one, from the first call on; 0: as fast as it
// goes. Who falls behind catches up: the pace is from the beginning, not from the last call.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;
  using Sleep = std::function<void(Clock::time_point until)>;

  // A wait ends early when a stop is asked for.
  explicit Pacer(double speed, StopAsked stop = {});
  // For tests: another clock.
  Pacer(double speed, std::function<Clock::time_point()> now, Sleep sleep);

  // Returns when `at` has come.
  void wait(Time at);

 private:
  struct Start {
    Time at;
    Clock::time_point real;
  };
  double speed_;
  std::function<Clock::time_point()> now_;
  Sleep sleep_;
  std::optional<Start> start_;
};

}  // namespace headroom::sim
