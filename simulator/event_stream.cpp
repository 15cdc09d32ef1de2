#include "simulator/event_stream.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "simulator/pair_key.hpp"

namespace headroom::sim {
namespace {

// As many as a live batch may hold; the engine numbers the events of a batch in 20 bits.
constexpr std::size_t kMostInBatch = 1'000'000;

// Closes the gaps in the numbers of what is left; returns the old number of each.
template <class Ix>
std::vector<std::size_t> close_gaps(std::vector<Interaction>& events, Ix Interaction::*which,
                                    std::vector<std::string>& names) {
  std::vector<bool> left(names.size());
  for (const Interaction& event : events) left[index(event.*which)] = true;
  std::vector<std::size_t> old;
  std::vector<std::uint32_t> number(names.size());
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (!left[at]) continue;
    number[at] = static_cast<std::uint32_t>(old.size());
    names[old.size()] = names[at];
    old.push_back(at);
  }
  names.resize(old.size());
  for (Interaction& event : events) event.*which = Ix{number[index(event.*which)]};
  return old;
}

// Of each item's values those of the old numbers, in their order.
template <class Value>
void keep(std::vector<Value>& of_item, const std::vector<std::size_t>& old) {
  if (of_item.empty()) return;
  for (std::size_t j = 0; j < old.size(); ++j) of_item[j] = of_item[old[j]];
  of_item.resize(old.size());
}

}  // namespace

Dataset keep_frequent(Dataset data, std::size_t min_count) {
  if (min_count == 0) return data;
  std::vector<std::size_t> of_user(data.users.size()), of_item(data.items.size());
  std::unordered_set<std::uint64_t> pairs;
  for (const Interaction& event : data.interactions) {
    if (!pairs.insert(pair_key(event.user, event.item)).second) continue;
    ++of_user[index(event.user)];
    ++of_item[index(event.item)];
  }
  std::erase_if(data.interactions, [&](const Interaction& event) {
    return of_user[index(event.user)] < min_count || of_item[index(event.item)] < min_count;
  });
  close_gaps(data.interactions, &Interaction::user, data.users);
  const auto old = close_gaps(data.interactions, &Interaction::item, data.items);
  keep(data.places, old);
  keep(data.capacities, old);
  keep(data.dwell, old);
  return data;
}

std::vector<Interaction> event_stream(const Dataset& data, const StreamOptions& options) {
  std::vector<Interaction> stream;
  std::unordered_set<std::uint64_t> pairs;
  for (const Interaction& event : data.interactions) {
    if (options.limit > 0 && stream.size() == options.limit) break;
    if (options.first_visits && !pairs.insert(pair_key(event.user, event.item)).second) continue;
    stream.push_back(event);
    if (!data.has_time) stream.back().at = Time(std::chrono::seconds(stream.size()));
  }
  return stream;
}

std::size_t next_batch(std::span<const Interaction> stream, double seconds) {
  if (stream.empty() || seconds <= 0.0) return std::min<std::size_t>(stream.size(), 1);
  const std::chrono::duration<double> span(seconds);
  std::size_t count = 1;
  while (count < std::min(stream.size(), kMostInBatch) &&
         stream[count].at - stream.front().at <= span) {
    ++count;
  }
  return count;
}

}  // namespace headroom::sim
