#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "headroom/app/options.hpp"
#include "headroom/base/list.hpp"
#include "headroom/io/file.hpp"
#include "simulator/cli.hpp"
#include "simulator/live.hpp"

namespace headroom::sim {

// Every policy's figures with intervals and differences, and the curves of the first city.
Json live_json(const LiveRuns& runs);

// What was run: version, command line, city and engine.
Json live_manifest(const std::string& command_line, LifeOptions life, const Options& engine);

// The same as tables: figures.csv, curves.csv and, with the places and capacities of the first
// city, load.csv: by policy, quarter of an hour and place. Beside them report.html and .json.
void write_live(const LiveRuns& runs, const LifePlan& first, const Json& manifest,
                const std::filesystem::path& folder);

// A run's lists as lines of the wire format, one after the other as the people got them.
class ListFile {
 public:
  explicit ListFile(const std::filesystem::path& path);
  void add(std::span<const RankedList> lists);

 private:
  File file_;
  std::uint64_t size_ = 0;
  std::string lines_;
};
std::string list_file_name(const LivePolicy& policy, std::uint64_t seed);

}  // namespace headroom::sim
