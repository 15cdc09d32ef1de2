#include "headroom/engine/batch.hpp"

#include <algorithm>
#include <tuple>

namespace headroom {

void put_in_order(Batch& batch) {
  const auto by_place = [](const auto& a, const auto& b) { return a.place < b.place; };
  std::sort(batch.rejects.begin(), batch.rejects.end(), by_place);
  auto& arrivals = batch.arrivals;
  if (!std::is_sorted(arrivals.begin(), arrivals.end(), by_place)) {
    std::sort(arrivals.begin(), arrivals.end(), by_place);
  }

  struct Key {
    bool is_event;
    Time running;  // maximum of event time so far in the partition
    std::size_t at;
    bool operator<(const Key& other) const {
      return std::tie(is_event, running, at) < std::tie(other.is_event, other.running, other.at);
    }
  };
  std::vector<Key> keys;
  keys.reserve(arrivals.size());
  Time running = Time::min();
  for (std::size_t at = 0; at < arrivals.size(); ++at) {
    const auto& arrival = arrivals[at];
    const bool is_event = !std::holds_alternative<ItemUpdate>(arrival.event.what);
    const bool new_partition =
        at == 0 || std::tie(arrival.place.topic, arrival.place.partition) !=
                       std::tie(arrivals[at - 1].place.topic, arrivals[at - 1].place.partition);
    if (new_partition) running = Time::min();
    if (is_event) running = std::max(running, arrival.event.at);
    keys.push_back({is_event, is_event ? running : Time::min(), at});
  }
  if (std::is_sorted(keys.begin(), keys.end())) return;
  std::sort(keys.begin(), keys.end());
  std::vector<Arrival> ordered;
  ordered.reserve(arrivals.size());
  for (const auto& key : keys) ordered.push_back(std::move(arrivals[key.at]));
  arrivals = std::move(ordered);
}

}  // namespace headroom
