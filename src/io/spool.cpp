#include "headroom/io/spool.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
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

// Lines on their way into the log, by where they go.
class Group {
 public:
  Group(LogWriter& log, const Router& route) : log_(log), route_(route) {}

  void add(std::string_view bytes) {
    for (std::size_t newline = 0; !bytes.empty(); bytes.remove_prefix(newline + 1)) {
      newline = bytes.find('\n');
      // Of a line that is too long there is already more than will be kept.
      if (line_.size() <= kLongestKept) line_ += bytes.substr(0, newline);
      if (newline == std::string_view::npos) return;
      end_line();
    }
  }

  void end_line() {
    if (line_.size() > kLongestKept) line_.resize(kKept);
    if (!line_.empty() && line_ != "\r") {
      bytes_ += line_.size() + 1;
      const Destination to = route_(line_);
      waiting_[to].push_back(std::exchange(line_, {}));
    }
    line_.clear();
  }

  std::size_t bytes() const { return bytes_; }

  // Everything but a line not yet ended is in the log on return.
  void append(Spooled& total) {
    for (const auto& [to, lines] : waiting_) {
      const std::vector<std::string_view> views(lines.begin(), lines.end());
      log_.append(to.topic, to.partition, views);
      total.records += lines.size();
    }
    total.bytes += bytes_;
    waiting_.clear();
    bytes_ = 0;
  }

 private:
  LogWriter& log_;
  const Router& route_;
  std::string line_;  // begun
  std::map<Destination, std::vector<std::string>> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace

Spooled spool(int fd, const std::string& name, LogWriter& log, const Router& route,
              const std::function<void(const Spooled&)>& acknowledged,
              const std::stop_token& stop) {
  constexpr int kLookForStop = 100;  // milliseconds
  Spooled total;
  Group group(log, route);
  std::vector<char> chunk(kChunk);
  for (bool more = true; more && !stop.stop_requested();) {
    if (!is_readable(fd, name, kLookForStop)) continue;
    do {
      const auto got = read(fd, chunk.data(), chunk.size());
      if (got < 0 && errno != EINTR && errno != EAGAIN) fail(name);
      if (got > 0) group.add({chunk.data(), static_cast<std::size_t>(got)});
      more = got != 0;
    } while (more && group.bytes() < kGroup && is_readable(fd, name, 0));
    if (!more) group.end_line();
    if (group.bytes() == 0) continue;
    group.append(total);
    if (acknowledged) acknowledged(total);
  }
  return total;
}

}  // namespace headroom
