#pragma once

#include <atomic>

namespace headroom {

// SIGTERM, SIGINT and SIGHUP ask for a stop from now on; SIGPIPE becomes an error of the write.
void watch_stop_signals();
const std::atomic<bool>& stop_requested();

}  // namespace headroom
