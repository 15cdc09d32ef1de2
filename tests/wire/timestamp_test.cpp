#include "headroom/wire/timestamp.hpp"

#include "support/catch.hpp"

namespace headroom {

using namespace std::chrono;

TEST_CASE("a timestamp is read to the millisecond, with its offset", "[wire]") {
  const Time noon = sys_days{2026y / March / 1} + 12h;
  CHECK(parse_timestamp("2026-03-01T12:00:00Z") == noon);
  CHECK(parse_timestamp("2026-03-01T20:00:00+08:00") == noon);
  CHECK(parse_timestamp("2026-03-01T06:30:00-05:30") == noon);
  CHECK(parse_timestamp("2026-02-28T23:59:59.9999-12:01") == noon + 59s + 999ms);
  CHECK(parse_timestamp("2026-03-01T12:00:00.5Z") == noon + 500ms);
  CHECK(parse_timestamp("2026-03-01T12:00:00.05Z") == noon + 50ms);
  CHECK(parse_timestamp("2026-03-01T12:00:00.0059Z") == noon + 5ms);
  CHECK(parse_timestamp("2000-02-29T00:00:00Z") == Time{sys_days{2000y / February / 29}});
  CHECK_FALSE(parse_timestamp("2100-02-29T00:00:00Z"));
}

TEST_CASE("every prefix of a timestamp is none", "[wire]") {
  const std::string_view whole = "2026-03-01T12:00:00.123+08:00";
  REQUIRE(parse_timestamp(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(parse_timestamp(whole.substr(0, length)));
  }
}

TEST_CASE("a timestamp is written in one form", "[wire]") {
  const auto text = [](Time at) {
    std::string out;
    append_timestamp(at, out);
    return out;
  };
  CHECK(text(Time{}) == "1970-01-01T00:00:00.000Z");
  CHECK(text(sys_days{2024y / February / 29} + 23h + 59min + 58s + 7ms) ==
        "2024-02-29T23:59:58.007Z");
  CHECK(text(kMaxTime) == "9999-12-31T23:59:59.999Z");
  CHECK(text(kMinTime - 1ms) == text(kMinTime));
  CHECK(text(kMaxTime + 1ms) == text(kMaxTime));
  for (std::int64_t at = 0; at <= kMaxTime.time_since_epoch().count(); at += 99'999'999'977) {
    REQUIRE(parse_timestamp(text(Time{milliseconds{at}})) == Time{milliseconds{at}});
  }
}

}  // namespace headroom
