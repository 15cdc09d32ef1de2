#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/base/row_watch.hpp"

namespace headroom {

// Copies of rows, one behind the other in one piece of memory. A row without bytes is gone.
class SavedRows {
 public:
  void add(const RowKey& key, std::string_view bytes) {
    rows_.push_back({key, static_cast<std::uint32_t>(bytes.size())});
    bytes_ += bytes;
  }
  template <class Take>
  void each(const Take& take) const {
    std::string_view left = bytes_;
    for (const Row& row : rows_) {
      take(row.key, left.substr(0, row.size));
      left.remove_prefix(row.size);
    }
  }
  std::size_t rows() const { return rows_.size(); }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  struct Row {
    RowKey key;
    std::uint32_t size;
  };
  std::vector<Row> rows_;
  std::string bytes_;
};

// What is not in rows: the batch that the rows are of, where the log was taken to, the clock,
// counters, and what the population has taught.
struct SavedRest {
  std::uint64_t batch = 0;
  std::string bytes;
};

}  // namespace headroom
