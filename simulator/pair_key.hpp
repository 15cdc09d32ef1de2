#pragma once

#include <cstdint>

#include "headroom/base/ids.hpp"

namespace headroom::sim {

// A user and an item as one number, for sets of pairs.
constexpr std::uint64_t pair_key(UserIx user, ItemIx item) {
  return (static_cast<std::uint64_t>(user) << 32U) | static_cast<std::uint64_t>(item);
}

}  // namespace headroom::sim
