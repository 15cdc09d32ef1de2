#include "headroom/io/records.hpp"

#include <cassert>
#include <tuple>
#include <utility>

namespace headroom {

void add_record(Batch& batch, const Place& place, std::string_view bytes, const Decode& decode) {
  Arrival& arrival = batch.arrivals.emplace_back();
  if (auto reason = decode(bytes, arrival.event)) {
    batch.arrivals.pop_back();
    batch.rejects.push_back({place, std::move(*reason), std::string(bytes)});
  } else {
    arrival.place = place;
    arrival.bytes = bytes;
  }
}

void extend(Bounds& bounds, const Range& range) {
  const auto at = std::find_if(bounds.begin(), bounds.end(), [&](const Range& other) {
    return std::tie(other.topic, other.partition) >= std::tie(range.topic, range.partition);
  });
  if (at == bounds.end() ||
      std::tie(at->topic, at->partition) != std::tie(range.topic, range.partition)) {
    bounds.insert(at, range);
    return;
  }
  assert(at->to == range.from);
  at->to = range.to;
}

}  // namespace headroom
