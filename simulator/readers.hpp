#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simulator/dataset.hpp"

namespace headroom::sim {

enum class Header { kAuto, kYes, kNo };

// What to read and how. `columns`, `places`, `header` and `time_format` serve the plain formats
// only (tsv, csv).
struct ReadOptions {
  std::string dataset;                            // a name of dataset_names()
  std::filesystem::path path;                     // a file, or the publisher's folder
  std::vector<std::string> columns{};             // role or role=HEADER NAME; "-" passes a column
  std::optional<std::filesystem::path> places{};  // a file with the items' coordinates
  std::vector<std::string> place_columns{};
  Header header = Header::kAuto;
  std::optional<std::string> time_format{};  // as strptime, UTC; numbers and ISO 8601 need none
  bool skip_bad = false;                     // count and pass malformed lines
};

// The names that --dataset takes, each with a line of help.
struct DatasetName {
  std::string name;
  std::string words;
  bool paper_filter;  // a set of check-ins: the paper's joint filter (10) is the default
};
const std::vector<DatasetName>& dataset_names();

// Every file may be plain or compressed with gzip, xz or zstd. Throws Error with file, line and
// reason.
Dataset read_dataset(const ReadOptions& options);

}  // namespace headroom::sim
