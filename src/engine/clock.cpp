#include "headroom/engine/clock.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "headroom/base/hash.hpp"

namespace headroom {

namespace {

constexpr std::size_t kAgreeingRecords = 10, kAgreeingUsers = 3;

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

bool near(Time a, Time b) { return a - b <= kFarOff && b - a <= kFarOff; }

// The first time, from the latest or the earliest on, that at least 10 records of 3 users agree on,
// to within kFarOff; else nothing.
enum class From : std::uint8_t { kLatest, kEarliest };
std::optional<Time> agreed(std::vector<Dated> dated, From from) {
  std::sort(dated.begin(), dated.end(), [&](const Dated& a, const Dated& b) {
    return from == From::kLatest ? a.at > b.at : a.at < b.at;
  });
  std::unordered_map<std::uint64_t, std::size_t> voices;  // records by user, first to last
  auto last = dated.begin();
  for (auto first = dated.begin(); first != dated.end(); ++first) {
    for (; last != dated.end() && near(last->at, first->at); ++last) ++voices[last->user];
    const auto records = static_cast<std::size_t>(last - first);
    if (records >= kAgreeingRecords && voices.size() >= kAgreeingUsers) return first->at;
    if (--voices[first->user] == 0) voices.erase(first->user);
  }
  return std::nullopt;
}

std::vector<Dated> dated_events(const Batch& batch) {
  std::vector<Dated> dated;
  for (const auto& arrival : batch.arrivals) {
    const Event& event = arrival.event;
    if (moves_clock(event)) dated.push_back({event.at, hash64(user_of(event))});
  }
  return dated;
}

}  // namespace

bool moves_clock(const Event& event) { return !std::holds_alternative<ItemUpdate>(event.what); }

void Agreement::hear(const Batch& batch) {
  if (reached) return;
  const auto dated = dated_events(batch);
  last.insert(last.end(), dated.begin(), dated.end());
  reached = agreed(last, From::kEarliest).has_value();
  const std::size_t keep = reached ? 0 : kMost;
  if (last.size() > keep) last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(keep));
}

void Agreement::save(ByteWriter& to) const {
  to.put(reached);
  to.put_all(std::span(last));
}

void Agreement::load(ByteReader& from) {
  reached = from.get<bool>();
  last = from.get_all<Dated>();
}

Time reference(const Batch& batch, std::optional<Time> previous, const Agreement& agreement) {
  if (previous && agreement.reached) return *previous;
  auto dated = dated_events(batch);
  if (dated.empty()) return previous.value_or(Time{});
  dated.insert(dated.end(), agreement.last.begin(), agreement.last.end());
  auto said = agreed(dated, From::kEarliest);
  if (!said) {
    const auto middle = dated.begin() + static_cast<std::ptrdiff_t>((dated.size() - 1) / 2);
    std::nth_element(dated.begin(), middle, dated.end(),
                     [](const Dated& a, const Dated& b) { return a.at < b.at; });
    said = middle->at;
  }
  return previous && near(*previous, *said) ? *previous : *said;
}

Time event_now(const Batch& batch, Time reference) {
  Time now = reference;
  std::vector<Dated> beyond;
  for (const Dated& event : dated_events(batch)) {
    if (event.at <= reference + kFarOff) {
      now = std::max(now, event.at);
    } else {
      beyond.push_back(event);
    }
  }
  return std::max(now, agreed(std::move(beyond), From::kLatest).value_or(now));
}

}  // namespace headroom
