#include "headroom/app/stop_signals.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX
#include <unistd.h>

namespace headroom {

namespace {

std::atomic<bool> stop = false;
std::atomic<int> stopped_by = SIGTERM;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

}  // namespace

void watch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    stopped_by = signal;
    stop = true;
  };
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
}

const std::atomic<bool>& stop_requested() { return stop; }

void end_by_stop_signal() {
  signal(stopped_by, SIG_DFL);
  raise(stopped_by);
  _exit(128 + stopped_by);  // where it is blocked
}

}  // namespace headroom
