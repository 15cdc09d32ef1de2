#include "simulator/csv.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <system_error>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

constexpr double kWholeBelow = 9007199254740992.0;  // 2^53: whole numbers below are exact

std::string number_text(double number) {
  if (std::isnan(number)) return "";
  const bool whole = std::abs(number) < kWholeBelow && number == std::trunc(number);
  std::array<char, 32> buffer;
  char* const end = buffer.data() + buffer.size();
  // The shortest form of 100000 would be 1e+05, which people don't expect of a count.
  const auto done = whole ? std::to_chars(buffer.data(), end, number, std::chars_format::fixed)
                          : std::to_chars(buffer.data(), end, number);
  return {buffer.data(), done.ptr};
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

CsvCell::CsvCell(double number) : text_(number_text(number)) {}

CsvWriter::CsvWriter(const std::filesystem::path& path, const std::vector<std::string>& header)
    : path_(path.string()), columns_(header.size()) {
  errno = 0;
  file_.open(path, std::ios::binary | std::ios::trunc);
  check();
  write({header.begin(), header.end()});
}

void CsvWriter::row(const std::vector<CsvCell>& cells) {
  assert(cells.size() == columns_);
  write(cells);
}

void CsvWriter::close() {
  errno = 0;
  file_.close();
  check();
}

void CsvWriter::write(const std::vector<CsvCell>& cells) {
  errno = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    file_ << (i > 0 ? "," : "") << quoted(cells[i].text());
  }
  file_ << "\r\n";
  check();
}

void CsvWriter::check() {
  if (file_) return;
  const int reason = errno != 0 ? errno : EIO;
  throw Error(path_ + ": can't be written: " + std::generic_category().message(reason));
}

}  // namespace headroom::sim
