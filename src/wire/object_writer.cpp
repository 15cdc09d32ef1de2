#include "headroom/wire/object_writer.hpp"

#include <cstdint>

namespace headroom {
namespace {

// The length of the valid UTF-8 character at the head of the text, 0 if there is none. Refuses
// overlong forms, surrogates and what is over U+10FFFF (table 3-7 of the Unicode standard).
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
  const unsigned head = byte(0);
  if (head < 0x80) return 1;
  if (head < 0xC2 || head > 0xF4 || !follows(1)) return 0;
  if (head < 0xE0) return 2;
  if (!follows(2) || (head == 0xE0 && byte(1) < 0xA0) || (head == 0xED && byte(1) > 0x9F)) return 0;
  if (head < 0xF0) return 3;
  if (!follows(3) || (head == 0xF0 && byte(1) < 0x90) || (head == 0xF4 && byte(1) > 0x8F)) return 0;
  return 4;
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

void append_escaped(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void append_json_text(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    std::size_t run = 0;
    while (run < text.size() && is_plain(text[run])) ++run;
    out.append(text, 0, run);
    text.remove_prefix(run);
    if (text.empty()) break;
    const std::size_t length = character(text);
    if (length == 1) {
      append_escaped(text[0], out);
    } else if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out.append(text, 0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace headroom
