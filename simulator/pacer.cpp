#include "simulator/pacer.hpp"

#include <thread>

namespace headroom::sim {

Pacer::Pacer(double speed)
    : Pacer(speed, &Clock::now,
            [](Clock::time_point until) { std::this_thread::sleep_until(until); }) {}

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
