#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace headroom::test {

// A number from the environment, to replay or lengthen a run.
inline std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::stoull(text) : otherwise;
}

}  // namespace headroom::test
