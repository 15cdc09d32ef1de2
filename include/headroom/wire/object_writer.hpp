#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include "headroom/base/time.hpp"
#include "headroom/wire/fields.hpp"
#include "headroom/wire/timestamp.hpp"

namespace headroom {

// Appends a JSON text with its quotes. Broken UTF-8 becomes U+FFFD.
void append_json_text(std::string_view text, std::string& out);

// The shortest digits that give the same number back; null if it is not finite.
template <class Number>
requires std::integral<Number> || std::floating_point<Number>
void append_json_number(Number value, std::string& out) {
  if constexpr (std::floating_point<Number>) {
    if (!std::isfinite(value)) {
      out += "null";
      return;
    }
  }
  if constexpr (std::same_as<Number, float>) {
    // Readers read doubles and round again. Of all floats (every one was tried) this is the only
    // one whose shortest digits then give its neighbour.
    if (std::abs(value) == 7.038531e-26F) return append_json_number(double{value}, out);
  }
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// Appends one JSON object, field by field in the order of the calls; closed at its end of life.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ~ObjectWriter() { out_ += '}'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  // The key; the caller appends the value to what this gives back.
  std::string& key(Field field) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += name(field);
    out_ += "\":";
    return out_;
  }

  void text(Field field, std::string_view value) { append_json_text(value, key(field)); }
  void null(Field field) { key(field) += "null"; }
  void yes(Field field) { key(field) += "true"; }
  template <class Number>
  void number(Field field, Number value) {
    append_json_number(value, key(field));
  }
  void time(Field field, Time at) {
    key(field) += '"';
    append_timestamp(at, out_);
    out_ += '"';
  }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace headroom
