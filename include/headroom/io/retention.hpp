#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "headroom/base/time.hpp"

namespace headroom {

// How much of a partition to keep. Nothing said: everything.
struct Retention {
  std::optional<std::uint64_t> bytes;
  std::optional<std::chrono::minutes> age;  // since the last write to a segment
};

// What no checkpoint holds back: the topics of the output.
inline constexpr std::uint64_t kAllReleased = std::numeric_limits<std::uint64_t>::max();

// Removes the oldest segments of a partition as long as it holds more than it should. Only whole
// segments that lie before `released`, and never the last one with a record in it: recovery reads
// its end. Returns what was removed.
std::vector<std::filesystem::path> retain(const std::filesystem::path& partition,
                                          const Retention& retention, std::uint64_t released,
                                          Time now);

}  // namespace headroom
