#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "headroom/base/error.hpp"
#include "headroom/io/partition.hpp"

namespace headroom {

PartitionReader::PartitionReader(std::filesystem::path folder) : folder_(std::move(folder)) {
  seek_to_begin();
}

void PartitionReader::fail(const std::string& reason) const {
  throw Error(folder_.string() + ": " + reason);
}

void PartitionReader::seek_to_begin() {
  file_ = File();
  base_ = 0;
  lines_.seek(0);
  const auto segments = list_segments(folder_);
  if (!segments.empty()) open(segments.front(), segments.front().base);
}

void PartitionReader::seek(std::uint64_t offset) {
  const auto segments = list_segments(folder_);
  const std::string wanted = std::to_string(offset);
  if (segments.empty()) {
    if (offset > 0) fail("the log is empty, but was read up to offset " + wanted + " before");
    return seek_to_begin();
  }
  if (offset < segments.front().base) {
    fail("has been removed by retention or by hand: begins at offset " +
         std::to_string(segments.front().base) + ", needed from offset " + wanted);
  }
  // A boundary belongs to the older segment: the newer may not be there for long.
  auto segment = segments.begin();
  while (std::next(segment) != segments.end() && std::next(segment)->base < offset) ++segment;
  open(*segment, offset);
  const std::uint64_t last = end();
  if (offset > last) {
    fail("ends at offset " + std::to_string(last) + ", but was read up to offset " + wanted +
         " before: the log was cut or replaced");
  }
  if (offset > base_ && offset > base_ + whole_) {
    fail("has been removed by hand: a segment is missing at offset " + wanted);
  }
  char before = '\n';
  if (offset > base_) file_.read_at(offset - base_ - 1, &before, 1);
  if (before != '\n') fail("no record begins at offset " + wanted + ": the log was replaced");
}

void PartitionReader::open(const Segment& segment, std::uint64_t offset) {
  file_ = File(segment.path, O_RDONLY);
  base_ = segment.base;
  whole_ = 0;
  lines_.seek(offset - base_);
  grow();
}

std::uint64_t PartitionReader::position() const { return base_ + lines_.position(); }

std::uint64_t PartitionReader::end() {
  const auto segments = list_segments(folder_);
  if (segments.empty()) return 0;
  const File last(segments.back().path, O_RDONLY);
  return segments.back().base + end_of_lines(last, 0, last.size());
}

std::optional<Line> PartitionReader::next() {
  while (true) {
    if (file_.is_open()) {
      if (auto line = lines_.next(file_, whole_)) {
        line->offset += base_;
        line->next += base_;
        return line;
      }
    }
    if (!refresh()) return std::nullopt;
  }
}

// Looks for what was appended since, here or in a next segment.
bool PartitionReader::refresh() {
  if (!file_.is_open()) {
    const auto segments = list_segments(folder_);
    if (segments.empty()) return false;
    if (segments.front().base > 0) {
      fail("begins at offset " + std::to_string(segments.front().base) + ", not at 0");
    }
    open(segments.front(), 0);
    return true;
  }
  if (grow()) return true;
  const Segment following{base_ + whole_, segment_path(folder_, base_ + whole_)};
  std::error_code ignored;
  if (whole_ > 0 && std::filesystem::exists(following.path, ignored)) {
    open(following, following.base);
    return true;
  }
  constexpr unsigned kRarely = 256;
  return ++idle_ % kRarely == 0 && check_last();
}

// Takes in what was appended to this segment; true if there was anything.
bool PartitionReader::grow() {
  const std::uint64_t known = whole_;
  if (file_.size() <= known) return false;
  std::uint64_t synced = 0;
  {
    // What is there while nobody appends stays: a writer takes back only what it appended itself
    // (no room), and the next one only what is no whole line.
    const FileLock lock(lock_file(), FileLock::Kind::kShared);
    whole_ = end_of_lines(file_, known, file_.size());
    synced = synced_end(lock_file());
  }
  if (whole_ == known) return false;
  if (base_ + whole_ > synced) {
    // Who wrote it died before it was on disk, and perhaps before the segment's name was.
    file_.sync();
    sync_folder(folder_);
  }
  return true;
}

// A segment that is not followed by its own end would make us wait for ever.
bool PartitionReader::check_last() {
  {
    const FileLock lock(lock_file(), FileLock::Kind::kShared);
    const std::uint64_t end = end_of_lines(file_, whole_, file_.size());
    for (const auto& segment : list_segments(folder_)) {
      if (segment.base <= base_) continue;
      if (segment.base == base_ + end) break;
      fail("the segment after offset " + std::to_string(base_ + end) + " begins at offset " +
           std::to_string(segment.base) + ": the log was changed by hand");
    }
  }
  return false;
}

const File& PartitionReader::lock_file() {
  if (!lock_.is_open()) lock_ = File(folder_ / "lock", O_RDONLY | O_CREAT);
  return lock_;
}

}  // namespace headroom
