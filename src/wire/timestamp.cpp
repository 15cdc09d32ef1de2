#include "headroom/wire/timestamp.hpp"

#include <algorithm>

namespace headroom {
namespace {

using namespace std::chrono;

// Reads digits and fixed characters one after the other; remembers whether all were there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  int digits(int count) {
    int value = 0;
    for (; count > 0; --count) {
      const unsigned digit = next() - unsigned{'0'};
      ok_ &= digit <= 9;
      value = value * 10 + static_cast<int>(digit % 10);
    }
    return value;
  }

  int up_to(int most) {  // two digits
    const int value = digits(2);
    ok_ &= value <= most;
    return value;
  }

  void expect(char wanted) { ok_ &= next() == static_cast<unsigned char>(wanted); }

  bool take(char wanted) {
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }

  bool at_digit() const { return at_ != end_ && *at_ >= '0' && *at_ <= '9'; }
  bool all_well() const { return ok_ && at_ == end_; }
  void fail() { ok_ = false; }

 private:
  unsigned next() { return at_ == end_ ? 0U : static_cast<unsigned char>(*at_++); }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

milliseconds scan_fraction(Scanner& scan) {
  if (!scan.take('.')) return milliseconds{0};
  int value = scan.digits(1) * 100;
  if (scan.at_digit()) value += scan.digits(1) * 10;
  if (scan.at_digit()) value += scan.digits(1);
  while (scan.at_digit()) scan.digits(1);
  return milliseconds{value};
}

minutes scan_offset(Scanner& scan) {
  if (scan.take('Z') || scan.take('z')) return minutes{0};
  const bool west = scan.take('-');
  if (!west) scan.expect('+');
  const int hour = scan.up_to(23);
  scan.expect(':');
  const minutes offset{hour * 60 + scan.up_to(59)};
  return west ? -offset : offset;
}

void append_digits(int value, int count, std::string& out) {
  const std::size_t at = out.size();
  out.resize(at + static_cast<std::size_t>(count));
  for (int i = count - 1; i >= 0; --i, value /= 10) {
    out[at + static_cast<std::size_t>(i)] = static_cast<char>('0' + value % 10);
  }
}

}  // namespace

std::optional<Time> parse_timestamp(std::string_view text) {
  Scanner scan(text);
  const int year = scan.digits(4);
  scan.expect('-');
  const int month = scan.digits(2);
  scan.expect('-');
  const int day = scan.digits(2);
  if (!scan.take('T') && !scan.take('t')) scan.fail();
  const hours hour{scan.up_to(23)};
  scan.expect(':');
  const minutes minute{scan.up_to(59)};
  scan.expect(':');
  const seconds second{scan.up_to(59)};
  const milliseconds fraction = scan_fraction(scan);
  const minutes offset = scan_offset(scan);
  const year_month_day date{std::chrono::year{year},
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!scan.all_well() || year < 1970 || !date.ok()) return std::nullopt;
  const Time at = sys_days{date} + hour + minute + second + fraction - offset;
  if (at < kMinTime || at > kMaxTime) return std::nullopt;
  return at;
}

void append_timestamp(Time at, std::string& out) {
  at = std::clamp(at, kMinTime, kMaxTime);
  const sys_days day_start = floor<days>(at);
  const year_month_day date{day_start};
  const hh_mm_ss time{at - day_start};
  append_digits(static_cast<int>(date.year()), 4, out);
  out += '-';
  append_digits(static_cast<int>(static_cast<unsigned>(date.month())), 2, out);
  out += '-';
  append_digits(static_cast<int>(static_cast<unsigned>(date.day())), 2, out);
  out += 'T';
  append_digits(static_cast<int>(time.hours().count()), 2, out);
  out += ':';
  append_digits(static_cast<int>(time.minutes().count()), 2, out);
  out += ':';
  append_digits(static_cast<int>(time.seconds().count()), 2, out);
  out += '.';
  append_digits(static_cast<int>(time.subseconds().count()), 3, out);
  out += 'Z';
}

}  // namespace headroom
