#include "headroom/io/kill_point.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): raise of SIGKILL is POSIX

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string>

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

struct Armed {
  std::atomic<std::size_t> index{kKillPoints.size()};  // past the table: none
  std::atomic<long> passes{0};                         // left, this one included
};

void arm(Armed& armed, std::string_view words) {
  armed.index = kKillPoints.size();
  if (words.empty()) return;
  const std::size_t colon = words.find(':');
  const std::string_view count = colon < words.size() ? words.substr(colon + 1) : "1";
  const auto* const name =
      std::find(kKillPoints.begin(), kKillPoints.end(), words.substr(0, colon));
  long passes = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), passes);
  if (name == kKillPoints.end() || error != std::errc{} || end != count.data() + count.size() ||
      passes < 1) {
    // A crash test that never crashes would pass.
    throw Error("HEADROOM_KILL_AT: '" + std::string(words) + "' is not <kill point>:<count>");
  }
  armed.passes = passes;
  armed.index = static_cast<std::size_t>(name - kKillPoints.begin());
}

Armed& armed() {
  static Armed* const one = [] {
    static Armed from_environment;
    const char* words = std::getenv("HEADROOM_KILL_AT");
    arm(from_environment, words == nullptr ? "" : words);
    return &from_environment;
  }();
  return *one;
}

}  // namespace

void kill_point(KillPoint point) {
  Armed& now = armed();
  if (now.index != point.index()) return;
  if (now.passes.fetch_sub(1) == 1) raise(SIGKILL);
}

bool kills_next(KillPoint point) {
  const Armed& now = armed();
  return now.index == point.index() && now.passes == 1;
}

void set_kill_point(std::string_view name_and_count) { arm(armed(), name_and_count); }

}  // namespace headroom
