#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/dataset.hpp"

namespace headroom::sim {

// What is wrong with a line, or nothing. A bad line is expected trouble, so it is a value; whether
// it ends the run is not for the parser to say.
using Flaw = std::optional<std::string>;

// Cuts lines into fields. The views of fields() last until the next split() and as long as the
// line.
class Splitter {
 public:
  // At every `separator`; quotes mean nothing.
  static Splitter at(std::string separator) { return Splitter(std::move(separator), false); }

  // At commas, with the quotes of RFC 4180. A quoted field ends on its line.
  static Splitter csv() { return Splitter(",", true); }

  Flaw split(std::string_view line);
  const std::vector<std::string_view>& fields() const { return fields_; }

 private:
  Splitter(std::string separator, bool quotes)
      : separator_(std::move(separator)), quotes_(quotes) {}

  void split_plain(std::string_view line);
  Flaw split_quoted(std::string_view line);
  std::optional<std::size_t> take_quoted(std::string_view line, std::size_t from);

  std::string separator_;
  bool quotes_;
  std::vector<std::string_view> fields_;
  std::string unescaped_;
};

// The whole text as a finite number, without spaces or a plus sign.
std::optional<double> parse_number(std::string_view text);

// Degrees within ±90 and ±180.
std::optional<Place> parse_place(std::string_view lat, std::string_view lon);

// Only digits, and small enough.
std::optional<int> parse_count(std::string_view text);

// A user's or an item's name: UTF-8, 1 to 256 bytes. `what` is for the words.
Flaw check_name(std::string_view what, std::string_view name);

Flaw check_field_count(std::size_t expected, std::size_t found);

// 'text' for a message: short, printable ASCII, whatever the file holds.
std::string in_quotes(std::string_view text);

std::string lower_case(std::string_view text);

}  // namespace headroom::sim
