#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "headroom/io/local_log.hpp"

namespace headroom {

struct Destination {
  Topic topic = Topic::kEvents;
  std::uint32_t partition = 0;
  auto operator<=>(const Destination&) const = default;
};

// Says where a record belongs; one that can't be read goes anywhere, to become a dead letter.
using Router = std::function<Destination(std::string_view record)>;

struct Spooled {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // with newlines
  bool to_the_end = false;  // else a stop was asked for before
};

// Appends the lines of a pipe or file to the local log, in their order, until it ends or a stop is
// asked for. What has come is appended at once, so a slow sender waits for nothing; `acknowledged`
// hears the totals each time more is on disk. Empty lines are passed over, a last line without
// newline is a record, and of a line over 1 MiB only the start is kept, to be rejected as too long.
// `name` stands for the descriptor in errors. Where the log's writer is to stop (Stopped), what was
// not appended yet is dropped.
Spooled spool(int fd, const std::string& name, LogWriter& log, const Router& route,
              const std::function<void(const Spooled&)>& acknowledged = {},
              const StopAsked& stop = {});

// Hands on such lines one at a time. False if a stop was asked for before the end.
bool each_line(int fd, const std::string& name, const StopAsked& stop,
               const std::function<void(std::string_view line)>& take);

}  // namespace headroom
