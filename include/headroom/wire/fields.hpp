#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace headroom {

// Every key of the wire format, so that each name is spelled once.
// clang-format off
enum class Field : std::uint8_t {
  // of every event
  kEvent, kId, kTimestamp, kUser, kItem,
  // of some events
  kValue, kParty, kRecommendation, kOutcome, kN,
  // of an item
  kLat, kLon, kTitle, kCapacity, kDwellMinutes, kHours, kTimeZone,
  kClosed, kHidden, kRemoved,
  // of an item's capacity and hours
  kKind, kLimit, kPerMinutes, kRule, kRisk, kDays, kFrom, kTo,
  // of a list
  kReplaces, kListenPropensity, kValidUntil, kPolicy, kReason, kItems,
  // of a listed item
  kRank, kScore, kPrice, kPscore, kHeld, kRoom,
  // of a dead letter
  kDeadLetter, kTopic, kPartition, kOffset, kBytes,
  kCount  // also: none of ours
};

inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kCount);

inline constexpr std::array<std::string_view, kFieldCount> kFieldNames = {
    "event", "id", "timestamp", "user", "item",
    "value", "party", "recommendation", "outcome", "n",
    "lat", "lon", "title", "capacity", "dwell_minutes", "hours", "time_zone",
    "closed", "hidden", "removed",
    "kind", "limit", "per_minutes", "rule", "risk", "days", "from", "to",
    "replaces", "listen_propensity", "valid_until", "policy", "reason", "items",
    "rank", "score", "price", "pscore", "held", "room",
    "dead_letter", "topic", "partition", "offset", "bytes",
};
// clang-format on
static_assert(kFieldNames.back() == "bytes");

constexpr std::string_view name(Field field) {
  return kFieldNames[static_cast<std::size_t>(field)];
}

using FieldSet = std::uint64_t;
static_assert(kFieldCount <= 64);

constexpr FieldSet bit(Field field) { return FieldSet{1} << static_cast<unsigned>(field); }

constexpr FieldSet set_of(std::initializer_list<Field> fields) {
  FieldSet set = 0;
  for (const Field field : fields) set |= bit(field);
  return set;
}

// The names by a hash that the compiler has made free of collisions: one look, one comparison.
class FieldTable {
 public:
  consteval FieldTable() {
    while (!fill()) ++factor_;
  }

  constexpr Field find(std::string_view key) const {
    if (key.empty()) return Field::kCount;
    const Field field = slots_[slot(key)];
    return field != Field::kCount && name(field) == key ? field : Field::kCount;
  }

 private:
  constexpr std::size_t slot(std::string_view key) const {
    const auto mix = static_cast<std::uint32_t>(static_cast<unsigned char>(key.front())) |
                     static_cast<std::uint32_t>(static_cast<unsigned char>(key.back())) << 8 |
                     static_cast<std::uint32_t>(static_cast<unsigned char>(key[key.size() / 2]))
                         << 16 |
                     static_cast<std::uint32_t>(key.size()) << 24;
    return (mix * factor_) >> 24;
  }

  constexpr bool fill() {
    slots_.fill(Field::kCount);
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      Field& taken = slots_[slot(kFieldNames[i])];
      if (taken != Field::kCount) return false;
      taken = static_cast<Field>(i);
    }
    return true;
  }

  std::uint32_t factor_ = 0x9E3779B1U;
  std::array<Field, 256> slots_{};
};

inline constexpr FieldTable kFieldTable;

}  // namespace headroom
