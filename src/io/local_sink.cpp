#include "headroom/io/local_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "headroom/base/error.hpp"
#include "headroom/io/file.hpp"
#include "headroom/io/kill_point.hpp"
#include "headroom/io/local_log.hpp"

namespace headroom {
namespace {

std::string joined(std::span<const std::string_view> lines) {
  std::string bytes;
  for (const auto line : lines) {
    bytes += line;
    bytes += '\n';
  }
  return bytes;
}

// Writes to whoever reads, who may be slow or stand still.
class Stream {
 public:
  Stream(int fd, std::string name, StopAsked stop)
      : fd_(fd), name_(std::move(name)), stop_(std::move(stop)) {}

  void append(std::span<const std::string_view> lines) {
    give_up_.reset();
    std::string bytes;
    for (const auto line : lines) {
      bytes.assign(line);
      bytes += '\n';
      write_all(bytes);
    }
    if (fdatasync(fd_) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) fail("sync");
  }

 private:
  using Clock = std::chrono::steady_clock;

  void write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      if (!has_room()) continue;
      // So much a pipe takes at once if it takes anything.
      const auto put = write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
      if (put >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(put));
      } else if (errno != EINTR && errno != EAGAIN) {
        fail("write");
      }
    }
  }

  bool has_room() {
    constexpr int kLookForStop = 50;                   // milliseconds
    constexpr std::chrono::milliseconds kGrace{1000};  // a slow reader gets the rest
    if (stop_ && stop_()) {
      if (!give_up_) give_up_ = Clock::now() + kGrace;
      if (Clock::now() > *give_up_) throw Stopped(name_ + ": nobody reads it");
    }
    pollfd wanted{fd_, POLLOUT, 0};
    return poll(&wanted, 1, kLookForStop) > 0;
  }

  [[noreturn]] void fail(const char* doing) const {
    const int reason = errno;
    throw Error(name_ + ": cannot " + doing + ": " + std::strerror(reason));
  }

  int fd_;
  std::string name_;
  StopAsked stop_;
  std::optional<Clock::time_point> give_up_;  // a stop was asked for
};

// What others did to the file would be overwritten, or leave a hole.
void check_untouched(const AppendFile& file) {
  const std::string path = file.file().path().string();
  if (!file.file().is_what_its_path_names()) throw Error(path + ": was removed or replaced");
  if (const auto size = file.file().size(); size != file.size()) {
    throw Error(path + ": has " + std::to_string(size) + " bytes, but was left with " +
                std::to_string(file.size()) + ": another process changed it");
  }
}

}  // namespace

LineOutput to_topic(const std::filesystem::path& log, std::string_view topic,
                    std::uint64_t segment_bytes, const StopAsked& stop) {
  const auto folder = partition_folder(log, topic, 0);
  const auto writer = std::make_shared<PartitionWriter>(folder, segment_bytes, stop);
  return {folder.string(), writer->last_line(),
          [writer](std::span<const std::string_view> lines) { writer->append(lines); }};
}

LineOutput to_file(const std::filesystem::path& path, const StopAsked& stop) {
  const auto held = std::make_shared<File>(path, O_RDWR | O_CREAT);
  if (!held->is_plain()) {
    auto stream = to_stream(held->fd(), path.string(), stop);
    stream.append = [held, append = stream.append](auto lines) { append(lines); };
    return stream;
  }
  if (!held->try_lock()) throw Error(path.string() + ": another process writes to it");
  const auto file = std::make_shared<AppendFile>(path, 0);
  sync_folder(path.has_parent_path() ? path.parent_path() : ".");
  return {path.string(), last_line(file->file()),
          [held, file](std::span<const std::string_view> lines) {
            check_untouched(*file);
            file->append(joined(lines));
          }};
}

LineOutput to_stream(int fd, const std::string& name, const StopAsked& stop) {
  const auto stream = std::make_shared<Stream>(fd, name, stop);
  return {name, {}, [stream](std::span<const std::string_view> lines) { stream->append(lines); }};
}

LocalSink::LocalSink(LineOutput lists, LineOutput dead_letters, OutputCodec codec)
    : codec_(std::move(codec)),
      lists_(lane_of(std::move(lists))),
      dead_letters_(lane_of(std::move(dead_letters))) {}

LocalSink::Lane LocalSink::lane_of(LineOutput output) const {
  Lane lane{std::move(output), {}, {}};
  if (lane.output.last_line.empty()) return lane;
  lane.last = codec_.id_of(lane.output.last_line);
  if (!lane.last) {
    throw Error(lane.output.name + ": its last line is no output of Headroom");
  }
  return lane;
}

bool LocalSink::is_there(const Lane& lane, const OutputId& id) {
  const auto order = [](const OutputId& of) { return std::tie(of.epoch, of.batch, of.k); };
  return lane.last && order(id) <= order(*lane.last);
}

void LocalSink::emit(const RankedList& list) {
  if (is_there(lists_, list.id)) return;
  lists_.pending.push_back({list.id, {}});
  codec_.encode_list(list, lists_.pending.back().line);
}

void LocalSink::emit(const DeadLetter& letter) {
  if (is_there(dead_letters_, letter.id)) return;
  dead_letters_.pending.push_back({letter.id, {}});
  codec_.encode_dead_letter(letter, dead_letters_.pending.back().line);
}

void LocalSink::commit(const Batch& /*batch*/) {
  kill_point("sink.before_lists");
  write(lists_);
  kill_point("sink.before_dead_letters");
  write(dead_letters_);
  kill_point("sink.after_commit");
}

void LocalSink::write(Lane& lane) {
  if (lane.pending.empty()) return;
  std::vector<std::string_view> lines;
  lines.reserve(lane.pending.size());
  for (const auto& pending : lane.pending) lines.push_back(pending.line);
  lane.output.append(lines);
  lane.last = lane.pending.back().id;
  lane.pending.clear();
}

}  // namespace headroom
