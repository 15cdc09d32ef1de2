#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "headroom/base/ids.hpp"

namespace headroom {

// Which row was seen longest ago of those that may leave. Each sight has a number, which is what
// the store keeps of the order: the answer depends on the sights and on who may leave, not on what
// was asked before.
//
// Rows that may leave wait in a heap, each at most once, under a sight that may since have passed.
// One that is met there and may not leave drops out; who knows when it may again says so by
// offer(). So rows that may not leave cost nothing, however many and however old they are.
template <class Ix>
class Recency {
 public:
  // The row is now the one seen last; a new one is offered.
  void touch(Ix row) {
    if (index(row) >= rows_.size()) rows_.resize(index(row) + 1 + rows_.size() / 2);
    const bool is_new = rows_[index(row)].sight == 0;
    rows_[index(row)].sight = ++sights_;
    if (is_new) offer(row);
  }
  void remove(Ix row) { rows_[index(row)].sight = 0; }

  // It may leave from now on, as far as the caller knows.
  void offer(Ix row) {
    Row& offered = rows_[index(row)];
    if (offered.waits) return;
    offered.waits = true;
    push({offered.sight, static_cast<std::uint32_t>(row)});
  }
  template <class MayLeave>
  std::optional<Ix> longest_unseen(const MayLeave& may_leave) {
    while (!heap_.empty()) {
      const Ix row{heap_.front().row};
      Row& first = rows_[index(row)];
      const bool leaves = first.sight != 0 && may_leave(row);
      if (leaves && first.sight == heap_.front().sight) return row;
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
      first.waits = leaves;
      if (leaves) push({first.sight, static_cast<std::uint32_t>(row)});
    }
    return std::nullopt;
  }

  std::uint64_t sight(Ix row) const { return rows_[index(row)].sight; }
  std::uint64_t sights() const { return sights_; }

  // For loading: the sights of all rows, in any order. All of them are offered.
  void restore(const std::vector<std::pair<std::uint64_t, Ix>>& rows, std::uint64_t sights) {
    rows_.clear();
    heap_.clear();
    for (const auto& [sight, row] : rows) {
      if (index(row) >= rows_.size()) rows_.resize(index(row) + 1 + rows_.size() / 2);
      rows_[index(row)] = {sight, true};
      heap_.push_back({sight, static_cast<std::uint32_t>(row)});
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
    sights_ = sights;
  }

 private:
  struct Row {
    std::uint64_t sight = 0;  // 0: not there
    bool waits = false;       // in the heap
  };
  struct Waiting {
    std::uint64_t sight;  // the row's, or an earlier one
    std::uint32_t row;
  };
  static bool later(const Waiting& a, const Waiting& b) { return a.sight > b.sight; }
  void push(const Waiting& waiting) {
    heap_.push_back(waiting);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  std::vector<Row> rows_;
  std::vector<Waiting> heap_;
  std::uint64_t sights_ = 0;
};

}  // namespace headroom
