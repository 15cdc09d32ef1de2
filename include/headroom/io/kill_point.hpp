#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace headroom {

// Places between two writes where a crash must do no harm. HEADROOM_KILL_AT="name:count" kills the
// process (SIGKILL) when it passes the place for the count-th time; a crash test goes through all.
inline constexpr std::array<std::string_view, 17> kKillPoints = {
    "writer.before_write",       // under the lock, tail repaired
    "writer.mid_write",          // half of the bytes are in the file: a torn line
    "writer.before_sync",        // all bytes are in the file, nobody knows
    "writer.after_sync",         // on disk, not acknowledged
    "writer.before_roll",        // the old segment is on disk, the new one is not there
    "writer.mid_roll",           // the new segment is there, its folder not on disk
    "writer.after_roll",         // an empty segment, on disk
    "sink.before_lists",         // the step is done, nothing of it is out
    "sink.before_dead_letters",  // the lists are out
    "sink.after_commit",         // all is out, nobody knows
    "serve.before_journal",      // a batch is collected, nobody knows of it
    "serve.after_journal",       // it will be repeated, nothing of it is out
    "serve.after_step",          // the state has it, nothing of it is out
    "serve.after_commit",        // all is out
    "checkpoint.before_write",   // all rows are copied
    "checkpoint.after_write",    // it is on disk, nothing is released yet
    "retention.between",         // some segments are removed, some not yet
};

// The name of a kill point; one that is not in the table does not compile.
class KillPoint {
 public:
  consteval KillPoint(const char* name)
      : at_(std::find(kKillPoints.begin(), kKillPoints.end(), name) - kKillPoints.begin()) {
    if (at_ == kKillPoints.size()) throw "no such kill point";
  }
  std::size_t index() const { return at_; }

 private:
  std::size_t at_;
};

// Any thread. Costs a load and a comparison unless this very place is armed.
void kill_point(KillPoint point);
// Whether the next pass kills: to leave a write half done before it.
bool kills_next(KillPoint point);
// What the environment variable says, said by a test in a forked child; "" disarms.
void set_kill_point(std::string_view name_and_count);
inline std::span<const std::string_view> kill_point_names() { return kKillPoints; }

}  // namespace headroom
