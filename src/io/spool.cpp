#include "headroom/io/spool.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "headroom/base/error.hpp"
#include "headroom/io/lines.hpp"

namespace headroom {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;
constexpr std::size_t kGroup = std::size_t{1} << 20U;  // bytes appended and synced together

[[noreturn]] void fail(const std::string& name) {
  const int reason = errno;
  throw Error(name + ": cannot read: " + std::strerror(reason));
}

bool is_readable(int fd, const std::string& name, int milliseconds) {
  pollfd wanted{fd, POLLIN, 0};
  const int ready = poll(&wanted, 1, milliseconds);
  if (ready < 0 && errno != EINTR) fail(name);
  return ready > 0;
}

constexpr int kLookForStop = 100;  // milliseconds

bool asked(const StopAsked& stop) { return stop && stop(); }

// Reads what is there, up to a chunk; false at the end.
bool read_some(int fd, const std::string& name, std::string& chunk) {
  chunk.resize(kChunk);
  const auto got = read(fd, chunk.data(), chunk.size());
  if (got < 0 && errno != EINTR && errno != EAGAIN) fail(name);
  chunk.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got != 0;
}

// Cuts bytes into lines as they come.
class Cutter {
 public:
  template <class Take>
  void add(std::string_view bytes, const Take& take) {
    for (std::size_t newline = 0; !bytes.empty(); bytes.remove_prefix(newline + 1)) {
      newline = bytes.find('\n');
      // Of a line that is too long there is already more than will be kept.
      if (line_.size() <= kLongestKept) line_ += bytes.substr(0, newline);
      if (newline == std::string_view::npos) return;
      end_line(take);
    }
  }

  template <class Take>
  void end_line(const Take& take) {
    if (line_.size() > kLongestKept) line_.resize(kKept);
    if (!line_.empty() && line_ != "\r") take(line_);
    line_.clear();
  }

 private:
  std::string line_;  // begun
};

// Lines on their way into the log, by where they go.
class Group {
 public:
  Group(LogWriter& log, const Router& route) : log_(log), route_(route) {}

  void add(const std::string& line) {
    bytes_ += line.size() + 1;
    waiting_[route_(line)].push_back(line);
  }

  std::size_t bytes() const { return bytes_; }

  // Everything is in the log on return.
  void append(Spooled& total) {
    for (const auto& [to, lines] : waiting_) {
      const std::vector<std::string_view> views(lines.begin(), lines.end());
      log_.append(to.topic, to.partition, views);
      total.records += lines.size();
      for (const auto& line : lines) total.bytes += line.size() + 1;
    }
    waiting_.clear();
    bytes_ = 0;
  }

 private:
  LogWriter& log_;
  const Router& route_;
  std::map<Destination, std::vector<std::string>> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace

Spooled spool(int fd, const std::string& name, LogWriter& log, const Router& route,
              const std::function<void(const Spooled&)>& acknowledged, const StopAsked& stop) {
  Spooled total;
  Cutter cutter;
  Group group(log, route);
  const auto add = [&](const std::string& line) { group.add(line); };
  std::string chunk;
  for (bool more = true; more && !asked(stop);) {
    if (!is_readable(fd, name, kLookForStop)) continue;
    do {
      more = read_some(fd, name, chunk);
      cutter.add(chunk, add);
    } while (more && group.bytes() < kGroup && is_readable(fd, name, 0));
    if (!more) cutter.end_line(add);
    const bool news = group.bytes() > 0;
    try {
      group.append(total);
    } catch (const Stopped&) {
      return total;
    }
    total.to_the_end = !more;
    if (news && acknowledged) acknowledged(total);
  }
  return total;
}

bool each_line(int fd, const std::string& name, const StopAsked& stop,
               const std::function<void(std::string_view line)>& take) {
  Cutter cutter;
  const auto unless_stopped = [&](const std::string& line) {
    if (!asked(stop)) take(line);
  };
  std::string chunk;
  for (bool more = true; more;) {
    if (asked(stop)) return false;
    if (!is_readable(fd, name, kLookForStop)) continue;
    more = read_some(fd, name, chunk);
    cutter.add(chunk, unless_stopped);
    if (!more) cutter.end_line(unless_stopped);
  }
  return !asked(stop);
}

}  // namespace headroom
