#pragma once

#include <string>

namespace headroom::test {

// "u", 3 -> "u3"; appending, since GCC 12 warns wrongly of "u" + std::to_string(3).
template <class Number>
std::string numbered(const char* prefix, Number number) {
  return std::string(prefix).append(std::to_string(number));
}

}  // namespace headroom::test
