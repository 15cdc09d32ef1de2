#pragma once

#include <string>
#include <string_view>

#include "headroom/base/error.hpp"

namespace headroom::test {

// The message of the Error that `run` ends with.
template <class Run>
std::string error_of(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The matchers for this have other names in Catch2 2 and 3.
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace headroom::test
