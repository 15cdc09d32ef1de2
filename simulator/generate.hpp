#pragma once

#include <filesystem>
#include <vector>

#include "simulator/city.hpp"

namespace headroom::sim {

// The city's visits as files, day by day: however many there are, only a day is held in memory.

enum class CityFormat : std::uint8_t { kWire, kTsv, kCsv };

struct GenerateOptions {
  std::filesystem::path folder;
  std::vector<CityFormat> formats{CityFormat::kWire};
  double checkouts = 0.0;  // of the visits end with a check-out; of the wire format
};

struct Generated {
  std::uint64_t visits = 0, checkouts = 0, bytes = 0;
  std::vector<std::filesystem::path> files;
};

// The names that the files have within the folder.
inline constexpr const char* kWireFile = "events.jsonl";

// Writes all of it, over files that are there. The same bytes on any number of threads.
Generated generate(const City& city, const GenerateOptions& options, Workers& workers);

}  // namespace headroom::sim
