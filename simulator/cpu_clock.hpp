#pragma once

#include <ctime>

namespace headroom::sim {

// Seconds of CPU that all threads of this process have had. To read it takes about a microsecond.
inline double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace headroom::sim
