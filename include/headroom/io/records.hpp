#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>

#include "headroom/engine/batch.hpp"

namespace headroom {

// Turns the bytes of a record into an event, or says why not; the codec of room `wire`.
using Decode = std::function<std::optional<RejectReason>(std::string_view bytes, Event& into)>;

// Decodes a record into the batch: an arrival or a reject.
void add_record(Batch& batch, const Place& place, std::string_view bytes, const Decode& decode);

// Adds a range that follows on what the bounds have of its partition, if anything.
void extend(Bounds& bounds, const Range& range);

// Repeats `take` until it gives something or `wait` is over. Looking each few milliseconds takes a
// hundredth of a core and works on every file system.
template <class Take>
std::size_t take_within(std::chrono::milliseconds wait, Take&& take) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration kRarest = std::chrono::milliseconds(5);
  Clock::duration pause = std::chrono::milliseconds(1);
  const auto deadline = Clock::now() + wait;
  while (true) {
    const std::size_t taken = take();
    const auto left = deadline - Clock::now();
    if (taken > 0 || left <= left.zero()) return taken;
    std::this_thread::sleep_for(std::min(pause, left));
    pause = std::min(2 * pause, kRarest);
  }
}

}  // namespace headroom
