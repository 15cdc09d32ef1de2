#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "headroom/base/time.hpp"

namespace headroom::sim {

// A time as text, or nothing if it is none or lies outside the years 1900 to 2200.
using TimeParser = std::function<std::optional<Time>(std::string_view)>;

// Seconds since 1970, or milliseconds if 1e11 or more: as seconds that would be the year 5138.
std::optional<Time> parse_unix_time(std::string_view text);

// 2012-04-03, 2012-04-03T18:18, 2012-04-03 18:18:36.5; after a time of day Z, +02:00 or nothing,
// which is UTC.
std::optional<Time> parse_iso_time(std::string_view text);

// 2012-04-03T18:18:36Z
std::string iso_time(Time at);

// Unix or ISO time.
std::optional<Time> parse_any_time(std::string_view text);

// A format of strptime; UTC unless the format has a zone (%z).
TimeParser time_parser(std::string format);

// 04:30 as minutes after midnight.
std::optional<std::chrono::minutes> parse_clock(std::string_view text);

}  // namespace headroom::sim
