#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/engine/batch.hpp"

namespace headroom {

// Whose time counts: that of the machine that reads the log, or that of the events.
enum class ClockKind : std::uint8_t { kWall, kEvent };

// A record further than this from the clock is not believed.
inline constexpr std::chrono::days kFarOff{7};

// Only events move the clock. Item records are images that may be as old as they like: a catalogue
// is read from its beginning.
bool moves_clock(const Event& event);

// When a record says it happened, and who.
struct Dated {
  Time at;
  std::uint64_t user = 0;  // a hash of the name
};

// Under `event` the clock is what records say, and the first ones may be wrong. So it stands only
// once at least 10 records of 3 users have agreed, to within kFarOff; until then the last records
// are kept, whether they were believed or not, and the clock goes where most of them are.
struct Agreement {
  static constexpr std::size_t kMost = 32;  // 10 that agree, among many that do not

  bool reached = false;
  std::vector<Dated> last;  // none once it is reached

  void hear(const Batch& batch);
  void save(ByteWriter& to) const;
  void load(ByteReader& from);
};

// What the events of a batch are judged against under `event`: the previous batch's `now`. Until
// enough agree, only if it is near the records heard so far and in this batch: near the earliest
// time that 10 of 3 users agree on, so that a long history is taken from its start, or else near
// the median. If it is not, that time is the reference, and it may lie before the previous one.
Time reference(const Batch& batch, std::optional<Time> previous, const Agreement& agreement);

// The `now` of a batch under `event`: the latest event time that is believed, never before the
// reference. A jump over kFarOff counts only if at least 10 records of 3 users in the batch agree,
// so that one record dated 2099 frees no seat.
Time event_now(const Batch& batch, Time reference);

}  // namespace headroom
