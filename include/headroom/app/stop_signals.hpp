#pragma once

#include <atomic>

namespace headroom {

// SIGTERM, SIGINT and SIGHUP ask for a stop from now on; SIGPIPE and
// SIGXFSZ (a file over the limit of its size) become errors of the write.
void watch_stop_signals();
const std::atomic<bool>& stop_requested();

}  // namespace headroom
