#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headroom {

// Rows that something was done to since they were last asked for, each once: so that who keeps a
// copy of what follows from them need not look at all. Belongs to the run, is never saved.
class ChangedRows {
 public:
  void add(std::size_t row) {
    if (row >= is_changed_.size()) is_changed_.resize(row + 1);
    if (is_changed_[row] != 0) return;
    is_changed_[row] = 1;
    rows_.push_back(static_cast<std::uint32_t>(row));
  }
  bool empty() const { return rows_.empty(); }
  std::vector<std::uint32_t> take() {
    for (const std::uint32_t row : rows_) is_changed_[row] = 0;
    return std::exchange(rows_, {});
  }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint8_t> is_changed_;
};

}  // namespace headroom
