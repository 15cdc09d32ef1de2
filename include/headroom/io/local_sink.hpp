#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/engine/ports.hpp"
#include "headroom/io/partition.hpp"

namespace headroom {

// How output looks as lines; the codec of room `wire`. Encoders append one line without newline.
struct OutputCodec {
  std::function<void(const RankedList& list, std::string& into)> encode_list;
  std::function<void(const DeadLetter& letter, std::string& into)> encode_dead_letter;
  std::function<std::optional<OutputId>(std::string_view line)> id_of;  // of either
};

// Where lines go: what was the last line there, and how to append more. On disk on return, or an
// Error and nothing of them there.
struct LineOutput {
  std::string name;  // for errors
  std::string last_line;
  std::function<void(std::span<const std::string_view> lines)> append;
};

// A topic of the local log (partition 0), with what a crash left at its end repaired.
LineOutput to_topic(const std::filesystem::path& log, std::string_view topic,
                    std::uint64_t segment_bytes = kSegmentBytes, const StopAsked& stop = {});
// A plain file, likewise. One process at a time; an Error if anybody else removed or changed it.
LineOutput to_file(const std::filesystem::path& path, const StopAsked& stop = {});
// A pipe or terminal, such as standard output: at least once, since nobody can ask what arrived.
// The program ignores SIGPIPE; a reader that is gone is an Error. One that does not read when a
// stop is asked for is not waited for (Stopped).
LineOutput to_stream(int fd, const std::string& name, const StopAsked& stop = {});

// Lists and dead letters as lines. Output that is already there, by the id of the last line, is
// passed over: after a crash in the middle of a commit exactly the missing lines are written. A
// commit that failed may be repeated. One thread.
class LocalSink final : public ListSink {
 public:
  LocalSink(LineOutput lists, LineOutput dead_letters, OutputCodec codec);

  void emit(const RankedList& list) override;
  void emit(const DeadLetter& letter) override;
  void commit(const Batch& batch) override;
  Delivered last() const override { return {lists_.last, dead_letters_.last}; }

 private:
  struct Lane {
    LineOutput output;
    std::optional<OutputId> last;  // of what is there
    struct Pending {
      OutputId id;
      std::string line;
    };
    std::vector<Pending> pending;
  };
  static void write(Lane& lane);
  Lane lane_of(LineOutput output) const;
  static bool is_there(const Lane& lane, const OutputId& id);

  OutputCodec codec_;
  Lane lists_;
  Lane dead_letters_;
};

}  // namespace headroom
