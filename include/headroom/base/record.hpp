#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// The two ways in. Items are few and come before events in a batch.
enum class Topic : std::uint8_t { kItems, kEvents };

constexpr std::string_view name(Topic topic) {
  return topic == Topic::kItems ? "headroom.items" : "headroom.events";
}

// Where a record lies. Offsets grow within a partition; what they count is the log's own affair.
struct Place {
  Topic topic = Topic::kEvents;
  std::uint32_t partition = 0;
  std::uint64_t offset = 0;
  auto operator<=>(const Place&) const = default;
};

// The records of one partition at offsets from <= offset < to.
struct Range {
  Topic topic = Topic::kEvents;
  std::uint32_t partition = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool operator==(const Range&) const = default;
};

using Bounds = std::vector<Range>;

// Why a record was not taken. Each is counted by its own name.
enum class RejectKind : std::uint8_t {
  kTooLong,       // over 64 KiB
  kBadUtf8,       // broken UTF-8
  kNotJson,       // not one JSON object; NaN and Infinity are no JSON either
  kUnknownEvent,  // "event" is none of ours
  kMissingField,
  kWrongType,
  kOutOfRange,  // a number, a time, a text out of its bounds
  kBadId,       // empty, or longer than 256 bytes
  kFarTime,     // judged in the step, against its clock
  kAtLimit,     // no place for another user or item, and none may leave
  kCount
};

constexpr std::string_view name(RejectKind kind) {
  switch (kind) {
    case RejectKind::kTooLong:
      return "too_long";
    case RejectKind::kBadUtf8:
      return "bad_utf8";
    case RejectKind::kNotJson:
      return "not_json";
    case RejectKind::kUnknownEvent:
      return "unknown_event";
    case RejectKind::kMissingField:
      return "missing_field";
    case RejectKind::kWrongType:
      return "wrong_type";
    case RejectKind::kOutOfRange:
      return "out_of_range";
    case RejectKind::kBadId:
      return "bad_id";
    case RejectKind::kFarTime:
      return "far_time";
    case RejectKind::kAtLimit:
      return "at_limit";
    case RejectKind::kCount:
      break;
  }
  return "unknown";
}

struct RejectReason {
  RejectKind kind = RejectKind::kNotJson;
  std::string words;  // names the field and what is wrong with it
  bool operator==(const RejectReason&) const = default;
};

// A record that was not taken, with its original bytes.
struct Reject {
  Place place;
  RejectReason reason;
  std::string bytes;
  bool operator==(const Reject&) const = default;
};

}  // namespace headroom
