#pragma once

#include <cstdlib>
#include <filesystem>

#include "support/catch.hpp"

namespace headroom::test {

// The real data sets are not ours to pass on: they are read from the folder that HEADROOM_DATA
// names. Empty, with a plain word, without it.
inline std::filesystem::path real_data() {
  const char* folder = std::getenv("HEADROOM_DATA");
  if (folder == nullptr || *folder == '\0') {
    WARN("skipped: HEADROOM_DATA is not set");
    return {};
  }
  return folder;
}

}  // namespace headroom::test
