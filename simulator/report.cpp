#include "simulator/report.hpp"

#include <fcntl.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "headroom/io/file.hpp"
#include "simulator/report_template.hpp"

namespace headroom::sim {
namespace {

Json rounded_number(double value) {
  constexpr double kWhole = 1e15;  // below it every whole number is one of the double's
  if (!std::isfinite(value)) return {};
  if (value == std::trunc(value) && std::abs(value) < kWhole) {
    return static_cast<std::int64_t>(value);
  }
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return std::strtod(digits, nullptr);
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  File(path, O_WRONLY | O_CREAT | O_TRUNC).write_at(0, text);
}

}  // namespace

Json rounded(const Json& report) {
  if (report.is_number_float()) return rounded_number(report.get<double>());
  if (!report.is_structured()) return report;
  Json out = report;
  for (Json& part : out) part = rounded(part);
  return out;
}

std::string report_page(const Json& report) {
  constexpr std::string_view kPlace = "@REPORT@";
  const std::string_view page = report_template();
  const std::size_t at = page.find(kPlace);
  assert(at != std::string_view::npos);
  std::string out(page.substr(0, at));
  // Outside of its strings JSON has no such sign, and inside them this is the same one.
  for (const char c : one_line(report)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  out += page.substr(at + kPlace.size());
  return out;
}

void write_report(const Json& report, const std::filesystem::path& folder) {
  const Json data = rounded(report);
  make_folder(folder);
  write_text(folder / "report.json", one_line(data) + '\n');
  write_text(folder / "report.html", report_page(data));
}

}  // namespace headroom::sim
