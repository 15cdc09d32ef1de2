#include "headroom/wire/base64.hpp"
#include "headroom/wire/codec.hpp"
#include "headroom/wire/object_writer.hpp"

namespace headroom {
namespace {

using std::chrono::minutes;

void write_id(ObjectWriter& object, Field field, char prefix, const OutputId& id) {
  object.text(field, to_text(prefix, id));
}

void write(ObjectWriter& object, const std::optional<Position>& position) {
  if (!position) return;
  object.number(Field::kLat, position->lat);
  object.number(Field::kLon, position->lon);
}

void write(ObjectWriter& object, const std::optional<Party>& party) {
  if (party) object.number(Field::kParty, int{*party});
}

std::string_view name(CapacityKind kind) {
  switch (kind) {
    case CapacityKind::kSeats:
      return "seats";
    case CapacityKind::kStock:
      return "stock";
    case CapacityKind::kRate:
      return "rate";
  }
  return "";
}

void write(const Capacity& capacity, std::string& out) {
  ObjectWriter object(out);
  object.text(Field::kKind, name(capacity.kind));
  object.number(Field::kLimit, capacity.limit);
  if (capacity.kind == CapacityKind::kRate) {
    object.number(Field::kPerMinutes, capacity.per.count());
  }
  if (capacity.rule) {
    object.text(Field::kRule, *capacity.rule == RoomRule::kAhead ? "ahead" : "now");
  }
  if (capacity.risk) object.number(Field::kRisk, *capacity.risk);
}

void write_clock(ObjectWriter& object, Field field, minutes at) {
  const auto pair = [](long value) {
    return std::string{static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)};
  };
  object.text(field, pair(at.count() / 60) + ':' + pair(at.count() % 60));
}

void write(const OpeningHours& hours, std::string& out) {
  ObjectWriter object(out);
  object.key(Field::kDays) += '[';
  char before = '\0';
  for (int day = 1; day <= 7; ++day) {
    if ((hours.days >> (day - 1) & 1) == 0) continue;
    if (before != '\0') out += before;
    out += static_cast<char>('0' + day);
    before = ',';
  }
  out += ']';
  write_clock(object, Field::kFrom, hours.from);
  write_clock(object, Field::kTo, hours.to);
}

void write(const ListedItem& item, std::size_t rank, std::string& out) {
  ObjectWriter object(out);
  object.text(Field::kItem, item.item);
  object.number(Field::kRank, rank);
  object.number(Field::kScore, item.score);
  object.number(Field::kPrice, item.price);
  object.number(Field::kPscore, item.pscore);
  object.number(Field::kHeld, item.held);
  object.number(Field::kRoom, item.room);  // null when unlimited
}

template <class Range, class Write>
void write_array(std::string& out, const Range& range, Write write_one) {
  out += '[';
  std::size_t count = 0;
  for (const auto& one : range) {
    if (count++ > 0) out += ',';
    write_one(one, count);
  }
  out += ']';
}

void write_head(ObjectWriter& record, std::string_view word, const Event& event) {
  record.text(Field::kEvent, word);
  record.text(Field::kId, event.id);
  record.time(Field::kTimestamp, event.at);
}

// What is optional is written only where it says something.
struct EventWriter {
  const Event& event;
  ObjectWriter& record;
  std::string& out;

  void operator()(const CheckIn& what) {
    write_head(record, "checkin", event);
    record.text(Field::kUser, what.user);
    record.text(Field::kItem, what.item);
    if (what.value != CheckIn{}.value) record.number(Field::kValue, what.value);
    write(record, what.party);
  }

  void operator()(const CheckOut& what) {
    write_head(record, "checkout", event);
    record.text(Field::kUser, what.user);
    record.text(Field::kItem, what.item);
  }

  void operator()(const Feedback& what) {
    write_head(record, "feedback", event);
    record.text(Field::kUser, what.user);
    record.text(Field::kRecommendation, what.recommendation);
    if (what.item) record.text(Field::kItem, *what.item);
    record.text(Field::kOutcome, what.outcome == FeedbackOutcome::kFollow ? "follow" : "ignore");
    write(record, what.party);
  }

  void operator()(const Impression& what) {
    write_head(record, "impression", event);
    record.text(Field::kUser, what.user);
    record.text(Field::kRecommendation, what.recommendation);
  }

  void operator()(const Request& what) {
    write_head(record, "request", event);
    record.text(Field::kUser, what.user);
    record.number(Field::kN, what.n);
    if (what.party != Request{}.party) record.number(Field::kParty, int{what.party});
    write(record, what.position);
  }

  void operator()(const Forget& what) {
    write_head(record, "forget", event);
    record.text(Field::kUser, what.user);
  }

  void operator()(const ItemUpdate& what) {
    write_head(record, "item", event);
    record.text(Field::kItem, what.item);
    if (!what.title.empty()) record.text(Field::kTitle, what.title);
    write(record, what.position);
    if (what.capacity) write(*what.capacity, record.key(Field::kCapacity));
    if (what.dwell) record.number(Field::kDwellMinutes, what.dwell->count());
    if (!what.hours.empty()) {
      write_array(record.key(Field::kHours), what.hours,
                  [this](const OpeningHours& hours, std::size_t) { write(hours, out); });
    }
    if (!what.time_zone.empty()) record.text(Field::kTimeZone, what.time_zone);
    if (what.closed) record.yes(Field::kClosed);
    if (what.hidden) record.yes(Field::kHidden);
    if (what.removed) record.yes(Field::kRemoved);
  }
};

}  // namespace

void encode(const Event& event, std::string& out) {
  ObjectWriter record(out);
  std::visit(EventWriter{event, record, out}, event.what);
}

void encode(const RankedList& list, std::string& out) {
  ObjectWriter record(out);
  write_id(record, Field::kRecommendation, 'r', list.id);
  if (list.replaces)
    write_id(record, Field::kReplaces, 'r', *list.replaces);
  else
    record.null(Field::kReplaces);
  record.time(Field::kTimestamp, list.at);
  record.text(Field::kUser, list.user);
  record.number(Field::kListenPropensity, list.listen_propensity);
  record.time(Field::kValidUntil, list.valid_until);
  record.text(Field::kPolicy, list.policy);
  if (!list.reason.empty())
    record.text(Field::kReason, list.reason);
  else
    record.null(Field::kReason);
  write_array(record.key(Field::kItems), list.items,
              [&out](const ListedItem& item, std::size_t rank) { write(item, rank, out); });
}

void encode(const DeadLetter& letter, std::string& out) {
  const Reject& reject = letter.reject;
  ObjectWriter record(out);
  write_id(record, Field::kDeadLetter, 'd', letter.id);
  record.time(Field::kTimestamp, letter.at);
  record.text(Field::kTopic, name(reject.place.topic));
  record.number(Field::kPartition, reject.place.partition);
  record.number(Field::kOffset, reject.place.offset);
  record.text(Field::kKind, name(reject.reason.kind));
  record.text(Field::kReason, reject.reason.words);
  record.key(Field::kBytes) += '"';
  append_base64(reject.bytes, out);
  out += '"';
}

}  // namespace headroom
