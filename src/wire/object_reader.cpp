#include "headroom/wire/object_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "headroom/wire/timestamp.hpp"

namespace headroom {
namespace {

namespace dom = simdjson::dom;
using Type = dom::element_type;

constexpr std::size_t kMaxId = 256;    // bytes
constexpr std::size_t kMaxQuote = 40;  // bytes

template <class Number>
std::string digits_of(Number value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

// A bound as people write it: 1000000000, not 1e+09.
std::string bound(double value) {
  const bool plain = value >= -1e15 && value <= 1e15 && value == std::trunc(value);
  return plain ? digits_of(static_cast<std::int64_t>(value)) : digits_of(value);
}

// Control characters by their bytes in UTF-8: U+0000 to U+001F and U+007F.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool any_control(std::string_view text) {
  bool found = false;
  for (const char c : text) found |= is_control(c);
  return found;
}

std::string shortened(std::string_view text) {
  std::string quote;
  if (text.size() > kMaxQuote) {
    std::size_t end = kMaxQuote;
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // cut between characters
    quote = text.substr(0, end);
    quote += "...";
  } else {
    quote = text;
  }
  std::replace_if(quote.begin(), quote.end(), is_control, '?');
  return quote;
}

// Why the parser gave up, where its own words would not help a newcomer.
std::string_view words_for(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return "the record is empty";
    case simdjson::DEPTH_ERROR:
      return "the record is nested too deep";
    case simdjson::NUMBER_ERROR:
      return "a number is malformed, or fits no 64 bits";
    case simdjson::STRING_ERROR:
      return "a text has a malformed escape";
    case simdjson::UNESCAPED_CHARS:
      return "a text holds a raw control character";
    case simdjson::UNCLOSED_STRING:
      return "a text is not closed";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR:
      return "a bare word is none of true, false and null";
    default:
      return "the record is not one JSON object";
  }
}

}  // namespace

std::string quoted(dom::element value) {
  switch (value.type()) {
    case Type::STRING:
      return '"' + shortened(value.get_string().value_unsafe()) + '"';
    case Type::INT64:
      return digits_of(value.get_int64().value_unsafe());
    case Type::UINT64:
      return digits_of(value.get_uint64().value_unsafe());
    case Type::DOUBLE:
      return digits_of(value.get_double().value_unsafe());
    case Type::BOOL:
      return value.get_bool().value_unsafe() ? "true" : "false";
    case Type::NULL_VALUE:
      return "null";
    case Type::ARRAY:
      return "an array";
    case Type::OBJECT:
      return "an object";
  }
  return "something else";
}

bool ObjectReader::parse(dom::parser& parser, std::string_view padded, FieldSet known) {
  dom::element root;
  const auto error = parser.parse(padded.data(), padded.size(), false).get(root);
  if (error != simdjson::SUCCESS) {
    if (!simdjson::validate_utf8(padded)) {
      return refuse(RejectKind::kBadUtf8, "the record is not valid UTF-8");
    }
    return refuse(RejectKind::kNotJson, std::string(words_for(error)));
  }
  if (!root.is_object()) {
    return refuse(RejectKind::kNotJson, "the record must be an object, not " + quoted(root));
  }
  return open(root, known);
}

bool ObjectReader::open(dom::element value, FieldSet known) {
  seen_ = 0;
  FieldSet named = 0;
  const dom::object object = value.get_object().value_unsafe();
  for (const auto [key, member] : object) {
    const Field field = kFieldTable.find(key);
    if (field == Field::kCount || (known & bit(field)) == 0) continue;
    // Two readers could take different ones of the two.
    if ((named & bit(field)) != 0) return refuse(RejectKind::kNotJson, field, "is there twice");
    named |= bit(field);
    if (member.is_null()) continue;
    seen_ |= bit(field);
    slots_[index_of(field)] = member;
  }
  return true;
}

bool ObjectReader::text(Field field, std::string_view& into) {
  if (!need(field)) return false;
  if ((*this)[field].get_string().get(into) != simdjson::SUCCESS) {
    return refuse_value(RejectKind::kWrongType, field, "must be a text, not ");
  }
  return true;
}

bool ObjectReader::text_up_to(Field field, std::size_t most_bytes, std::string& into) {
  std::string_view value;
  if (!text(field, value)) return false;
  if (value.size() > most_bytes) {
    return refuse(RejectKind::kOutOfRange, field,
                  "has " + digits_of(value.size()) + " bytes, at most " + digits_of(most_bytes));
  }
  into = value;
  return true;
}

bool ObjectReader::id(Field field, std::string& into) {
  std::string_view value;
  if (!text(field, value)) return false;
  if (value.empty()) return refuse(RejectKind::kBadId, field, "is empty");
  if (value.size() > kMaxId) {
    return refuse(RejectKind::kBadId, field,
                  "has " + digits_of(value.size()) + " bytes, at most " + digits_of(kMaxId));
  }
  if (any_control(value)) {
    return refuse_value(RejectKind::kBadId, field, "holds a control character: ");
  }
  into = value;
  return true;
}

bool ObjectReader::number(Field field, double least, double most, double& into) {
  if (!need(field)) return false;
  if ((*this)[field].get_double().get(into) != simdjson::SUCCESS) {
    return refuse_value(RejectKind::kWrongType, field, "must be a number, not ");
  }
  if (!(into >= least && into <= most)) {
    return refuse_value(RejectKind::kOutOfRange, field,
                        "must be from " + bound(least) + " to " + bound(most) + ", not ");
  }
  into += 0.0;  // one zero, not two
  return true;
}

bool ObjectReader::number(Field field, double least, double most, float& into) {
  double value = 0.0;
  if (!number(field, least, most, value)) return false;
  into = static_cast<float>(value);
  return true;
}

bool ObjectReader::flag(Field field, bool& into) {
  if (!need(field)) return false;
  if ((*this)[field].get_bool().get(into) != simdjson::SUCCESS) {
    return refuse_value(RejectKind::kWrongType, field, "must be true or false, not ");
  }
  return true;
}

bool ObjectReader::time(Field field, Time& into) {
  if (!need(field)) return false;
  if ((*this)[field].is_string()) {
    const auto parsed = parse_timestamp((*this)[field].get_string().value_unsafe());
    if (!parsed) {
      return refuse_value(RejectKind::kOutOfRange, field,
                          "is no RFC 3339 time of the years 1970 to 9999: ");
    }
    into = *parsed;
    return true;
  }
  std::int64_t millis = 0;
  if (!whole(field, (*this)[field], kMinTime.time_since_epoch().count(),
             kMaxTime.time_since_epoch().count(), millis)) {
    return false;
  }
  into = Time{std::chrono::milliseconds{millis}};
  return true;
}

bool ObjectReader::array(Field field, dom::array& into) {
  if (!need(field)) return false;
  if ((*this)[field].get_array().get(into) != simdjson::SUCCESS) {
    return refuse_value(RejectKind::kWrongType, field, "must be an array, not ");
  }
  return true;
}

bool ObjectReader::whole(Field field, dom::element value, std::int64_t least, std::int64_t most,
                         std::int64_t& into) {
  const Type type = value.type();
  if (type != Type::INT64 && type != Type::UINT64) {
    return refuse(RejectKind::kWrongType, field, "must be an integer, not " + quoted(value));
  }
  // UINT64 is what fits no INT64.
  const bool fits = type == Type::INT64;
  if (fits) into = value.get_int64().value_unsafe();
  if (!fits || into < least || into > most) {
    return refuse(
        RejectKind::kOutOfRange, field,
        "must be from " + digits_of(least) + " to " + digits_of(most) + ", not " + quoted(value));
  }
  return true;
}

bool ObjectReader::refuse(RejectKind kind, std::string words) {
  why_.kind = kind;
  why_.words = std::move(words);
  return false;
}

bool ObjectReader::refuse(RejectKind kind, Field field, std::string_view words) {
  return refuse(kind, path(field) + ' ' + std::string(words));
}

bool ObjectReader::refuse_value(RejectKind kind, Field field, std::string_view words) {
  return refuse(kind, field, std::string(words) + quoted((*this)[field]));
}

bool ObjectReader::refuse_missing(Field field) {
  return refuse(RejectKind::kMissingField, field, "is missing");
}

std::string ObjectReader::path(Field field) const {
  std::string text(parent_);
  if (index_ >= 0) text += '[' + std::to_string(index_) + ']';
  if (!text.empty()) text += '.';
  return text += name(field);
}

}  // namespace headroom
