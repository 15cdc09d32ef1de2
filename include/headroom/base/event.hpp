#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "headroom/base/time.hpp"

namespace headroom {

// What can happen, with the names that the outside uses. The codec (room `wire`) has checked every
// bound named here before an event exists.

struct Position {  // degrees
  double lat = 0.0;
  double lon = 0.0;
  bool operator==(const Position&) const = default;
};

using Party = std::uint8_t;  // people, 1 to 100
inline constexpr Party kMaxParty = 100;

enum class CapacityKind : std::uint8_t { kSeats, kStock, kRate };

// By which rule it is said how many seats may still be offered: `ahead` keeps the chance of
// overload below a risk at every horizon, `now` never promises a seat twice.
enum class RoomRule : std::uint8_t { kAhead, kNow };
inline constexpr double kLeastRisk = 0.001, kMostRisk = 0.5;

// How many an item holds: people at once, copies ever put on sale, or arrivals in each slot of
// time.
struct Capacity {
  CapacityKind kind = CapacityKind::kSeats;
  double limit = 0.0;              // 0 to 1e9
  std::chrono::minutes per{0};     // of `rate`: the length of a slot, 1 to 10,080; else 0
  std::optional<RoomRule> rule{};  // none: the configured one
  std::optional<double> risk{};    // kLeastRisk to kMostRisk, of `ahead`; none: the configured one
  bool operator==(const Capacity&) const = default;
};

// Open from one minute of the day to another; over midnight where `to` is not after `from`.
struct OpeningHours {
  std::uint8_t days = 0;  // bit 0 Monday to bit 6 Sunday, the day on which it opens
  std::chrono::minutes from{0};
  std::chrono::minutes to{0};
  bool operator==(const OpeningHours&) const = default;
};

struct CheckIn {
  std::string user;
  std::string item;
  float value = 1.0F;  // preference, -1 to 1
  std::optional<Party> party;
  bool operator==(const CheckIn&) const = default;
};

struct CheckOut {
  std::string user;
  std::string item;
  bool operator==(const CheckOut&) const = default;
};

enum class FeedbackOutcome : std::uint8_t { kFollow, kIgnore };

// A follow names its item; an ignore without one means the whole list.
struct Feedback {
  std::string user;
  std::string recommendation;
  std::optional<std::string> item;
  FeedbackOutcome outcome = FeedbackOutcome::kIgnore;
  std::optional<Party> party;
  bool operator==(const Feedback&) const = default;
};

struct Impression {
  std::string user;
  std::string recommendation;
  bool operator==(const Impression&) const = default;
};

struct Request {
  std::string user;
  std::uint16_t n = 10;  // places wanted, 1 to 1,000
  Party party = 1;
  std::optional<Position> position;
  bool operator==(const Request&) const = default;
};

struct Forget {
  std::string user;
  bool operator==(const Forget&) const = default;
};

// A complete image of an item: what is not said is not so.
struct ItemUpdate {
  std::string item;
  std::string title;
  std::optional<Position> position;
  std::optional<Capacity> capacity;           // none: unlimited
  std::optional<std::chrono::minutes> dwell;  // 1 to 10,080; none: the configured one
  std::vector<OpeningHours> hours;            // none: always open
  std::string time_zone;                      // IANA; empty: the configured one
  bool closed = false;
  bool hidden = false;
  bool removed = false;
  bool operator==(const ItemUpdate&) const = default;
};

struct Event {
  Time at;
  std::string id;
  std::variant<CheckIn, CheckOut, Feedback, Impression, Request, Forget, ItemUpdate> what;
  bool operator==(const Event&) const = default;
};

}  // namespace headroom
