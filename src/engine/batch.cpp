#include "headroom/engine/batch.hpp"

#include <algorithm>
#include <tuple>

namespace headroom {

void put_in_order(Batch& batch) {
  const auto by_place = [](const auto& a, const auto& b) { return a.place < b.place; };
  std::sort(batch.rejects.begin(), batch.rejects.end(), by_place);

  // Arrivals are large: their keys are sorted, and then each is moved once.
  struct Key {
    Place place;
    bool is_event = false;
    Time running = Time::min();  // maximum of event time so far in the partition
    std::size_t at = 0;
  };
  auto& arrivals = batch.arrivals;
  std::vector<Key> keys(arrivals.size());
  for (std::size_t at = 0; at < arrivals.size(); ++at) {
    keys[at].place = arrivals[at].place;
    keys[at].at = at;
  }
  if (!std::is_sorted(keys.begin(), keys.end(), by_place)) {
    std::sort(keys.begin(), keys.end(), by_place);
  }
  Time running = Time::min();
  for (std::size_t n = 0; n < keys.size(); ++n) {
    const Place& place = keys[n].place;
    const bool new_partition =
        n == 0 || std::tie(place.topic, place.partition) !=
                      std::tie(keys[n - 1].place.topic, keys[n - 1].place.partition);
    if (new_partition) running = Time::min();
    const Event& event = arrivals[keys[n].at].event;
    keys[n].is_event = !std::holds_alternative<ItemUpdate>(event.what);
    if (!keys[n].is_event) continue;
    running = std::max(running, event.at);
    keys[n].running = running;
  }
  const auto in_step = [](const Key& a, const Key& b) {
    return std::tie(a.is_event, a.running, a.place) < std::tie(b.is_event, b.running, b.place);
  };
  if (!std::is_sorted(keys.begin(), keys.end(), in_step)) {
    std::sort(keys.begin(), keys.end(), in_step);
  }
  const auto is_moved = [&](const Key& key) {
    return key.at != static_cast<std::size_t>(&key - keys.data());
  };
  if (std::none_of(keys.begin(), keys.end(), is_moved)) return;
  std::vector<Arrival> ordered;
  ordered.reserve(arrivals.size());
  for (const Key& key : keys) ordered.push_back(std::move(arrivals[key.at]));
  arrivals = std::move(ordered);
}

}  // namespace headroom
