#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace headroom::crash {

struct Wanted {
  std::filesystem::path binary, folder;
  std::uint64_t seed = 1;
  int kills = 0;    // 0: as many as a scenario does by itself
  int seconds = 0;  // at most this long for the kills of one clock; 0: as long as it takes
  // Of Kafka:
  std::uint64_t events = 100'000;
  int broker_kills = 3;
  std::string version = "4";

  int kills_or(int otherwise) const { return kills > 0 ? kills : otherwise; }
};

// What a scenario needs is not on this machine.
class Skipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each throws Failure at what is not as promised, and says what it did.
void kill_at_random(const Wanted& wanted);      // many kills at any moment, under load, both clocks
void kill_at_each_point(const Wanted& wanted);  // every kill point with several counts
void kill_while_removing(const Wanted& wanted);  // old segments of the log
// A full disk, torn lines, two at once, other configurations, logs that were cut.
void look_at_edges(const Wanted& wanted);
// Kills of serve and of a real broker, with Kafka's own clients at both ends.
void kill_with_kafka(const Wanted& wanted);

}  // namespace headroom::crash
