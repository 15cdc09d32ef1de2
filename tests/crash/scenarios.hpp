#pragma once

#include <cstdint>
#include <filesystem>

namespace headroom::crash {

struct Wanted {
  std::filesystem::path binary, folder;
  std::uint64_t seed = 1;
  int kills = 100;
  int seconds = 0;  // at most this long for the kills of one clock; 0: as long as it takes
};

// Each throws Failure at what is not as promised, and says what it did.
void kill_at_random(const Wanted& wanted);      // many kills at any moment, under load, both clocks
void kill_at_each_point(const Wanted& wanted);  // every kill point with several counts
void kill_while_removing(const Wanted& wanted);  // old segments of the log
// A full disk, torn lines, two at once, other configurations, logs that were cut.
void look_at_edges(const Wanted& wanted);

}  // namespace headroom::crash
