#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "headroom/base/record.hpp"
#include "headroom/base/time.hpp"

namespace headroom {

// What makes a batch the same again: its number, its `now` and its bounds.
struct JournalEntry {
  std::uint64_t number = 0;
  Time now;
  Bounds bounds;
  bool operator==(const JournalEntry&) const = default;
};

std::string encode(const JournalEntry& entry);
JournalEntry decode_journal_entry(std::string_view bytes);

// Where each partition has been taken to: the ends of all bounds so far, by topic and partition.
void extend(Bounds& taken, const Bounds& bounds);

}  // namespace headroom
