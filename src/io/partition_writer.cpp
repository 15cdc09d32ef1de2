#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <utility>

#include "headroom/base/error.hpp"
#include "headroom/io/kill_point.hpp"
#include "headroom/io/partition.hpp"

namespace headroom {
namespace {

constexpr std::string_view kSuffix = ".log";
constexpr std::size_t kDigits = 20;  // of the largest 64-bit number

std::string joined(std::span<const std::string_view> records, const std::filesystem::path& folder) {
  std::size_t size = 0;
  for (const auto record : records) size += record.size() + 1;
  std::string bytes;
  bytes.reserve(size);
  for (const auto record : records) {
    if (record.find('\n') != std::string_view::npos) {
      throw Error(folder.string() + ": a record with a newline in it is not taken");
    }
    bytes += record;
    bytes += '\n';
  }
  return bytes;
}

// What is appended after a segment that lost its end would never be found by its offset.
void check_end(const Segment& segment, std::uint64_t next) {
  const File file = File::if_there(segment.path, O_RDONLY);
  if (!file.is_open() || segment.base + file.size() == next) return;  // none: retention
  throw Error(segment.path.string() + ": ends at offset " +
              std::to_string(segment.base + file.size()) + ", but the next segment begins at " +
              std::to_string(next) + ": the log was changed by hand");
}

}  // namespace

std::filesystem::path segment_path(const std::filesystem::path& folder, std::uint64_t base) {
  std::string digits = std::to_string(base);
  digits.insert(0, kDigits - digits.size(), '0');
  return folder / (digits + std::string(kSuffix));
}

std::vector<Segment> list_segments(const std::filesystem::path& folder) {
  std::vector<Segment> segments;
  std::error_code error;
  auto entries = std::filesystem::directory_iterator(folder, error);
  if (error == std::errc::no_such_file_or_directory) return segments;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (name.size() != kDigits + kSuffix.size() || !name.ends_with(kSuffix)) continue;
    std::uint64_t base = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + kDigits, base);
    if (bad == std::errc{} && end == name.data() + kDigits) {
      segments.push_back({base, entries->path()});
    }
  }
  if (error) throw Error(folder.string() + ": cannot list: " + error.message());
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.base < b.base; });
  return segments;
}

std::uint64_t synced_end(const File& lock) {
  std::uint64_t end = 0;
  const bool is_there = lock.read_at(0, reinterpret_cast<char*>(&end), sizeof end) == sizeof end;
  return is_there ? end : 0;
}

void note_synced_end(const File& lock, std::uint64_t end) {
  // Only saves readers a sync: it may fail (a full disk), and need not be on disk itself.
  [[maybe_unused]] const auto put = pwrite(lock.fd(), &end, sizeof end, 0);
}

// One call of append, until its bytes are on disk.
struct PartitionWriter::Waiting {
  std::string bytes;
  std::uint64_t offset = 0;
  bool done = false, stopped = false;
  std::string error;
};

PartitionWriter::PartitionWriter(std::filesystem::path folder, std::uint64_t segment_bytes,
                                 StopAsked stop)
    : folder_(std::move(folder)), segment_bytes_(segment_bytes), stop_(std::move(stop)) {
  make_folder(folder_);
  lock_ = File(folder_ / "lock", O_RDWR | O_CREAT);
}

std::uint64_t PartitionWriter::append(std::span<const std::string_view> records) {
  Waiting mine;
  mine.bytes = joined(records, folder_);
  std::unique_lock held(mutex_);
  queue_.push_back(&mine);
  done_.wait(held, [&] { return mine.done || !busy_; });
  if (!mine.done) {
    // The first to find nobody writing writes for all who wait.
    busy_ = true;
    const auto group = std::exchange(queue_, {});
    held.unlock();
    write(group);
    held.lock();
    busy_ = false;
    for (auto* waiting : group) waiting->done = true;
    done_.notify_all();
  }
  if (mine.stopped) throw Stopped(mine.error);
  if (!mine.error.empty()) throw Error(mine.error);
  return mine.offset;
}

void PartitionWriter::write(std::span<Waiting* const> group) {
  try {
    std::string all;
    if (group.size() > 1) {
      for (const auto* waiting : group) all += waiting->bytes;
    }
    const std::string& bytes = group.size() > 1 ? all : group.front()->bytes;
    const FileLock lock(lock_, FileLock::Kind::kExclusive, stop_);
    open_last();
    if (last_.size() > 0 && last_.size() + bytes.size() > segment_bytes_) roll();
    std::uint64_t offset = base_ + last_.size();
    kill_point("writer.before_write");
    last_.append(bytes);
    note_synced_end(lock_, offset + bytes.size());
    for (auto* waiting : group) {
      waiting->offset = offset;
      offset += waiting->bytes.size();
    }
  } catch (const std::exception& error) {
    const bool stopped = dynamic_cast<const Stopped*>(&error) != nullptr;
    for (auto* waiting : group) {
      waiting->error = error.what();
      waiting->stopped = stopped;
    }
    last_ = AppendFile();  // begin anew with the next group
  }
}

// Under the lock: `last_` is the segment that grows, and ends with a whole line.
void PartitionWriter::open_last() {
  if (last_.is_open() && !last_.file().is_removed()) {
    last_.refresh();
    // Another process that rolled has named the next segment after the end of this one; the name
    // after an empty one is its own.
    std::error_code ignored;
    const auto following = segment_path(folder_, base_ + last_.size());
    if (last_.size() == 0 || !std::filesystem::exists(following, ignored)) return;
  }
  const auto segments = list_segments(folder_);
  const std::uint64_t base = segments.empty() ? 0 : segments.back().base;
  if (segments.size() > 1) check_end(*std::prev(segments.end(), 2), base);
  last_ = AppendFile(segment_path(folder_, base), O_CREAT);
  base_ = base;
  // Who made the segment may have died before its name was on disk.
  sync_folder(folder_);
}

void PartitionWriter::roll() {
  // The name of the new segment says how long the old one is: that must be on disk first.
  last_.sync();
  kill_point("writer.before_roll");
  const std::uint64_t base = base_ + last_.size();
  last_ = AppendFile(segment_path(folder_, base), O_CREAT);
  base_ = base;
  kill_point("writer.mid_roll");
  sync_folder(folder_);
  kill_point("writer.after_roll");
}

std::string PartitionWriter::last_line() {
  std::unique_lock held(mutex_);
  done_.wait(held, [&] { return !busy_; });
  const FileLock lock(lock_, FileLock::Kind::kExclusive, stop_);
  open_last();
  const auto segments = list_segments(folder_);
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
    const File file(segment->path, O_RDONLY);
    if (file.size() == 0) continue;  // just rolled
    file.sync();
    return headroom::last_line(file);
  }
  return {};
}

}  // namespace headroom
