#include "simulator/parse_time.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>

#include "simulator/fields.hpp"

namespace headroom::sim {
namespace {

using namespace std::chrono;

constexpr Time kFirst{sys_days{year{1900} / 1 / 1}};
constexpr Time kEnd{sys_days{year{2201} / 1 / 1}};

std::optional<Time> within_range(Time at) {
  return at >= kFirst && at < kEnd ? std::optional(at) : std::nullopt;
}

// Reads a text from the left; once something fails, all that follows fails.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool done() const { return ok_ && text_.empty(); }
  bool ok() const { return ok_; }

  bool accept(char c) {
    if (!ok_ || !text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) { ok_ = accept(c); }

  int digits(std::size_t count, int most) {
    const auto number = parse_count(text_.substr(0, count));
    ok_ = ok_ && text_.size() >= count && number && *number <= most;
    if (!ok_) return 0;
    text_.remove_prefix(count);
    return *number;
  }

  // The digits after a decimal point; what is finer than a millisecond is cut off.
  milliseconds fraction() {
    int value = 0;
    int scale = 100;
    const std::size_t before = text_.size();
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; text_.remove_prefix(1)) {
      value += (text_[0] - '0') * scale;
      scale /= 10;
    }
    ok_ = ok_ && text_.size() < before;
    return milliseconds(value);
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

milliseconds take_time_of_day(Cursor& in) {
  milliseconds of_day = hours(in.digits(2, 23));
  in.expect(':');
  of_day += minutes(in.digits(2, 59));
  if (in.accept(':')) {
    of_day += seconds(in.digits(2, 59));
    if (in.accept('.')) of_day += in.fraction();
  }
  return of_day;
}

minutes take_zone(Cursor& in) {
  if (in.accept('Z')) return minutes(0);
  const bool east = in.accept('+');
  if (!east && !in.accept('-')) return minutes(0);
  minutes offset = hours(in.digits(2, 14));
  if (in.accept(':') || !in.done()) offset += minutes(in.digits(2, 59));
  return east ? offset : -offset;
}

bool is_date(const std::tm& date) {
  return (year{date.tm_year + 1900} / (date.tm_mon + 1) / date.tm_mday).ok();
}

}  // namespace

std::optional<Time> parse_unix_time(std::string_view text) {
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  const double ms = std::abs(*number) < 1e11 ? *number * 1000 : *number;
  if (std::abs(ms) > 1e14) return std::nullopt;  // or the conversion below would be undefined
  return within_range(Time(milliseconds(std::llround(ms))));
}

std::optional<Time> parse_iso_time(std::string_view text) {
  Cursor in(text);
  const int y = in.digits(4, 9999);
  in.expect('-');
  const int m = in.digits(2, 12);
  in.expect('-');
  const int d = in.digits(2, 31);
  const year_month_day date = year{y} / m / d;
  if (!in.ok() || !date.ok()) return std::nullopt;
  milliseconds of_day{0};
  if (in.accept('T') || in.accept(' ')) {
    of_day = take_time_of_day(in);
    of_day -= take_zone(in);
  }
  return in.done() ? within_range(sys_days(date) + of_day) : std::nullopt;
}

std::optional<Time> parse_any_time(std::string_view text) {
  const auto number = parse_unix_time(text);
  return number ? number : parse_iso_time(text);
}

TimeParser time_parser(std::string format) {
  return [format = std::move(format)](std::string_view text) -> std::optional<Time> {
    const std::string terminated(text);
    std::tm parts{};
    const char* stop = strptime(terminated.c_str(), format.c_str(), &parts);
    // strptime takes the 31st of any month, and leaves the day at 0 if the format has none.
    if (stop != terminated.c_str() + terminated.size() || !is_date(parts)) return std::nullopt;
    const std::int64_t zone = parts.tm_gmtoff;  // timegm sets it to 0
    return within_range(Time(seconds(timegm(&parts) - zone)));
  };
}

std::optional<minutes> parse_clock(std::string_view text) {
  Cursor in(text);
  const minutes of_hour = hours(in.digits(2, 23));
  in.expect(':');
  const minutes of_day = of_hour + minutes(in.digits(2, 59));
  return in.done() ? std::optional(of_day) : std::nullopt;
}

std::string iso_time(Time at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(at - day));
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace headroom::sim
