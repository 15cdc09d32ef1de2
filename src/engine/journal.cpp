#include "headroom/engine/journal.hpp"

#include <algorithm>

#include "headroom/base/bytes.hpp"

namespace headroom {

std::string encode(const JournalEntry& entry) {
  ByteWriter to;
  to.put(entry.number);
  to.put(entry.now.time_since_epoch().count());
  to.put(static_cast<std::uint32_t>(entry.bounds.size()));
  for (const Range& range : entry.bounds) {
    to.put(range.topic);
    to.put(range.partition);
    to.put(range.from);
    to.put(range.to);
  }
  return to.bytes();
}

JournalEntry decode_journal_entry(std::string_view bytes) {
  ByteReader from(bytes);
  JournalEntry entry;
  entry.number = from.get<std::uint64_t>();
  entry.now = Time(Time::duration(from.get<Time::rep>()));
  for (auto left = from.get<std::uint32_t>(); left > 0; --left) {
    Range& range = entry.bounds.emplace_back();
    range.topic = from.get<Topic>();
    range.partition = from.get<std::uint32_t>();
    range.from = from.get<std::uint64_t>();
    range.to = from.get<std::uint64_t>();
  }
  if (!from.empty()) throw Error("the state store: a journal entry is longer than it should be");
  return entry;
}

void extend(Bounds& taken, const Bounds& bounds) {
  for (const Range& range : bounds) {
    const auto same = [&](const Range& other) {
      return other.topic == range.topic && other.partition == range.partition;
    };
    const auto known = std::find_if(taken.begin(), taken.end(), same);
    if (known != taken.end()) {
      known->to = range.to;
    } else {
      taken.push_back({range.topic, range.partition, 0, range.to});
    }
  }
}

}  // namespace headroom
