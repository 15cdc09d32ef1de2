#pragma once

#include <cstddef>
#include <cstdint>

namespace headroom {

// Dense indices inside, strings outside. Two types, so that a user is never taken for an item.
enum class UserIx : std::uint32_t {};
enum class ItemIx : std::uint32_t {};

inline constexpr UserIx kNobody{0xFFFFFFFF};  // a user without a row

constexpr std::size_t index(UserIx user) { return static_cast<std::size_t>(user); }
constexpr std::size_t index(ItemIx item) { return static_cast<std::size_t>(item); }

}  // namespace headroom
