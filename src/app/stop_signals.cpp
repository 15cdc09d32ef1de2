#include "headroom/app/stop_signals.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX

namespace headroom {

namespace {

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void watch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop = true; };
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
}

const std::atomic<bool>& stop_requested() { return stop; }

}  // namespace headroom
