#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "headroom/base/time.hpp"

namespace headroom {

// What the wire can say: the years 1970 to 9999.
inline constexpr Time kMinTime{std::chrono::milliseconds{0}};
inline constexpr Time kMaxTime{std::chrono::milliseconds{253'402'300'799'999}};

// RFC 3339 with Z or an offset; fractions are cut to milliseconds. Nothing if it is none, names no
// day of the calendar, or is outside the years 1970 to 9999 as written or in UTC. Leap seconds are
// refused: a count of milliseconds has no place for them.
std::optional<Time> parse_timestamp(std::string_view text);

// As 2026-03-01T12:00:00.000Z, always 24 characters.
void append_timestamp(Time at, std::string& out);

}  // namespace headroom
