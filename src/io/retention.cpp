#include "headroom/io/retention.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "headroom/base/error.hpp"
#include "headroom/io/kill_point.hpp"
#include "headroom/io/partition.hpp"

namespace headroom {
namespace {

struct Look {
  std::uint64_t bytes = 0;
  Time written;
};

Look look_at(const Segment& segment) {
  struct stat info {};
  if (stat(segment.path.c_str(), &info) != 0) {
    throw Error(segment.path.string() + ": cannot look at it: " + std::strerror(errno));
  }
  const auto since =
      std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  return {static_cast<std::uint64_t>(info.st_size),
          Time(std::chrono::duration_cast<Time::duration>(since))};
}

}  // namespace

std::vector<std::filesystem::path> retain(const std::filesystem::path& partition,
                                          const Retention& retention, std::uint64_t released,
                                          Time now) {
  std::vector<std::filesystem::path> removed;
  auto segments = list_segments(partition);
  // A segment that was just begun holds no line to recover from: keep the one before it as well.
  if (!segments.empty() && look_at(segments.back()).bytes == 0) segments.pop_back();
  if (segments.empty()) return removed;
  const Segment& last = segments.back();
  std::uint64_t bytes = last.base - segments.front().base + look_at(last).bytes;

  // Oldest first, so that a crash in between leaves no hole.
  for (std::size_t at = 0; at + 1 < segments.size(); ++at) {
    if (segments[at + 1].base > released) break;
    const Look look = look_at(segments[at]);
    const bool too_much = retention.bytes && bytes > *retention.bytes;
    const bool too_old = retention.age && now - look.written > *retention.age;
    if (!too_much && !too_old) break;
    std::error_code error;
    std::filesystem::remove(segments[at].path, error);
    if (error) throw Error(segments[at].path.string() + ": cannot remove: " + error.message());
    bytes -= look.bytes;
    removed.push_back(segments[at].path);
    kill_point("retention.between");
  }
  if (!removed.empty()) sync_folder(partition);
  return removed;
}

}  // namespace headroom
