#pragma once

#include <simdjson.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "headroom/base/record.hpp"
#include "headroom/base/time.hpp"
#include "headroom/wire/fields.hpp"

namespace headroom {

// Takes the known fields of one JSON object and reads them by type. Every reader gives false when
// the field is not as it must be, and `why` says in words what is wrong with which field. null
// counts as absent. Not part of the room's interface: it is here for the two decoders.
class ObjectReader {
 public:
  explicit ObjectReader(RejectReason& why) : why_(why) {}
  // For an object within another: `field`, or its element `index`, of the object `parent`.
  ObjectReader(const ObjectReader& parent, Field field, int index = -1)
      : why_(parent.why_), parent_(name(field)), index_(index) {}

  // Parses a whole record, which must be one object. The text needs the padding of simdjson.
  bool parse(simdjson::dom::parser& parser, std::string_view padded, FieldSet known);
  bool open(simdjson::dom::element value, FieldSet known);

  bool has(Field field) const { return (seen_ & bit(field)) != 0; }
  bool need(Field field) { return has(field) || refuse_missing(field); }
  simdjson::dom::element operator[](Field field) const { return slots_[index_of(field)]; }

  // Required fields.
  bool text(Field field, std::string_view& into);
  bool text_up_to(Field field, std::size_t most_bytes, std::string& into);
  bool id(Field field, std::string& into);
  bool number(Field field, double least, double most, double& into);
  bool number(Field field, double least, double most, float& into);
  bool flag(Field field, bool& into);
  bool time(Field field, Time& into);
  bool array(Field field, simdjson::dom::array& into);
  bool whole(Field field, simdjson::dom::element value, std::int64_t least, std::int64_t most,
             std::int64_t& into);
  template <std::integral T>
  bool integer(Field field, std::int64_t least, std::int64_t most, T& into) {
    std::int64_t value = 0;
    if (!need(field) || !whole(field, (*this)[field], least, most, value)) return false;
    into = static_cast<T>(value);
    return true;
  }

  bool refuse(RejectKind kind, std::string words);
  bool refuse(RejectKind kind, Field field, std::string_view words);        // "<field> <words>"
  bool refuse_value(RejectKind kind, Field field, std::string_view words);  // and quotes the value
  bool refuse_missing(Field field);

 private:
  static std::size_t index_of(Field field) { return static_cast<std::size_t>(field); }
  std::string path(Field field) const;

  RejectReason& why_;
  std::string_view parent_;  // empty: the record itself
  int index_ = -1;
  FieldSet seen_ = 0;  // present and not null
  std::array<simdjson::dom::element, kFieldCount> slots_;
};

// The value as words may show it: short, printable, valid UTF-8 if the value is.
std::string quoted(simdjson::dom::element value);

}  // namespace headroom
