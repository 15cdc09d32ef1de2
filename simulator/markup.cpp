#include "simulator/markup.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace headroom::sim {
namespace {

// Large enough for any double of moderate size in fixed notation; compact() and tenths() see to it.
using Buffer = std::array<char, 64>;

std::string shortest(double value, std::chars_format format) {
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  return {buffer.data(), end};
}

double rounded(double value, int digits) {
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, digits - 1)
                       .ptr;
  std::from_chars(buffer.data(), end, value);
  return value;
}

// 1e-05 and 1e+12 as 1e-5 and 1e12.
std::string short_scientific(double value) {
  std::string text = shortest(value, std::chars_format::scientific);
  std::size_t at = text.find('e') + 1;
  if (text[at] == '+') {
    text.erase(at, 1);
  } else {
    ++at;
  }
  while (at + 1 < text.size() && text[at] == '0') text.erase(at, 1);
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // Other control characters are allowed in neither HTML nor SVG, even as references.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string compact(double value, int digits) {
  if (std::isnan(value)) return "n/a";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  value = rounded(value, digits);
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e12) return short_scientific(value);
  if (size < 1e4) return shortest(value, std::chars_format::fixed);
  if (size < 1e6) return shortest(value / 1e3, std::chars_format::fixed) + "k";
  if (size < 1e9) return shortest(value / 1e6, std::chars_format::fixed) + "M";
  return shortest(value / 1e9, std::chars_format::fixed) + "G";
}

std::string tenths(double length) {
  const double value = std::round(length * 10) / 10;
  return value == 0 ? "0" : shortest(value, std::chars_format::fixed);
}

}  // namespace headroom::sim
