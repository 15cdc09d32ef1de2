#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "headroom/engine/batch.hpp"

namespace headroom {

// Whose time counts: that of the machine that reads the log, or that of the events.
enum class ClockKind : std::uint8_t { kWall, kEvent };

// A record further than this from the clock is not believed.
inline constexpr std::chrono::days kFarOff{7};

// Only events move the clock. Item records are images that may be as old as they like: a catalogue
// is read from its beginning.
bool moves_clock(const Event& event);

// What the events of a batch are judged against under `event`: the previous batch's `now`. For the
// first batch it is the earliest time that at least 10 records of 3 users agree on, to within
// kFarOff, so that a long history is taken from its start; where none agree, the median.
Time reference(const Batch& batch, std::optional<Time> previous);

// The `now` of a batch under `event`: the latest event time that is believed, never before the
// reference. A jump over kFarOff counts only if at least 10 records of 3 users in the batch agree,
// so that one record dated 2099 frees no seat.
Time event_now(const Batch& batch, Time reference);

}  // namespace headroom
