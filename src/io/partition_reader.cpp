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
  if (offset - base_ > file_.size()) {
    fail("has been removed by hand: a segment is missing at offset " + wanted);
  }
  char before = '\n';
  if (offset > base_) file_.read_at(offset - base_ - 1, &before, 1);
  if (before != '\n') fail("no record begins at offset " + wanted + ": the log was replaced");
  whole_ = offset - base_;  // who read up to here knew that it is whole and on disk
}

void PartitionReader::open(const Segment& segment, std::uint64_t offset) {
  file_ = File(segment.path, O_RDONLY);
  base_ = segment.base;
  whole_ = 0;
  lines_.seek(offset - base_);
}

std::uint64_t PartitionReader::position() const { return base_ + lines_.position(); }

std::uint64_t PartitionReader::end() {
  const auto segments = list_segments(folder_);
  if (segments.empty()) return 0;
  const File last(segments.back().path, O_RDONLY);
  return segments.back().base + end_of_lines(last, 0, last.size());
}

std::optional<Line> PartitionReader::next() {
  locked_out_ = false;
  const auto line = next([&] { return grow(); });
  constexpr unsigned kRarely = 256;
  if (line) {
    idle_ = 0;
  } else if (!locked_out_ && idle_++ % kRarely == 0) {
    check_last();
  }
  return line;
}

std::optional<Line> PartitionReader::next_before(std::uint64_t end) {
  return next([&] { return grow_up_to(end); });
}

template <class Grow>
std::optional<Line> PartitionReader::next(const Grow& grow) {
  while (true) {
    if (file_.is_open()) {
      if (auto line = lines_.next(file_, whole_)) {
        line->offset += base_;
        line->next += base_;
        return line;
      }
      if (grow()) continue;
    }
    if (!move_on()) return std::nullopt;
  }
}

// Opens the first or the next segment; false if there is none.
bool PartitionReader::move_on() {
  if (!file_.is_open()) {
    const auto segments = list_segments(folder_);
    if (segments.empty()) return false;
    if (segments.front().base > 0) {
      fail("begins at offset " + std::to_string(segments.front().base) + ", not at 0");
    }
    open(segments.front(), 0);
    return true;
  }
  const Segment following{base_ + whole_, segment_path(folder_, base_ + whole_)};
  std::error_code ignored;
  if (whole_ == 0 || !std::filesystem::exists(following.path, ignored)) return false;
  open(following, following.base);
  return true;
}

// Takes in what was appended to this segment; true if there was anything.
bool PartitionReader::grow() {
  const std::uint64_t known = whole_, size = file_.size();
  if (size <= known) return false;
  std::uint64_t synced = 0;
  {
    // What is there while nobody appends stays: a writer takes back only what it appended itself
    // (no room), and the next one only what is no whole line.
    const FileLock held = lock();
    locked_out_ = !held.is_held();
    if (locked_out_) return false;
    whole_ = end_of_lines(file_, known, std::min(size, file_.size()));
    if (lock_.is_open()) synced = synced_end(lock_);
  }
  if (whole_ == known) return false;
  if (base_ + whole_ > synced) {
    // Who wrote it died before it was on disk, and perhaps before the segment's name was.
    file_.sync();
    sync_folder(folder_);
  }
  return true;
}

bool PartitionReader::grow_up_to(std::uint64_t end) {
  const std::uint64_t size = std::min(file_.size(), end - std::min(end, base_));
  if (size <= whole_) return false;
  const std::uint64_t known = std::exchange(whole_, end_of_lines(file_, whole_, size));
  return whole_ > known;
}

// What was acknowledged and is gone would be waited for in vain.
void PartitionReader::check_last() {
  const FileLock held = lock();
  if (!held.is_held()) {
    idle_ = 0;  // at the next look, then
    return;
  }
  std::uint64_t end = 0;
  if (file_.is_open()) {
    const std::string which = "the segment at offset " + std::to_string(base_);
    if (file_.is_removed()) fail(which + " was removed while it was read");
    if (file_.size() < whole_) fail(which + " was cut while it was read");
    end = base_ + end_of_lines(file_, whole_, file_.size());
  }
  for (const auto& segment : list_segments(folder_)) {
    if (file_.is_open() && segment.base <= base_) continue;
    if (segment.base == end) return;
    fail("the segment after offset " + std::to_string(end) + " begins at offset " +
         std::to_string(segment.base) + ": the log was changed by hand");
  }
  const std::uint64_t synced = lock_.is_open() ? synced_end(lock_) : 0;
  if (synced > end) {
    fail("ends at offset " + std::to_string(end) + ", but " + std::to_string(synced) +
         " was on disk: a segment was cut or removed; put it back, or remove " +
         (folder_ / "lock").string() + " to go on without it");
  }
}

// Nobody appends while it is held. Who appends has made the file before.
FileLock PartitionReader::lock() {
  if (!lock_.is_open()) lock_ = File::if_there(folder_ / "lock", O_RDONLY);
  return FileLock::if_free(lock_, FileLock::Kind::kShared);
}

}  // namespace headroom
