#pragma once

#include <chrono>

namespace headroom {

// UTC. Nothing below room `io` reads a clock: time comes with the data.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;

}  // namespace headroom
