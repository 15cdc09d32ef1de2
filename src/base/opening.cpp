#include "headroom/base/opening.hpp"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <algorithm>

namespace headroom {

namespace {

Time to_time(absl::Time at) { return Time(std::chrono::milliseconds(absl::ToUnixMillis(at))); }

bool opens_on(const OpeningHours& hours, absl::CivilDay day) {
  const auto weekday = static_cast<unsigned>(absl::GetWeekday(day));  // Monday is 0
  return (hours.days >> weekday & 1U) != 0;
}

absl::Time moment(absl::CivilDay day, std::chrono::minutes of_day, const absl::TimeZone& zone) {
  return absl::FromCivil(absl::CivilMinute(day) + of_day.count(), zone);
}

}  // namespace

bool is_time_zone(const std::string& name) {
  absl::TimeZone zone;
  return !name.empty() && name != "localtime" && absl::LoadTimeZone(name, &zone);
}

Opening opening(std::span<const OpeningHours> hours, const std::string& time_zone, Time at) {
  if (hours.empty()) return {};
  absl::TimeZone zone;  // stays UTC if there is no such zone
  absl::LoadTimeZone(time_zone, &zone);
  const auto today = absl::CivilDay(
      absl::ToCivilSecond(absl::FromUnixMillis(at.time_since_epoch().count()), zone));
  Opening now{false, Time::max()};
  // From those who opened yesterday and are open over midnight, to the same day of next week.
  for (int ahead = -1; ahead <= 7; ++ahead) {
    const absl::CivilDay day = today + ahead;
    for (const OpeningHours& each : hours) {
      if (!opens_on(each, day)) continue;
      const auto to = each.to > each.from ? each.to : each.to + std::chrono::hours(24);
      const Time opens = to_time(moment(day, each.from, zone));
      const Time closes = to_time(moment(day, to, zone));
      if (opens <= at && at < closes) now.open = true;
      for (const Time change : {opens, closes}) {
        if (change > at) now.until = std::min(now.until, change);
      }
    }
  }
  return now;
}

}  // namespace headroom
