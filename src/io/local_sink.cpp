#include "headroom/io/local_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
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

void write_stream(int fd, const std::string& name, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd wanted{fd, POLLOUT, 0};
      poll(&wanted, 1, -1);
    } else if (errno != EINTR) {
      const int reason = errno;
      throw Error(name + ": cannot write: " + std::strerror(reason));
    }
  }
  if (fdatasync(fd) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) {
    const int reason = errno;
    throw Error(name + ": cannot sync: " + std::strerror(reason));
  }
}

}  // namespace

LineOutput to_topic(const std::filesystem::path& log, std::string_view topic,
                    std::uint64_t segment_bytes) {
  const auto folder = partition_folder(log, topic, 0);
  const auto writer = std::make_shared<PartitionWriter>(folder, segment_bytes);
  return {folder.string(), writer->last_line(),
          [writer](std::span<const std::string_view> lines) { writer->append(lines); }};
}

LineOutput to_file(const std::filesystem::path& path) {
  const auto held = std::make_shared<File>(path, O_RDWR | O_CREAT);
  if (!held->is_plain()) {
    auto stream = to_stream(held->fd(), path.string());
    stream.append = [held, append = stream.append](auto lines) { append(lines); };
    return stream;
  }
  if (!held->try_lock()) throw Error(path.string() + ": another process writes to it");
  const auto file = std::make_shared<AppendFile>(path, 0);
  sync_folder(path.has_parent_path() ? path.parent_path() : ".");
  return {path.string(), last_line(file->file()),
          [held, file](std::span<const std::string_view> lines) { file->append(joined(lines)); }};
}

LineOutput to_stream(int fd, const std::string& name) {
  return {name, {}, [fd, name](std::span<const std::string_view> lines) {
            write_stream(fd, name, joined(lines));
          }};
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
