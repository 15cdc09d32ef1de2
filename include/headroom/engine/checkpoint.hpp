#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "headroom/base/row_watch.hpp"

namespace headroom {

// The copy of one row of the state; without bytes the row is gone.
struct SavedRow {
  RowKey key;
  std::string bytes;
};

// What is not in rows: the batch that the rows are of, where the log was taken to, the clock,
// counters, and what the population has taught.
struct SavedRest {
  std::uint64_t batch = 0;
  std::string bytes;
};

}  // namespace headroom
