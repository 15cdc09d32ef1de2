#include <string>

#include "headroom/wire/codec.hpp"
#include "headroom/wire/fields.hpp"
#include "support/catch.hpp"

namespace headroom {
namespace {

using namespace std::chrono;

Event decoded(std::string_view record) {
  Event event;
  const auto why = EventDecoder().decode(record, event);
  if (why) FAIL(record << ": " << why->words);
  return event;
}

RejectReason refused(std::string_view record) {
  static EventDecoder decoder;
  Event event;
  const auto why = decoder.decode(record, event);
  if (!why) FAIL(record << " was taken");
  return *why;
}

// What a schema cannot see: the bytes.
void check(std::string_view record, RejectKind kind, std::string_view words) {
  const RejectReason why = refused(record);
  CAPTURE(record);
  CHECK(name(why.kind) == name(kind));
  CHECK(why.words == words);
}

std::string checkin(std::string_view more) {
  return R"({"event":"checkin","id":"e","timestamp":0,"user":"u","item":"i")" + std::string(more) +
         "}";
}

const Time kNoon = sys_days{2026y / March / 1} + 12h;

}  // namespace

TEST_CASE("every kind of event is read with all its fields", "[wire]") {
  CHECK(decoded(R"({"event":"checkin","id":"e-1","timestamp":"2026-03-01T12:00:00Z","user":"u1",)"
                R"("item":"i9","value":-0.5,"party":2})") ==
        Event{kNoon, "e-1", CheckIn{"u1", "i9", -0.5F, Party{2}}});
  CHECK(decoded(R"({"event":"checkout","id":"e-2","timestamp":1772366400000,"user":"u1",)"
                R"("item":"i9"})") == Event{kNoon, "e-2", CheckOut{"u1", "i9"}});
  CHECK(
      decoded(R"({"event":"feedback","id":"e-3","timestamp":0,"user":"u1","item":"i9",)"
              R"("recommendation":"r-0-1-77-0","outcome":"follow","party":2})") ==
      Event{Time{}, "e-3", Feedback{"u1", "r-0-1-77-0", "i9", FeedbackOutcome::kFollow, Party{2}}});
  CHECK(decoded(R"({"event":"impression","id":"e-6","timestamp":0,"user":"u1",)"
                R"("recommendation":"r-0-1-77-0"})") ==
        Event{Time{}, "e-6", Impression{"u1", "r-0-1-77-0"}});
  CHECK(decoded(R"({"event":"request","id":"e-4","timestamp":0,"user":"u1","n":7,"party":3,)"
                R"("lat":1.30,"lon":103.8})") ==
        Event{Time{}, "e-4", Request{"u1", 7, 3, Position{1.3, 103.8}}});
  CHECK(decoded(R"({"event":"forget","id":"e-7","timestamp":0,"user":"u1"})") ==
        Event{Time{}, "e-7", Forget{"u1"}});
  CHECK(decoded(R"({"event":"item","id":"e-5","timestamp":0,"item":"i9","title":"Caf\u00e9",)"
                R"("lat":1,"lon":2,"capacity":{"kind":"rate","limit":40,"per_minutes":60},)"
                R"("dwell_minutes":45,"hours":[{"days":[1,7],"from":"11:05","to":"24:00"}],)"
                R"("time_zone":"Asia/Singapore","closed":true,"hidden":false,"removed":true})") ==
        Event{Time{}, "e-5",
              ItemUpdate{"i9",
                         "Café",
                         Position{1, 2},
                         Capacity{CapacityKind::kRate, 40, 60min},
                         45min,
                         {{0b1000001, 665min, 1440min}},
                         "Asia/Singapore",
                         true,
                         false,
                         true}});
}

TEST_CASE("what is not said gets its default, whatever the event before had", "[wire]") {
  EventDecoder decoder;
  Event event;
  const auto decode = [&](std::string_view record) {
    REQUIRE_FALSE(decoder.decode(record, event));
    return event;
  };
  decode(checkin(R"(,"value":0.1,"party":9)"));
  CHECK(decode(checkin("")) == Event{Time{}, "e", CheckIn{"u", "i", 1.0F, std::nullopt}});

  decode(
      R"({"event":"request","id":"e","timestamp":0,"user":"u","n":3,"party":9,"lat":1,"lon":1})");
  CHECK(decode(R"({"event":"request","id":"e","timestamp":0,"user":"u"})") ==
        Event{Time{}, "e", Request{"u", 10, 1, std::nullopt}});

  decode(R"({"event":"feedback","id":"e","timestamp":0,"user":"u","recommendation":"r",)"
         R"("outcome":"follow","item":"i","party":2})");
  CHECK(decode(R"({"event":"feedback","id":"e","timestamp":0,"user":"u","recommendation":"r",)"
               R"("outcome":"ignore"})") ==
        Event{Time{}, "e", Feedback{"u", "r", std::nullopt, FeedbackOutcome::kIgnore, {}}});

  decode(R"({"event":"item","id":"e","timestamp":0,"item":"i","title":"t","lat":1,"lon":1,)"
         R"("capacity":5,"dwell_minutes":5,"hours":[{"days":[1],"from":"11:00","to":"12:00"}],)"
         R"("time_zone":"UTC","closed":true,"hidden":true,"removed":true})");
  CHECK(decode(R"({"event":"item","id":"e","timestamp":0,"item":"i"})") ==
        Event{Time{}, "e", ItemUpdate{"i", {}, {}, {}, {}, {}, {}, false, false, false}});
  CHECK(std::get<ItemUpdate>(
            decode(R"({"event":"item","id":"e","timestamp":0,"item":"i","capacity":40})").what)
            .capacity == Capacity{CapacityKind::kSeats, 40, 0min});
  CHECK(
      std::get<ItemUpdate>(decode(R"({"event":"item","id":"e","timestamp":0,"item":"i","capacity":)"
                                  R"({"kind":"seats","limit":40,"rule":"ahead","risk":0.01}})")
                               .what)
          .capacity == Capacity{CapacityKind::kSeats, 40, 0min, RoomRule::kAhead, 0.01});
  CHECK(std::get<ItemUpdate>(decode(R"({"event":"item","id":"e","timestamp":0,"item":"i",)"
                                    R"("capacity":{"kind":"stock","limit":4,"rule":"now"}})")
                                 .what)
            .capacity == Capacity{CapacityKind::kStock, 4, 0min, RoomRule::kNow, {}});
}

TEST_CASE("a record is at most 64 KiB long", "[wire]") {
  const std::string frame = checkin(R"(,"more":"")");
  const std::string fits =
      checkin(R"(,"more":")" + std::string(kMaxRecord - frame.size(), 'x') + '"');
  REQUIRE(fits.size() == kMaxRecord);
  CHECK(decoded(fits).id == "e");
  check(fits + ' ', RejectKind::kTooLong, "the record has 65537 bytes, at most 65536");
}

TEST_CASE("a record is one JSON object and nothing else, to its last byte", "[wire]") {
  CHECK(decoded(" \t\r\n" + checkin("") + "\n ").id == "e");
  const std::string_view words = "the record is not one JSON object";
  check("", RejectKind::kNotJson, "the record is empty");
  check("  ", RejectKind::kNotJson, "the record is empty");
  check("[1]", RejectKind::kNotJson, "the record must be an object, not an array");
  check("null", RejectKind::kNotJson, "the record must be an object, not null");
  check("7", RejectKind::kNotJson, "the record must be an object, not 7");
  check(checkin("") + "x", RejectKind::kNotJson, words);
  check(checkin("") + "}", RejectKind::kNotJson, words);
  check(checkin("") + checkin(""), RejectKind::kNotJson, words);
  check(checkin("") + std::string(1, '\0'), RejectKind::kNotJson, words);
  check("\xEF\xBB\xBF" + checkin(""), RejectKind::kNotJson, words);
  check(checkin("").substr(0, 12), RejectKind::kNotJson, "a text is not closed");
  for (const char* more :
       {",", ",\"a\"", ",\"a\":", ",a:1", ",\"a\":1 2", ",\"a\":[1,]", ",\"a\":{,}"}) {
    CHECK(refused(checkin(more)).kind == RejectKind::kNotJson);
  }
}

TEST_CASE("what is wrong is found in fields that nobody reads, too", "[wire]") {
  check(checkin(R"(,"new":NaN)"), RejectKind::kNotJson, "the record is not one JSON object");
  check(checkin(R"(,"new":01)"), RejectKind::kNotJson, "a number is malformed, or fits no 64 bits");
  for (const char* value : {"nan",       "Infinity",
                            "-Infinity", "01",
                            "1.",        ".5",
                            "+1",        "1e",
                            "0x10",      "tru",
                            "nulll",     "'a'",
                            "1e400",     "123456789012345678901234567890",
                            "\"\\x\"",   "\"\\u12\"",
                            "\"a\nb\"",  "[}",
                            "{\"a\" 1}", "-",
                            "1-1"}) {
    CAPTURE(value);
    CHECK(refused(checkin(R"(,"new":)" + std::string(value))).kind == RejectKind::kNotJson);
    CHECK(refused(checkin(R"(,"new":[{"deep":)" + std::string(value) + "}]")).kind ==
          RejectKind::kNotJson);
    CHECK(refused(checkin(R"(,"value":)" + std::string(value))).kind == RejectKind::kNotJson);
  }
  check(checkin(R"(,"new":)" + std::string(2000, '[') + std::string(2000, ']')),
        RejectKind::kNotJson, "the record is nested too deep");
}

TEST_CASE("broken UTF-8 is found anywhere", "[wire]") {
  for (const char* bytes : {"\xFF", "\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
                            "\xF5\x80\x80\x80", "\xF0\x9F\x98"}) {
    check(checkin(R"(,"new":")" + std::string(bytes) + '"'), RejectKind::kBadUtf8,
          "the record is not valid UTF-8");
  }
  check("\xFF", RejectKind::kBadUtf8, "the record is not valid UTF-8");
  // Half of a surrogate pair is no character, not even as an escape.
  for (const char* escape : {R"(\ud800)", R"(\udc00)", R"(\ud800\u0041)", R"(\udc00\ud800)"}) {
    CAPTURE(escape);
    const RejectReason why = refused(R"({"event":"forget","id":"e","timestamp":0,"user":"a)" +
                                     std::string(escape) + "\"}");
    CHECK(why.words == "a text has a malformed escape");
  }
}

TEST_CASE("a known key that comes twice is refused", "[wire]") {
  check(checkin(R"(,"user":"u")"), RejectKind::kNotJson, "user is there twice");
  check(checkin(R"(,"party":null,"party":2)"), RejectKind::kNotJson, "party is there twice");
  check(checkin(R"(,"\u0075ser":"u")"), RejectKind::kNotJson, "user is there twice");
  check(R"({"event":"item","id":"e","timestamp":0,"item":"i",)"
        R"("capacity":{"kind":"seats","limit":1,"limit":2}})",
        RejectKind::kNotJson, "capacity.limit is there twice");
  CHECK(decoded(checkin(R"(,"new":1,"new":2)")).id == "e");
}

TEST_CASE("the words name the field and quote the value", "[wire]") {
  check(R"({"event":"visit"})", RejectKind::kUnknownEvent, R"(event is none of ours: "visit")");
  check(R"({})", RejectKind::kMissingField, "event is missing");
  check(checkin(R"(,"party":0)"), RejectKind::kOutOfRange, "party must be from 1 to 100, not 0");
  check(R"({"event":"item","id":"e","timestamp":0,"item":"i","capacity":2e9})",
        RejectKind::kOutOfRange, "capacity must be from 0 to 1000000000, not 2e+09");
  check(R"({"event":"item","id":"e","timestamp":0,"item":"i",)"
        R"("capacity":{"kind":"seats","limit":1,"rule":"later"}})",
        RejectKind::kOutOfRange, R"(capacity.rule must be ahead or now, not "later")");
  check(R"({"event":"item","id":"e","timestamp":0,"item":"i",)"
        R"("capacity":{"kind":"seats","limit":1,"risk":0}})",
        RejectKind::kOutOfRange, "capacity.risk must be from 0.001 to 0.5, not 0");
  check(checkin(R"(,"party":2.5)"), RejectKind::kWrongType, "party must be an integer, not 2.5");
  check(checkin(R"(,"value":"high")"), RejectKind::kWrongType,
        R"(value must be a number, not "high")");
  check(R"({"event":"forget","id":"e","timestamp":"today","user":"u"})", RejectKind::kOutOfRange,
        R"(timestamp is no RFC 3339 time of the years 1970 to 9999: "today")");
  check(R"({"event":"forget","id":"e","timestamp":0,"user":"\u001b[31m\n"})", RejectKind::kBadId,
        R"(user holds a control character: "?[31m?")");
  check(R"({"event":"item","id":"e","timestamp":0,"item":"i","hours":)"
        R"([{"days":[1],"from":"11:00","to":"12:00"},{"days":[9],"from":"11:00","to":"12:00"}]})",
        RejectKind::kOutOfRange, "hours[1].days must be from 1 to 7, not 9");
  // Cut between characters, so that the words stay valid UTF-8.
  check(checkin(R"(,"value":"a)" + std::string("ééééééééééééééééééééééé") + '"'),
        RejectKind::kWrongType, "value must be a number, not \"aééééééééééééééééééé...\"");
}

TEST_CASE("every key is found by its name, and no other", "[wire]") {
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    CHECK(kFieldTable.find(kFieldNames[i]) == static_cast<Field>(i));
  }
  for (const char* other : {"", "x", "User", "users", "events", "timestamP", "item ", "idd"}) {
    CHECK(kFieldTable.find(other) == Field::kCount);
  }
}

}  // namespace headroom
