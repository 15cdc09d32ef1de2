#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/model/context.hpp"

namespace headroom {

// What may not be on one list though it is offered to others: what this user ignored lately or
// shall not be shown again, and what is too far away. A pure value of the state, made for each ask.
class Filter {
 public:
  Filter() = default;

  void ignore(std::vector<ItemIx> items);
  void hide_visited(std::vector<ItemIx> items);
  // Further than this from here is too far; items without a place never are.
  void reach(const Position& from, double km, std::span<const Point> points);

  // Sorted, each once: few.
  std::span<const ItemIx> left_out() const { return left_out_; }
  bool is_far(ItemIx item) const { return any_far_ && is_far_from(item); }
  bool allows(ItemIx item) const {
    return !is_far(item) && !std::binary_search(left_out_.begin(), left_out_.end(), item);
  }

  struct Counts {
    std::size_t ignored = 0, visited = 0, far = 0;
  };
  // Of the items that are offered, each under the first that applies.
  Counts counts(std::span<const std::uint8_t> offered) const;

 private:
  bool is_far_from(ItemIx item) const {
    if (index(item) >= points_.size()) return false;
    const Point& at = points_[index(item)];
    const float x = at[0] - from_[0], y = at[1] - from_[1], z = at[2] - from_[2];
    return x * x + y * y + z * z > square_;
  }
  void leave_out(std::vector<ItemIx> items);

  std::vector<ItemIx> left_out_, ignored_;
  bool any_far_ = false;
  Point from_{};
  float square_ = 0.0F;  // of the straight way through the globe, in metres
  std::span<const Point> points_;
};

}  // namespace headroom
