#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "headroom/wire/codec.hpp"
#include "support/catch.hpp"
#include "support/json_schema.hpp"
#include "support/random_events.hpp"

namespace headroom {
namespace {

using namespace std::chrono;
using namespace std::string_literals;

template <class Output>
std::string line_of(const Output& output) {
  std::string line;
  encode(output, line);
  return line;
}

const Time kNoon = sys_days{2026y / March / 1} + 12h;

}  // namespace

TEST_CASE("an event is written as the design says", "[wire]") {
  CHECK(line_of(Event{kNoon, "e-1", CheckIn{"u1", "i9", 0.1F, Party{2}}}) ==
        R"({"event":"checkin","id":"e-1","timestamp":"2026-03-01T12:00:00.000Z","user":"u1",)"
        R"("item":"i9","value":0.1,"party":2})");
  CHECK(line_of(Event{kNoon + 7ms, "e", Forget{"a\"\\/\n\x01é"}}) ==
        R"({"event":"forget","id":"e","timestamp":"2026-03-01T12:00:00.007Z",)"
        R"("user":"a\"\\/\n\u0001é"})");
}

TEST_CASE("a list is written as the design says", "[wire]") {
  RankedList list;
  list.id = {0, 1, 77, 0};
  list.at = kNoon;
  list.user = "u1";
  list.listen_propensity = 0.31F;
  list.valid_until = kNoon + 30min;
  list.policy = "price";
  list.items = {{"i9", 0.83F, 0.12F, 1.0F, 0.21F, 3.2F}, {"i7", 0.5F, 0.0F, 1.0F, 0.0F}};
  CHECK(line_of(list) ==
        R"({"recommendation":"r-0-1-77-0","replaces":null,"timestamp":"2026-03-01T12:00:00.000Z",)"
        R"("user":"u1","listen_propensity":0.31,"valid_until":"2026-03-01T12:30:00.000Z",)"
        R"("policy":"price","reason":null,"items":[)"
        R"({"item":"i9","rank":1,"score":0.83,"price":0.12,"pscore":1,"held":0.21,"room":3.2},)"
        R"({"item":"i7","rank":2,"score":0.5,"price":0,"pscore":1,"held":0,"room":null}]})");
  list.replaces = OutputId{0, 1, 76, 3};
  list.reason = "all items are full";
  list.items.clear();
  CHECK(line_of(list).find(R"("replaces":"r-0-1-76-3",)") != std::string::npos);
  CHECK(line_of(list).ends_with(R"("reason":"all items are full","items":[]})"));
}

TEST_CASE("a dead letter is written as the design says", "[wire]") {
  const DeadLetter letter{{0, 1, 77, 0},
                          kNoon,
                          {{Topic::kEvents, 0, 123},
                           {RejectKind::kOutOfRange, "party must be from 1 to 100, not 0"},
                           "\xFF\n{}"}};
  CHECK(line_of(letter) ==
        R"({"dead_letter":"d-0-1-77-0","timestamp":"2026-03-01T12:00:00.000Z",)"
        R"("topic":"headroom.events","partition":0,"offset":123,"kind":"out_of_range",)"
        R"("reason":"party must be from 1 to 100, not 0","bytes":"/wp7fQ=="})");
}

TEST_CASE("a line is valid JSON whatever it is made of", "[wire]") {
  RankedList list;
  list.user = "\xFFz\xC3\x80\xE2\x82\xED\xA0\x80\xF4\x90\x80\x80\0"s;
  list.at = Time::min();
  list.valid_until = Time::max();
  list.listen_propensity = std::numeric_limits<float>::quiet_NaN();
  list.items = {{"i", -INFINITY, NAN, 1.0F, 0.0F, -INFINITY}};
  const auto json = nlohmann::json::parse(line_of(list));
  // A character for each byte that is part of none.
  std::string user = "\uFFFDzÀ";
  for (int i = 0; i < 9; ++i) user += "\uFFFD";
  CHECK(json["user"] == user + '\0');
  CHECK(json["timestamp"] == "1970-01-01T00:00:00.000Z");
  CHECK(json["valid_until"] == "9999-12-31T23:59:59.999Z");
  CHECK(json["listen_propensity"].is_null());
  CHECK(json["items"][0]["score"].is_null());
}

TEST_CASE("an event decodes to what was encoded", "[wire]") {
  RandomEvents random(1);
  EventDecoder decoder;
  Event back;
  for (int i = 0; i < 20'000; ++i) {
    const Event event = random.event();
    const std::string line = line_of(event);
    CAPTURE(line);
    REQUIRE_FALSE(decoder.decode(line, back));
    REQUIRE(back == event);
  }
}

TEST_CASE("lists and dead letters decode to what was encoded", "[wire]") {
  RandomEvents random(2);
  OutputDecoder decoder;
  RankedList list_back;
  DeadLetter letter_back;
  for (int i = 0; i < 5'000; ++i) {
    const RankedList list = random.list();
    REQUIRE_FALSE(decoder.decode(line_of(list), list_back));
    REQUIRE(list_back == list);
    REQUIRE(output_id_of(line_of(list)) == list.id);

    const DeadLetter letter = random.letter();
    REQUIRE_FALSE(decoder.decode(line_of(letter), letter_back));
    REQUIRE(letter_back == letter);
    REQUIRE(output_id_of(line_of(letter)) == letter.id);
  }
}

TEST_CASE("a float comes back even where its shortest digits are rounded twice", "[wire]") {
  OutputDecoder decoder;
  RankedList list;
  list.user = "u";
  list.policy = "price";
  list.items = {{"i", 7.038531e-26F, -7.038531e-26F}};
  RankedList back;
  REQUIRE_FALSE(decoder.decode(line_of(list), back));
  CHECK(back == list);
}

TEST_CASE("what is encoded fits its schema", "[wire]") {
  const Schemas schemas(std::filesystem::path(HEADROOM_SOURCE_DIR) / "config/schema");
  RandomEvents random(3);
  for (int i = 0; i < 300; ++i) {
    const auto event = nlohmann::json::parse(line_of(random.event()));
    CAPTURE(event);
    CHECK(schemas.valid(event["event"], event));
    CHECK(schemas.valid("recommendation", nlohmann::json::parse(line_of(random.list()))));
    CHECK(schemas.valid("dead_letter", nlohmann::json::parse(line_of(random.letter()))));
  }
}

TEST_CASE("only a line of ours has an id", "[wire]") {
  CHECK(output_id_of(R"({"recommendation":"r-0-1-77-5","replac)") == OutputId{0, 1, 77, 5});
  CHECK(output_id_of(R"({"dead_letter":"d-2-1-9-0"})") == OutputId{2, 1, 9, 0});
  for (const char* line : {"", "{", R"({"recommendation":"r-0-1-77-5)", R"({"recommendation":""})",
                           R"({"recommendation":"d-0-1-77-5"})", R"({"dead_letter":"r-0-1-77-5"})",
                           R"({"event":"checkin"})", R"( {"dead_letter":"d-2-1-9-0"})"}) {
    CHECK_FALSE(output_id_of(line));
  }
}

TEST_CASE("an output may be longer than a record", "[wire]") {
  OutputDecoder decoder;
  DeadLetter letter;
  letter.reject.bytes.assign(300'000, 'x');
  DeadLetter back;
  REQUIRE_FALSE(decoder.decode(line_of(letter), back));
  CHECK(back == letter);
}

}  // namespace headroom
