#pragma once

#include "headroom/app/options.hpp"

namespace headroom {

struct ServeFlags {
  bool rebuild = false;                        // see rebuild.hpp
  bool reset = false, new_partitions = false;  // see LogChange
  bool until_end = false;                      // stop when everything that there is was taken
};

// Serves until SIGTERM or SIGINT, or the end. Returns the exit code.
int serve(const Options& options, const ServeFlags& flags);

}  // namespace headroom
