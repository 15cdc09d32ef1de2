#include "simulator/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headroom::sim {
namespace {

constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMaxQuoted = 40;

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// How many bytes the UTF-8 character at the front takes; 0 if it is none. Overlong forms,
// surrogates and what lies beyond U+10FFFF are none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_big = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_big ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

Flaw Splitter::split(std::string_view line) {
  fields_.clear();
  if (quotes_ && line.find('"') != std::string_view::npos) return split_quoted(line);
  split_plain(line);
  return std::nullopt;
}

void Splitter::split_plain(std::string_view line) {
  std::size_t from = 0;
  for (auto to = line.find(separator_); to != std::string_view::npos;
       to = line.find(separator_, from)) {
    fields_.push_back(line.substr(from, to - from));
    from = to + separator_.size();
  }
  fields_.push_back(line.substr(from));
}

Flaw Splitter::split_quoted(std::string_view line) {
  unescaped_.clear();
  unescaped_.reserve(line.size());  // or a later field would move the earlier ones
  for (std::size_t from = 0;; ++from) {
    if (from < line.size() && line[from] == '"') {
      const auto past = take_quoted(line, from + 1);
      if (!past) return "a quoted field does not end on its line";
      from = *past;
      if (from < line.size() && line[from] != ',') return "text after a closing quote";
    } else {
      const auto field = line.substr(from, line.find(',', from) - from);
      if (field.find('"') != std::string_view::npos) return "a quote inside an unquoted field";
      fields_.push_back(field);
      from += field.size();
    }
    if (from >= line.size()) return std::nullopt;
  }
}

// Takes the field whose text starts at `from`, and tells where its closing quote is passed.
std::optional<std::size_t> Splitter::take_quoted(std::string_view line, std::size_t from) {
  const std::size_t start = unescaped_.size();
  for (;;) {
    const auto quote = line.find('"', from);
    if (quote == std::string_view::npos) return std::nullopt;
    unescaped_ += line.substr(from, quote - from);
    from = quote + 1;
    if (from == line.size() || line[from] != '"') break;
    unescaped_ += '"';
    ++from;
  }
  fields_.push_back(std::string_view(unescaped_).substr(start));
  return from;
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = parse_all<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<Place> parse_place(std::string_view lat, std::string_view lon) {
  const auto north = parse_number(lat);
  const auto east = parse_number(lon);
  if (!north || !east || std::abs(*north) > 90 || std::abs(*east) > 180) return std::nullopt;
  return Place{*north, *east};
}

std::optional<int> parse_count(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  return parse_all<int>(text);
}

Flaw check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return "the " + std::string(what) + " is empty";
  if (name.size() > kMaxName) return "the " + std::string(what) + " is longer than 256 bytes";
  if (!is_utf8(name)) return "the " + std::string(what) + " " + in_quotes(name) + " is not UTF-8";
  return std::nullopt;
}

Flaw check_field_count(std::size_t expected, std::size_t found) {
  if (found == expected) return std::nullopt;
  return "expected " + std::to_string(expected) + " fields, found " + std::to_string(found);
}

std::string in_quotes(std::string_view text) {
  std::string words = "'";
  for (const char c : text.substr(0, kMaxQuoted)) words += c >= ' ' && c <= '~' ? c : '?';
  return words + (text.size() > kMaxQuoted ? "...'" : "'");
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace headroom::sim
