#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include "support/catch.hpp"

namespace headroom::test {

// The real data sets are not ours to pass on: they are read from the folder that HEADROOM_DATA
// names. Empty, with a plain word, without it or where one of the sets needed is not in it.
inline std::filesystem::path real_data(std::initializer_list<const char*> sets) {
  const char* folder = std::getenv("HEADROOM_DATA");
  if (folder == nullptr || *folder == '\0') {
    WARN("skipped: HEADROOM_DATA is not set");
    return {};
  }
  for (const char* set : sets) {
    if (std::filesystem::exists(std::filesystem::path(folder) / set)) continue;
    WARN("skipped: HEADROOM_DATA has no folder " << set);
    return {};
  }
  return folder;
}

}  // namespace headroom::test
