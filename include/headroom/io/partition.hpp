#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/io/file.hpp"
#include "headroom/io/lines.hpp"

namespace headroom {

// A partition of the local log is a folder of line files, <base offset in 20 digits>.log. The
// offset of a record is its byte position in all that was ever appended, so there is no index: the
// base of a segment is the end of the one before. Only the last segment grows. A file `lock` guards
// it, and holds the offset up to which all is known to be on disk.
struct Segment {
  std::uint64_t base = 0;
  std::filesystem::path path;
};

std::filesystem::path segment_path(const std::filesystem::path& folder, std::uint64_t base);
std::vector<Segment> list_segments(const std::filesystem::path& folder);  // by base

// The offset up to which writers have synced; what a killed one left beyond it may not be on disk.
// Under the partition's lock.
std::uint64_t synced_end(const File& lock);
void note_synced_end(const File& lock, std::uint64_t end);

inline constexpr std::uint64_t kSegmentBytes = std::uint64_t{64} << 20U;

// Appends to a partition. Any number of threads, and of processes with a writer of their own.
class PartitionWriter {
 public:
  // Makes the folder if there is none.
  explicit PartitionWriter(std::filesystem::path folder,
                           std::uint64_t segment_bytes = kSegmentBytes, StopAsked stop = {});

  // Returns the offset of the first record, when all are on disk, one after another. Throws Error
  // if a record has a newline in it, where there is no room, or (Stopped) if a stop is asked for
  // while another process appends: then none of them is in the log.
  // What several threads wait for is written and synced together.
  std::uint64_t append(std::span<const std::string_view> records);
  // The last whole line, on disk on return; empty if there is none.
  std::string last_line();
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Waiting;
  void write(std::span<Waiting* const> group);
  void open_last();
  void roll();

  std::filesystem::path folder_;
  std::uint64_t segment_bytes_;
  StopAsked stop_;
  std::mutex mutex_;  // guards what follows, up to `busy_`
  std::condition_variable done_;
  std::vector<Waiting*> queue_;
  bool busy_ = false;  // one thread at a time writes; only it touches what follows
  File lock_;
  AppendFile last_;
  std::uint64_t base_ = 0;  // of last_
};

// Reads the whole lines of a partition from an offset on, while others append; makes nothing and
// waits for nobody. One thread.
class PartitionReader {
 public:
  // An empty partition if there is no such folder yet.
  explicit PartitionReader(std::filesystem::path folder);

  // Throws Error if the log has no record boundary there: too old, too new, or within a record.
  void seek(std::uint64_t offset);
  void seek_to_begin();
  // The next record that is not empty; nothing if there is none yet, or who appends can't be waited
  // for (is_locked_out). Every record given is on disk. Its bytes are valid until the next call.
  // Throws Error if what was acknowledged is no longer there.
  std::optional<Line> next();
  bool is_locked_out() const { return locked_out_; }
  // The same for records before an end that was read up to once, so that nobody's append matters.
  std::optional<Line> next_before(std::uint64_t end);
  std::uint64_t position() const;  // after the last record given, and empty lines after it
  std::uint64_t end();             // of the whole lines in the log

 private:
  template <class Grow>
  std::optional<Line> next(const Grow& grow);
  bool grow();
  bool grow_up_to(std::uint64_t end);
  bool move_on();
  void check_last();
  FileLock lock();
  void open(const Segment& segment, std::uint64_t offset);
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path folder_;
  File lock_;
  File file_;  // none: no segment was there yet, the position is base_
  std::uint64_t base_ = 0;
  std::uint64_t whole_ = 0;  // whole lines on disk, in file_
  unsigned idle_ = 0;        // looks in vain since the last record
  bool locked_out_ = false;  // at the last look
  LineScanner lines_;
};

}  // namespace headroom
