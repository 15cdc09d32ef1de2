#include "headroom/engine/clock.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headroom {

namespace {

constexpr std::size_t kAgreeingRecords = 10, kAgreeingUsers = 3;

struct Dated {
  Time at;
  std::string_view user;  // empty: an item record
};

std::string_view user_of(const Event& event) {
  return std::visit(
      [](const auto& what) -> std::string_view {
        if constexpr (requires { what.user; }) {
          return what.user;
        } else {
          return {};
        }
      },
      event.what);
}

// The latest time that at least 10 records of 3 users agree on, to within kFarOff; else nothing.
std::optional<Time> agreed(std::vector<Dated> dated) {
  std::sort(dated.begin(), dated.end(), [](const Dated& a, const Dated& b) { return a.at > b.at; });
  std::unordered_map<std::string_view, std::size_t> voices;  // records by user, first to last
  auto last = dated.begin();
  for (auto first = dated.begin(); first != dated.end(); ++first) {
    for (; last != dated.end() && last->at >= first->at - kFarOff; ++last) {
      if (!last->user.empty()) ++voices[last->user];
    }
    const auto records = static_cast<std::size_t>(last - first);
    if (records >= kAgreeingRecords && voices.size() >= kAgreeingUsers) return first->at;
    if (!first->user.empty() && --voices[first->user] == 0) voices.erase(first->user);
  }
  return std::nullopt;
}

}  // namespace

Time reference(const Batch& batch, std::optional<Time> previous) {
  if (previous || batch.arrivals.empty()) return previous.value_or(Time{});
  std::vector<Time> times;
  times.reserve(batch.arrivals.size());
  for (const auto& arrival : batch.arrivals) times.push_back(arrival.event.at);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

Time event_now(const Batch& batch, Time reference) {
  Time now = reference;
  std::vector<Dated> beyond;
  for (const auto& arrival : batch.arrivals) {
    const Time at = arrival.event.at;
    if (at <= reference + kFarOff) {
      now = std::max(now, at);
    } else {
      beyond.push_back({at, user_of(arrival.event)});
    }
  }
  return std::max(now, agreed(std::move(beyond)).value_or(now));
}

}  // namespace headroom
