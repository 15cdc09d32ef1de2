#include "simulator/pacer.hpp"

#include <algorithm>
#include <thread>

namespace headroom::sim {

Pacer::Pacer(double speed, StopAsked stop)
    : Pacer(speed, &Clock::now, [stop = std::move(stop)](Clock::time_point until) {
        constexpr std::chrono::milliseconds kLook{50};
        while (Clock::now() < until && !(stop && stop())) {
          std::this_thread::sleep_until(std::min<Clock::time_point>(until, Clock::now() + kLook));
        }
      }) {}

Pacer::Pacer(double speed, std::function<Clock::time_point()> now, Sleep sleep)
    : speed_(speed), now_(std::move(now)), sleep_(std::move(sleep)) {}

void Pacer::wait(Time at) {
  if (speed_ <= 0.0) return;
  if (!start_) start_ = Start{at, now_()};
  const std::chrono::duration<double> simulated = at - start_->at;
  const auto due = start_->real + std::chrono::duration_cast<Clock::duration>(simulated / speed_);
  if (due > now_()) sleep_(due);
}

}  // namespace headroom::sim
