#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace headroom {

__extension__ using Wide = unsigned __int128;

// 64 bits of a text: words of eight bytes folded in by a 64 x 64 -> 128 bit product, the mixing
// step of wyhash. Not for secrets. The value is part of the state store: changing it changes its
// version.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0) {
  constexpr std::uint64_t kA = 0xA0761D6478BD642FULL, kB = 0xE7037ED1A0B428DBULL;
  std::uint64_t state = seed ^ mix(seed ^ kA, text.size() ^ kB);
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    state = mix(state ^ word ^ kA, kB);
  }
  std::uint64_t word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  return mix(state ^ word ^ kB, kA);
}

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
};

inline Hash128 hash128(std::string_view text) {
  return {hash64(text, 0x8EBC6AF09C88C6E3ULL), hash64(text, 0x589965CC75374CC3ULL)};
}

}  // namespace headroom
