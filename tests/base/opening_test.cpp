#include "headroom/base/opening.hpp"

#include <chrono>

#include "support/catch.hpp"

namespace headroom {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::sys_days;
using std::chrono::year_month_day;
using namespace std::chrono_literals;

Time utc(int year, unsigned month, unsigned day, int hour, int minute = 0) {
  return sys_days(year_month_day(std::chrono::year(year), std::chrono::month(month),
                                 std::chrono::day(day))) +
         hours(hour) + minutes(minute);
}

constexpr std::uint8_t kAllDays = 0x7F;
constexpr std::uint8_t on(int weekday) { return static_cast<std::uint8_t>(1 << (weekday - 1)); }

TEST_CASE("opening: without hours a place is always open") {
  const Opening now = opening({}, "UTC", utc(2026, 3, 2, 12));
  CHECK(now.open);
  CHECK(now.until == Time::max());
}

TEST_CASE("opening: it opens at the first minute and closes at the last") {
  const OpeningHours lunch[] = {{on(1), 11h, 14h}};  // 2 March 2026 is a Monday
  CHECK_FALSE(opening(lunch, "UTC", utc(2026, 3, 2, 11) - 1ms).open);
  CHECK(opening(lunch, "UTC", utc(2026, 3, 2, 11)).open);
  CHECK(opening(lunch, "UTC", utc(2026, 3, 2, 14) - 1ms).open);
  CHECK_FALSE(opening(lunch, "UTC", utc(2026, 3, 2, 14)).open);
  CHECK_FALSE(opening(lunch, "UTC", utc(2026, 3, 3, 12)).open);
  CHECK(opening(lunch, "UTC", utc(2026, 3, 2, 12)).until == utc(2026, 3, 2, 14));
  CHECK(opening(lunch, "UTC", utc(2026, 3, 2, 14)).until == utc(2026, 3, 9, 11));
}

TEST_CASE("opening: a night out belongs to the day on which it began") {
  const OpeningHours friday[] = {{on(5), 22h, 4h}};
  CHECK(opening(friday, "UTC", utc(2026, 3, 6, 23)).open);
  CHECK(opening(friday, "UTC", utc(2026, 3, 7, 3, 59)).open);
  CHECK(opening(friday, "UTC", utc(2026, 3, 7, 3)).until == utc(2026, 3, 7, 4));
  CHECK_FALSE(opening(friday, "UTC", utc(2026, 3, 7, 4)).open);
  CHECK_FALSE(opening(friday, "UTC", utc(2026, 3, 6, 3)).open);
  // From a minute to the same minute is a whole day, and so is midnight to midnight.
  for (const auto& [from, to] : {std::pair<minutes, minutes>{9h, 9h}, {0h, 24h}, {0h, 0h}}) {
    const OpeningHours always[] = {{kAllDays, from, to}};
    for (int hour = 0; hour < 48; ++hour) CHECK(opening(always, "UTC", utc(2026, 3, 6, hour)).open);
  }
}

TEST_CASE("opening: hours are those of the zone, through the changes of its clocks") {
  const OpeningHours day[] = {{kAllDays, 9h, 17h}};
  CHECK(opening(day, "Asia/Singapore", utc(2026, 3, 2, 1)).open);  // 09:00
  CHECK_FALSE(opening(day, "Asia/Singapore", utc(2026, 3, 2, 9)).open);
  // Berlin is one hour ahead on 28 March 2026, two from the 29th on.
  CHECK_FALSE(opening(day, "Europe/Berlin", utc(2026, 3, 28, 7)).open);
  CHECK(opening(day, "Europe/Berlin", utc(2026, 3, 29, 7)).open);
  CHECK(opening(day, "Europe/Berlin", utc(2026, 3, 28, 16)).until == utc(2026, 3, 29, 7));
  // From 02:30, which that night does not have: at 02:00 it becomes 03:00.
  const OpeningHours lost[] = {{kAllDays, 2h + 30min, 4h}};
  CHECK_FALSE(opening(lost, "Europe/Berlin", utc(2026, 3, 29, 0, 59)).open);
  CHECK(opening(lost, "Europe/Berlin", utc(2026, 3, 29, 1)).open);
}

// Looked at minute by minute, against the same said of a clock without zones.
TEST_CASE("opening: nothing changes before `until`, on any minute of two weeks") {
  const std::vector<OpeningHours> week = {{static_cast<std::uint8_t>(on(1) | on(3)), 8h, 12h},
                                          {on(1), 11h, 15h},
                                          {on(6), 20h, 2h},
                                          {on(7), 23h + 59min, 24h}};
  const auto naive = [&](Time at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const auto open_on = [&](sys_days which, const OpeningHours& each) {
      const auto weekday = std::chrono::weekday(which).iso_encoding();
      if ((each.days >> (weekday - 1) & 1U) == 0) return false;
      const Time closes = Time(which) + each.to + (each.to > each.from ? 0h : 24h);
      return Time(which) + each.from <= at && at < closes;
    };
    for (const auto& each : week) {
      if (open_on(day, each) || open_on(day - std::chrono::days(1), each)) return true;
    }
    return false;
  };
  const Time begin = utc(2026, 3, 2, 0);
  Opening last{naive(begin), begin};
  int changes = 0, looks = 0;
  for (Time at = begin; at < begin + std::chrono::days(14); at += 1min) {
    if (at >= last.until) {
      last = opening(week, "UTC", at);
      REQUIRE(last.until > at);
      ++looks;
    }
    if (last.open != naive(at)) FAIL("at " << at.time_since_epoch().count());
    changes += naive(at) != naive(at + 1min) ? 1 : 0;
  }
  CHECK(changes == 16);
  CHECK(looks < 40);
}

TEST_CASE("opening: only zones that are the same on every machine") {
  CHECK(is_time_zone("UTC"));
  CHECK(is_time_zone("America/Argentina/Buenos_Aires"));
  CHECK(is_time_zone("Etc/GMT+8"));
  CHECK_FALSE(is_time_zone(""));
  CHECK_FALSE(is_time_zone("localtime"));
  CHECK_FALSE(is_time_zone("Mars/Olympus_Mons"));
}

}  // namespace
}  // namespace headroom
