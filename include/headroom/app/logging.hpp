#pragma once

#include "headroom/app/options.hpp"

namespace headroom {

// Lines on standard error: time, level, then a word and key=value.
void start_logging(LogLevel level);

}  // namespace headroom
