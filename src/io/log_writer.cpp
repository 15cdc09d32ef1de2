#include <fcntl.h>

#include <charconv>
#include <cstdio>
#include <random>

#include "headroom/base/error.hpp"
#include "headroom/io/local_log.hpp"

namespace headroom {
namespace {

constexpr std::uint32_t kMostPartitions = 4096;

std::optional<std::string> recorded(const std::filesystem::path& path) {
  const File file = File::if_there(path, O_RDONLY);
  if (!file.is_open()) return std::nullopt;
  std::string text(file.size(), '\0');
  text.resize(file.read_at(0, text.data(), text.size()));
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::optional<std::uint32_t> recorded_partitions(const std::filesystem::path& path) {
  const auto text = recorded(path);
  if (!text) return std::nullopt;
  std::uint32_t count = 0;
  const char* const stop = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), stop, count);
  if (error != std::errc{} || end != stop || count == 0 || count > kMostPartitions) {
    throw Error(path.string() + ": is not a number of partitions");
  }
  return count;
}

// Whole or not at all.
void record(const std::filesystem::path& path, const std::string& text) {
  auto draft = path;
  draft += ".new";
  File file(draft, O_WRONLY | O_CREAT | O_TRUNC);
  file.write_at(0, text + "\n");
  file.sync();
  std::error_code error;
  std::filesystem::rename(draft, path, error);
  if (error) throw Error(path.string() + ": cannot make: " + error.message());
  sync_folder(path.parent_path());
}

std::string new_id() {
  std::random_device random;
  std::string text;
  for (int word = 0; word < 4; ++word) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", random());
    text += digits;
  }
  return text;
}

// Returns the number of partitions: another process may have been faster.
std::uint32_t make_log(const std::filesystem::path& log, std::uint32_t partitions) {
  make_folder(partition_folder(log, name(Topic::kItems), 0));
  const auto events = log / name(Topic::kEvents);
  make_folder(events);
  const File lock_file(events / "lock", O_RDWR | O_CREAT);
  const FileLock lock(lock_file, FileLock::Kind::kExclusive);
  if (const auto found = recorded_partitions(events / "partitions")) return *found;
  if (!recorded(log / "id")) record(log / "id", new_id());
  for (std::uint32_t partition = 0; partition < partitions; ++partition) {
    make_folder(partition_folder(log, name(Topic::kEvents), partition));
  }
  record(events / "partitions", std::to_string(partitions));
  return partitions;
}

}  // namespace

std::filesystem::path partition_folder(const std::filesystem::path& log, std::string_view topic,
                                       std::uint32_t partition) {
  return log / topic / std::to_string(partition);
}

std::uint32_t prepare_log(const std::filesystem::path& log, std::uint32_t partitions) {
  if (partitions > kMostPartitions) {
    throw Error(log.string() + ": " + std::to_string(partitions) + " partitions are too many");
  }
  // Written last: all is there, and who only reads needs no right to write.
  const auto record_of_partitions = log / name(Topic::kEvents) / "partitions";
  auto found = recorded_partitions(record_of_partitions);
  if (!found) found = make_log(log, std::max(partitions, 1U));
  if (partitions != 0 && partitions != *found) {
    throw Error(record_of_partitions.string() + ": the log has " + std::to_string(*found) +
                " partitions, not " + std::to_string(partitions));
  }
  return *found;
}

std::string log_id(const std::filesystem::path& log) {
  const auto id = recorded(log / "id");
  if (!id) throw Error(log.string() + ": there is no log");
  return *id;
}

std::uint32_t partition_of(std::string_view user, std::uint32_t partitions) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : user) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash ^= hash >> 32U;  // its low bits alone are weak
  return static_cast<std::uint32_t>(hash % partitions);
}

LogWriter::LogWriter(const std::filesystem::path& log, std::uint32_t partitions,
                     std::uint64_t segment_bytes, const StopAsked& stop)
    : items_(partition_folder(log, name(Topic::kItems), 0), segment_bytes, stop) {
  const std::uint32_t count = prepare_log(log, partitions);
  for (std::uint32_t partition = 0; partition < count; ++partition) {
    events_.push_back(std::make_unique<PartitionWriter>(
        partition_folder(log, name(Topic::kEvents), partition), segment_bytes, stop));
  }
}

std::uint64_t LogWriter::append(Topic topic, std::uint32_t partition,
                                std::span<const std::string_view> records) {
  if (topic == Topic::kItems) return items_.append(records);
  return events_.at(partition)->append(records);
}

}  // namespace headroom
