#include <algorithm>
#include <array>
#include <cstring>

#include "headroom/wire/codec.hpp"
#include "headroom/wire/object_reader.hpp"

namespace headroom {
namespace {

using std::chrono::minutes;

constexpr std::size_t kMaxTitle = 1024;      // bytes
constexpr std::size_t kMaxTimeZone = 64;     // bytes
constexpr std::size_t kMaxHours = 64;        // entries
constexpr std::int64_t kWeek = 7 * 24 * 60;  // minutes
constexpr double kMaxLimit = 1e9;

constexpr FieldSet kEventFields =
    set_of({Field::kEvent,    Field::kId,       Field::kTimestamp,    Field::kUser,
            Field::kItem,     Field::kValue,    Field::kParty,        Field::kRecommendation,
            Field::kOutcome,  Field::kN,        Field::kLat,          Field::kLon,
            Field::kTitle,    Field::kCapacity, Field::kDwellMinutes, Field::kHours,
            Field::kTimeZone, Field::kClosed,   Field::kHidden,       Field::kRemoved});
constexpr FieldSet kCapacityFields =
    set_of({Field::kKind, Field::kLimit, Field::kPerMinutes, Field::kRule, Field::kRisk});
constexpr FieldSet kHoursFields = set_of({Field::kDays, Field::kFrom, Field::kTo});

bool read_party(ObjectReader& record, std::optional<Party>& into) {
  into.reset();
  return !record.has(Field::kParty) || record.integer(Field::kParty, 1, kMaxParty, into.emplace());
}

bool read_position(ObjectReader& record, std::optional<Position>& into) {
  into.reset();
  if (!record.has(Field::kLat) && !record.has(Field::kLon)) return true;
  Position& at = into.emplace();
  return record.number(Field::kLat, -90, 90, at.lat) &&
         record.number(Field::kLon, -180, 180, at.lon);
}

bool read_kind(ObjectReader& object, CapacityKind& into) {
  std::string_view word;
  if (!object.text(Field::kKind, word)) return false;
  if (word == "seats")
    into = CapacityKind::kSeats;
  else if (word == "stock")
    into = CapacityKind::kStock;
  else if (word == "rate")
    into = CapacityKind::kRate;
  else
    return object.refuse_value(RejectKind::kOutOfRange, Field::kKind,
                               "must be seats, stock or rate, not ");
  return true;
}

bool read_slot(ObjectReader& object, Capacity& into) {
  into.per = minutes{0};
  if (into.kind == CapacityKind::kRate) {
    std::int64_t per = 0;
    if (!object.integer(Field::kPerMinutes, 1, kWeek, per)) return false;
    into.per = minutes{per};
  } else if (object.has(Field::kPerMinutes)) {
    return object.refuse(RejectKind::kOutOfRange, Field::kPerMinutes, "is for the kind rate only");
  }
  return true;
}

bool read_rule(ObjectReader& object, Capacity& into) {
  if (object.has(Field::kRule)) {
    std::string_view word;
    if (!object.text(Field::kRule, word)) return false;
    if (word == "ahead")
      into.rule = RoomRule::kAhead;
    else if (word == "now")
      into.rule = RoomRule::kNow;
    else
      return object.refuse_value(RejectKind::kOutOfRange, Field::kRule,
                                 "must be ahead or now, not ");
  }
  return !object.has(Field::kRisk) ||
         object.number(Field::kRisk, kLeastRisk, kMostRisk, into.risk.emplace());
}

bool read_capacity(ObjectReader& record, std::optional<Capacity>& into) {
  into.reset();
  if (!record.has(Field::kCapacity)) return true;
  const auto value = record[Field::kCapacity];
  Capacity& capacity = into.emplace();
  if (value.is_number()) return record.number(Field::kCapacity, 0, kMaxLimit, capacity.limit);
  if (!value.is_object()) {
    return record.refuse_value(RejectKind::kWrongType, Field::kCapacity,
                               "must be a number or an object, not ");
  }
  ObjectReader object(record, Field::kCapacity);
  return object.open(value, kCapacityFields) && read_kind(object, capacity.kind) &&
         object.number(Field::kLimit, 0, kMaxLimit, capacity.limit) &&
         read_slot(object, capacity) && read_rule(object, capacity);
}

bool read_dwell(ObjectReader& record, std::optional<minutes>& into) {
  into.reset();
  if (!record.has(Field::kDwellMinutes)) return true;
  std::int64_t dwell = 0;
  if (!record.integer(Field::kDwellMinutes, 1, kWeek, dwell)) return false;
  into = minutes{dwell};
  return true;
}

bool read_days(ObjectReader& entry, std::uint8_t& into) {
  simdjson::dom::array days;
  if (!entry.array(Field::kDays, days)) return false;
  into = 0;
  for (const auto element : days) {
    std::int64_t day = 0;
    if (!entry.whole(Field::kDays, element, 1, 7, day)) return false;
    const auto flag = static_cast<std::uint8_t>(1U << (day - 1));
    if ((into & flag) != 0) {
      return entry.refuse(RejectKind::kOutOfRange, Field::kDays, "names a day twice");
    }
    into |= flag;
  }
  return into != 0 || entry.refuse(RejectKind::kOutOfRange, Field::kDays, "names no day");
}

// HH:MM up to `last`.
bool read_clock(ObjectReader& entry, Field field, minutes last, minutes& into) {
  std::string_view text;
  if (!entry.text(field, text)) return false;
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  if (text.size() == 5 && digit(0) && digit(1) && text[2] == ':' && digit(3) && digit(4)) {
    const int hour = (text[0] - '0') * 10 + (text[1] - '0');
    const int minute = (text[3] - '0') * 10 + (text[4] - '0');
    into = minutes{hour * 60 + minute};
    if (minute < 60 && into <= last) return true;
  }
  return entry.refuse_value(RejectKind::kOutOfRange, field, "must be a time of day as HH:MM, not ");
}

bool read_hours(ObjectReader& record, std::vector<OpeningHours>& into) {
  into.clear();
  if (!record.has(Field::kHours)) return true;
  simdjson::dom::array entries;
  if (!record.array(Field::kHours, entries)) return false;
  for (const auto element : entries) {
    if (into.size() == kMaxHours) {
      return record.refuse(RejectKind::kOutOfRange, Field::kHours, "has more than 64 entries");
    }
    if (!element.is_object()) {
      return record.refuse(RejectKind::kWrongType, Field::kHours,
                           "must hold objects, not " + quoted(element));
    }
    ObjectReader entry(record, Field::kHours, static_cast<int>(into.size()));
    OpeningHours& hours = into.emplace_back();
    if (!entry.open(element, kHoursFields) || !read_days(entry, hours.days) ||
        !read_clock(entry, Field::kFrom, minutes{23 * 60 + 59}, hours.from) ||
        !read_clock(entry, Field::kTo, minutes{24 * 60}, hours.to)) {
      return false;
    }
  }
  return true;
}

// Letters of IANA names only: the name becomes part of a path where zones are looked up.
bool read_time_zone(ObjectReader& record, std::string& into) {
  into.clear();
  if (!record.has(Field::kTimeZone)) return true;
  if (!record.text_up_to(Field::kTimeZone, kMaxTimeZone, into)) return false;
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const auto fits = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' || c == '/';
  };
  if (into.empty() || (letter(into[0]) && std::all_of(into.begin(), into.end(), fits))) return true;
  return record.refuse_value(RejectKind::kOutOfRange, Field::kTimeZone,
                             "is no IANA name such as Asia/Singapore: ");
}

bool read_title(ObjectReader& record, std::string& into) {
  into.clear();
  return !record.has(Field::kTitle) || record.text_up_to(Field::kTitle, kMaxTitle, into);
}

bool read_flag(ObjectReader& record, Field field, bool& into) {
  into = false;
  return !record.has(field) || record.flag(field, into);
}

bool read_outcome(ObjectReader& record, FeedbackOutcome& into) {
  std::string_view word;
  if (!record.text(Field::kOutcome, word)) return false;
  if (word == "follow")
    into = FeedbackOutcome::kFollow;
  else if (word == "ignore")
    into = FeedbackOutcome::kIgnore;
  else
    return record.refuse_value(RejectKind::kOutOfRange, Field::kOutcome,
                               "must be follow or ignore, not ");
  return true;
}

bool read(ObjectReader& record, CheckIn& into) {
  into.value = 1.0F;
  return record.id(Field::kUser, into.user) && record.id(Field::kItem, into.item) &&
         (!record.has(Field::kValue) || record.number(Field::kValue, -1, 1, into.value)) &&
         read_party(record, into.party);
}

bool read(ObjectReader& record, CheckOut& into) {
  return record.id(Field::kUser, into.user) && record.id(Field::kItem, into.item);
}

bool read(ObjectReader& record, Feedback& into) {
  if (!record.id(Field::kUser, into.user) ||
      !record.id(Field::kRecommendation, into.recommendation) ||
      !read_outcome(record, into.outcome) || !read_party(record, into.party)) {
    return false;
  }
  into.item.reset();
  if (into.outcome == FeedbackOutcome::kIgnore && !record.has(Field::kItem)) return true;
  return record.id(Field::kItem, into.item.emplace());
}

bool read(ObjectReader& record, Impression& into) {
  return record.id(Field::kUser, into.user) &&
         record.id(Field::kRecommendation, into.recommendation);
}

bool read(ObjectReader& record, Request& into) {
  into.n = Request{}.n;
  into.party = Request{}.party;
  return record.id(Field::kUser, into.user) &&
         (!record.has(Field::kN) || record.integer(Field::kN, 1, 1000, into.n)) &&
         (!record.has(Field::kParty) || record.integer(Field::kParty, 1, kMaxParty, into.party)) &&
         read_position(record, into.position);
}

bool read(ObjectReader& record, Forget& into) { return record.id(Field::kUser, into.user); }

bool read(ObjectReader& record, ItemUpdate& into) {
  return record.id(Field::kItem, into.item) && read_title(record, into.title) &&
         read_position(record, into.position) && read_capacity(record, into.capacity) &&
         read_dwell(record, into.dwell) && read_hours(record, into.hours) &&
         read_time_zone(record, into.time_zone) && read_flag(record, Field::kClosed, into.closed) &&
         read_flag(record, Field::kHidden, into.hidden) &&
         read_flag(record, Field::kRemoved, into.removed);
}

template <class What>
bool read_as(ObjectReader& record, Event& into) {
  What* what = std::get_if<What>(&into.what);
  return read(record, what != nullptr ? *what : into.what.emplace<What>());
}

struct EventKind {
  std::string_view word;
  bool (*read)(ObjectReader&, Event&);
};

// The most frequent first.
constexpr std::array<EventKind, 7> kKinds = {{{"checkin", read_as<CheckIn>},
                                              {"request", read_as<Request>},
                                              {"feedback", read_as<Feedback>},
                                              {"impression", read_as<Impression>},
                                              {"checkout", read_as<CheckOut>},
                                              {"item", read_as<ItemUpdate>},
                                              {"forget", read_as<Forget>}}};

bool read_event(ObjectReader& record, Event& into) {
  std::string_view word;
  if (!record.text(Field::kEvent, word)) return false;
  for (const EventKind& kind : kKinds) {
    if (kind.word != word) continue;
    return record.id(Field::kId, into.id) && record.time(Field::kTimestamp, into.at) &&
           kind.read(record, into);
  }
  return record.refuse_value(RejectKind::kUnknownEvent, Field::kEvent, "is none of ours: ");
}

}  // namespace

class EventDecoder::Impl {
 public:
  // Both buffers have their full size from the start: no record makes them grow.
  Impl() : bytes_(kMaxRecord + simdjson::SIMDJSON_PADDING) {
    if (parser_.allocate(kMaxRecord) != simdjson::SUCCESS) throw std::bad_alloc();
  }

  std::optional<RejectReason> decode(std::string_view bytes, Event& into) {
    if (bytes.size() > kMaxRecord) {
      return RejectReason{RejectKind::kTooLong, "the record has " + std::to_string(bytes.size()) +
                                                    " bytes, at most " +
                                                    std::to_string(kMaxRecord)};
    }
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
    // What lies behind must not depend on the record before.
    std::memset(bytes_.data() + bytes.size(), 0, simdjson::SIMDJSON_PADDING);
    if (record_.parse(parser_, {bytes_.data(), bytes.size()}, kEventFields) &&
        read_event(record_, into)) {
      return std::nullopt;
    }
    return std::move(why_);
  }

 private:
  simdjson::dom::parser parser_;
  std::vector<char> bytes_;
  RejectReason why_;
  ObjectReader record_{why_};
};

EventDecoder::EventDecoder() : impl_(std::make_unique<Impl>()) {}
EventDecoder::~EventDecoder() = default;
EventDecoder::EventDecoder(EventDecoder&&) noexcept = default;
EventDecoder& EventDecoder::operator=(EventDecoder&&) noexcept = default;

std::optional<RejectReason> EventDecoder::decode(std::string_view bytes, Event& into) {
  return impl_->decode(bytes, into);
}

}  // namespace headroom
