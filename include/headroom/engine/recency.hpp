#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "headroom/base/ids.hpp"

namespace headroom {

// Which row was seen longest ago: a list through all rows, in the order in which they were last
// seen. Each sight has a number, which is what the store keeps of the order.
template <class Ix>
class Recency {
 public:
  // The row is now the one seen last; it enters if it was not there.
  void touch(Ix row) {
    const auto at = static_cast<std::uint32_t>(row);
    if (at >= links_.size()) links_.resize(std::size_t{at} + 1 + links_.size() / 2);
    if (links_[at].sight != 0) unlink(at);
    append(at, ++sights_);
  }
  void remove(Ix row) {
    unlink(static_cast<std::uint32_t>(row));
    links_[index(row)].sight = 0;
  }
  bool empty() const { return oldest_ == kNone; }
  Ix oldest() const { return Ix{oldest_}; }

  std::uint64_t sight(Ix row) const { return links_[index(row)].sight; }
  std::uint64_t sights() const { return sights_; }

  // For loading: the sights of all rows, in any order.
  void restore(std::vector<std::pair<std::uint64_t, Ix>> rows, std::uint64_t sights) {
    std::sort(rows.begin(), rows.end());
    links_.clear();
    oldest_ = newest_ = kNone;
    for (const auto& [sight, row] : rows) {
      if (index(row) >= links_.size()) links_.resize(index(row) + 1 + links_.size() / 2);
      append(static_cast<std::uint32_t>(row), sight);
    }
    sights_ = sights;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Link {
    std::uint64_t sight = 0;  // 0: not in the list
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
  };

  void append(std::uint32_t at, std::uint64_t sight) {
    links_[at] = {sight, newest_, kNone};
    (newest_ == kNone ? oldest_ : links_[newest_].after) = at;
    newest_ = at;
  }
  void unlink(std::uint32_t at) {
    const auto [sight, before, after] = links_[at];
    (before == kNone ? oldest_ : links_[before].after) = after;
    (after == kNone ? newest_ : links_[after].before) = before;
  }

  std::vector<Link> links_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;
  std::uint64_t sights_ = 0;
};

}  // namespace headroom
