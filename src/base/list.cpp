#include "headroom/base/list.hpp"

#include <charconv>

namespace headroom {

std::string to_text(char prefix, const OutputId& id) {
  return std::string(1, prefix) + '-' + std::to_string(id.instance) + '-' +
         std::to_string(id.epoch) + '-' + std::to_string(id.batch) + '-' + std::to_string(id.k);
}

std::optional<OutputId> parse_output_id(char prefix, std::string_view text) {
  OutputId id;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at == end || *at++ != prefix) return std::nullopt;
  const auto field = [&](auto& value) {
    if (at == end || *at != '-') return false;
    const auto [rest, error] = std::from_chars(at + 1, end, value);
    // One form for each id: no leading zero.
    if (error != std::errc{} || (at[1] == '0' && rest != at + 2)) return false;
    at = rest;
    return true;
  };
  if (!field(id.instance) || !field(id.epoch) || !field(id.batch) || !field(id.k) || at != end) {
    return std::nullopt;
  }
  return id;
}

}  // namespace headroom
