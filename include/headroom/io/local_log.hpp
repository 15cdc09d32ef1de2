#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/engine/ports.hpp"
#include "headroom/io/partition.hpp"
#include "headroom/io/records.hpp"
#include "headroom/io/retention.hpp"
#include "headroom/io/turns.hpp"

namespace headroom {

inline constexpr std::string_view kListTopic = "headroom.recommendations";
inline constexpr std::string_view kDeadLetterTopic = "headroom.dead-letters";

// The local log is a folder with a folder for each topic, and in that one for each partition. All
// topics but the events have one partition.
std::filesystem::path partition_folder(const std::filesystem::path& log, std::string_view topic,
                                       std::uint32_t partition);

// Makes the two topics if they are not there (else nothing is written), and returns the number of
// partitions of the events: recorded when the log is made, since a user's records must stay in one
// order. Throws Error if `partitions` is neither 0 (as recorded; 1 for a new log) nor that number.
std::uint32_t prepare_log(const std::filesystem::path& log, std::uint32_t partitions = 0);

// Names the log itself, from when it was made: positions kept elsewhere mean nothing in another.
// Throws Error if there is none.
std::string log_id(const std::filesystem::path& log);

// The partition of a user's events.
std::uint32_t partition_of(std::string_view user, std::uint32_t partitions);

// Appends to the topics of the local log; what `send`, the HTTP API and spooling use. Any thread.
class LogWriter {
 public:
  explicit LogWriter(const std::filesystem::path& log, std::uint32_t partitions = 0,
                     std::uint64_t segment_bytes = kSegmentBytes, const StopAsked& stop = {});

  std::uint32_t partitions() const { return static_cast<std::uint32_t>(events_.size()); }
  // See PartitionWriter::append.
  std::uint64_t append(Topic topic, std::uint32_t partition,
                       std::span<const std::string_view> records);

 private:
  PartitionWriter items_;
  std::vector<std::unique_ptr<PartitionWriter>> events_;
};

struct LocalLogSettings {
  std::filesystem::path folder;
  std::uint32_t partitions = 0;  // of the events, see prepare_log
  bool by_time = false;          // the records' own time is the clock, see take_by_time
  Retention events;
  Retention items;  // a rebuild needs every item's last image: keep them unless space is short
};

// The local log as a source: items first, then the partitions of the events in turn. Offsets and
// lag are bytes. Follows writers of this and of other processes. One thread.
class LocalLog final : public EventLog {
 public:
  LocalLog(LocalLogSettings settings, Decode decode);

  Bounds seek(const Bounds& taken) override;
  std::size_t take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) override;
  void read_again(Batch& batch) override;
  void release(const Bounds& taken) override;
  std::uint64_t lag() override;
  bool ended() const override { return drained_; }

  // Nothing more will come (standard input is spooled to its end): ended once all is taken. From
  // any thread.
  void no_more() { no_more_ = true; }
  // Removes old segments that a checkpoint no longer needs. Returns what was removed.
  std::vector<std::filesystem::path> retain(Time now);
  // Every partition from its oldest record on, as far as it was taken.
  Bounds there() const;

 private:
  struct Lane {
    Topic topic;
    std::uint32_t partition;
    std::filesystem::path folder;
    PartitionReader reader;
    PartitionReader again;       // for what is read a second time
    std::uint64_t taken = 0;     // the end of the last record taken
    std::uint64_t released = 0;  // a checkpoint holds everything before
    Reached reached{};
  };
  Lane& lane(const Range& range);
  void read_again(Lane& lane, const Range& range, Batch& batch);
  std::size_t take_from(Lane& lane, Batch& batch, std::size_t most);
  std::size_t take_now(Batch& batch, std::size_t most);
  bool is_locked_out() const;  // there may be more than was seen

  LocalLogSettings settings_;
  Decode decode_;
  std::vector<Lane> lanes_;  // the items, then the partitions of the events
  std::size_t turn_ = 0;     // the partition that comes first next time
  std::atomic<bool> no_more_ = false;
  bool drained_ = false;
};

}  // namespace headroom
