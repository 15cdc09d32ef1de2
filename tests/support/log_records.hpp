#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/io/partition.hpp"
#include "headroom/io/records.hpp"

namespace headroom::test {

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void append_raw(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

// All that a reader has to give now.
inline std::vector<std::string> drain(PartitionReader& reader) {
  std::vector<std::string> records;
  while (const auto line = reader.next()) records.emplace_back(line->bytes);
  return records;
}

inline std::vector<std::string> all_records(const std::filesystem::path& partition) {
  PartitionReader reader(partition);
  return drain(reader);
}

// A codec for tests: a record is an event with itself as the id; one that starts with '!' is bad.
inline std::optional<RejectReason> decode_plain(std::string_view bytes, Event& into) {
  if (bytes.starts_with('!')) return RejectReason{RejectKind::kNotJson, "bad"};
  into.id = bytes;
  into.what = Forget{};
  return std::nullopt;
}

inline std::vector<std::string> ids(const Batch& batch) {
  std::vector<std::string> all;
  for (const auto& arrival : batch.arrivals) all.push_back(arrival.event.id);
  return all;
}

}  // namespace headroom::test
