#include "headroom/rank/filter.hpp"

#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

namespace headroom {

void Filter::leave_out(std::vector<ItemIx> items) {
  std::sort(items.begin(), items.end());
  std::vector<ItemIx> all;
  all.reserve(left_out_.size() + items.size());
  std::set_union(left_out_.begin(), left_out_.end(), items.begin(), items.end(),
                 std::back_inserter(all));
  left_out_ = std::move(all);
}

void Filter::ignore(std::vector<ItemIx> items) {
  std::sort(items.begin(), items.end());
  ignored_ = items;
  leave_out(std::move(items));
}

void Filter::hide_visited(std::vector<ItemIx> items) { leave_out(std::move(items)); }

void Filter::reach(const Position& from, double km, std::span<const Point> points) {
  any_far_ = true;
  from_ = point_of(from);
  // The straight way is shorter than the way over the ground, but of the same order.
  const double angle = std::min(1000.0 * km / kEarthRadius, std::numbers::pi);
  const double chord = 2.0 * kEarthRadius * std::sin(angle / 2.0);
  square_ = static_cast<float>(chord * chord);
  points_ = points;
}

Filter::Counts Filter::counts(std::span<const std::uint8_t> offered) const {
  Counts counts;
  for (const ItemIx item : left_out_) {
    if (index(item) >= offered.size() || offered[index(item)] == 0) continue;
    const bool ignored = std::binary_search(ignored_.begin(), ignored_.end(), item);
    ++(ignored ? counts.ignored : counts.visited);
  }
  if (!any_far_) return counts;
  for (std::uint32_t row = 0; row < offered.size(); ++row) {
    const ItemIx item{row};
    const bool left_out = std::binary_search(left_out_.begin(), left_out_.end(), item);
    if (offered[row] != 0 && !left_out && is_far(item)) ++counts.far;
  }
  return counts;
}

}  // namespace headroom
