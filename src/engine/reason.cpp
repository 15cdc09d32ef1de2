#include "headroom/engine/reason.hpp"

namespace headroom {

std::string why_short(const Shortage& shortage, const Filter& filter, const Catalogue& catalogue) {
  const bool is_short = shortage.got < shortage.asked;
  if (!is_short && !shortage.stranger) return {};
  std::string why;
  const auto add = [&](const std::string& words) { why += (why.empty() ? "" : "; ") + words; };
  const auto count = [&](const char* of, std::size_t items) {
    if (items > 0) add(std::string("items ") + of + ": " + std::to_string(items));
  };
  if (shortage.stranger) add("too many users are known: only items without capacity");
  if (!is_short) return why;
  if (shortage.known == 0) {
    add("no item is known yet");
    return why;
  }
  count(shortage.stranger ? "with a capacity" : "without room", shortage.full);
  const auto [ignored, visited, far] = filter.counts(catalogue.offered());
  count("ignored lately", ignored);
  count("visited before", visited);
  count("too far away", far);
  count("outside their opening hours", catalogue.count(Standing::kShut));
  count("closed, hidden or removed", catalogue.count(Standing::kWithdrawn));
  if (shortage.offered < shortage.asked)
    add("items to choose from: " + std::to_string(shortage.offered));
  return why;
}

}  // namespace headroom
