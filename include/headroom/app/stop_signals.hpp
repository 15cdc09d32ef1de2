#pragma once

#include <atomic>

namespace headroom {

// SIGTERM, SIGINT and SIGHUP ask for a stop from now on; SIGPIPE and
// SIGXFSZ (a file over the limit of its size) become errors of the write.
void watch_stop_signals();
const std::atomic<bool>& stop_requested();
// Ends the process as that signal does where nobody watches: for who had only to clean up first.
[[noreturn]] void end_by_stop_signal();

}  // namespace headroom
