#pragma once

#include <cstddef>
#include <string>

#include "headroom/engine/catalogue.hpp"
#include "headroom/rank/filter.hpp"

namespace headroom {

// What a short list could not choose from.
struct Shortage {
  std::size_t asked = 0, got = 0;
  std::size_t known = 0;              // items
  bool stranger = false;              // may hold no seat: only items without capacity
  std::size_t offered = 0, full = 0;  // as the allocator counted them
};
// Why there are fewer items than asked for, by kind; empty if there are not.
std::string why_short(const Shortage& shortage, const Filter& filter, const Catalogue& catalogue);

}  // namespace headroom
