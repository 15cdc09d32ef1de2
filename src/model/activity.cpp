#include "headroom/model/activity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace headroom {
namespace {

constexpr std::int32_t kOffset = 1 << 24;  // more than any map or stencil reaches below 0

Tile tile_at(TileKey key) {
  const auto bits = static_cast<std::uint64_t>(key);
  return {static_cast<std::int32_t>(bits & 0xFFFFFFFF) - kOffset,
          static_cast<std::int32_t>(bits >> 32) - kOffset};
}

}  // namespace

TileKey key_of(Tile tile) {
  return TileKey{(std::uint64_t{static_cast<std::uint32_t>(tile.y + kOffset)} << 32) |
                 static_cast<std::uint32_t>(tile.x + kOffset)};
}

Stencil::Stencil(int level, double width, double cut)
    : level_(level), reach_(static_cast<std::int32_t>(std::floor(cut * width))) {
  for (std::int32_t dy = -reach_; dy <= reach_; ++dy) {
    for (std::int32_t dx = -reach_; dx <= reach_; ++dx) {
      const auto square = static_cast<double>(dx * dx + dy * dy);
      const bool near = square <= cut * width * cut * width;
      weights_.push_back(near ? static_cast<float>(influence_at(square, width)) : 0.0F);
      if (weights_.back() > 0.0F) ++size_;
    }
  }
}

namespace {

// Those near `around` stay; of the others the least active go, the later key first among equals.
void make_place(Activity& activity, Tile around, const Stencil& stencil, std::size_t most) {
  std::vector<std::pair<float, TileKey>> others;
  for (const ActiveTile& active : activity) {
    const Tile tile = tile_at(active.key);
    const bool in_reach = std::abs(tile.x - around.x) <= stencil.reach() &&
                          std::abs(tile.y - around.y) <= stencil.reach();
    if (!in_reach) others.emplace_back(-active.activity, active.key);
  }
  // A quarter at once, so that it is not done for every place.
  const std::size_t near = activity.size() - others.size();
  const std::size_t stay = most - most / 4 - std::min(most - most / 4, near);
  if (others.size() <= stay) return;
  std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(stay),
                   others.end());
  others.erase(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(stay));
  std::sort(others.begin(), others.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  auto leaving = others.begin();
  std::erase_if(activity, [&](const ActiveTile& active) {
    if (leaving == others.end() || leaving->second != active.key) return false;
    ++leaving;
    return true;
  });
}

}  // namespace

void open_tiles(Activity& activity, Tile around, const Stencil& stencil, float squares,
                std::size_t most) {
  std::size_t open = 0;
  for_each_near(around, activity, stencil, [&](const ActiveTile&, float) { ++open; });
  if (open == stencil.size()) return;

  const auto before = [](const ActiveTile& a, const ActiveTile& b) { return a.key < b.key; };
  const auto same = [](const ActiveTile& a, const ActiveTile& b) { return a.key == b.key; };
  const auto old_end = static_cast<std::ptrdiff_t>(activity.size());
  for (std::int32_t dy = -stencil.reach(); dy <= stencil.reach(); ++dy) {
    for (std::int32_t dx = -stencil.reach(); dx <= stencil.reach(); ++dx) {
      if (stencil.weight(dx, dy) == 0.0F) continue;
      activity.push_back({key_of({around.x + dx, around.y + dy}), 0.0F, squares});
    }
  }
  // Of equals the one that was there comes first, and stays.
  std::inplace_merge(activity.begin(), activity.begin() + old_end, activity.end(), before);
  activity.erase(std::unique(activity.begin(), activity.end(), same), activity.end());
  if (activity.size() > most) make_place(activity, around, stencil, most);
}

float influence_on(Tile tile, const Activity& activity, const Stencil& stencil) {
  float total = 0.0F;
  for_each_near(tile, activity, stencil,
                [&](const ActiveTile& active, float weight) { total += active.activity * weight; });
  return total;
}

std::uint32_t Atlas::enter(Tile tile) {
  auto& row = rows_[tile.y];
  const auto at =
      std::lower_bound(row.begin(), row.end(), tile.x,
                       [](const Column& column, std::int32_t x) { return column.x < x; });
  if (at != row.end() && at->x == tile.x) {
    ++tiles_[at->number].items;
    return at->number;
  }
  auto number = static_cast<std::uint32_t>(tiles_.size());
  if (free_.empty()) {
    tiles_.push_back({tile, 1});
  } else {
    number = free_.back();
    free_.pop_back();
    tiles_[number] = {tile, 1};
  }
  row.insert(at, {tile.x, number});
  return number;
}

void Atlas::leave(std::uint32_t number) {
  if (--tiles_[number].items > 0) return;
  const auto row = rows_.find(tiles_[number].tile.y);
  std::erase_if(row->second, [=](const Column& column) { return column.number == number; });
  if (row->second.empty()) rows_.erase(row);
  free_.push_back(number);
}

std::vector<float> Atlas::spread(const Activity& activity, const Stencil& stencil) const {
  std::vector<float> field(tiles_.size());
  const std::int32_t reach = stencil.reach();
  for (auto begin = activity.begin(); begin != activity.end();) {
    // The user's tiles of one row of the map, against each row within reach.
    const std::int32_t y = tile_at(begin->key).y;
    const auto end =
        std::lower_bound(begin, activity.end(), key_of({-kOffset, y + 1}),
                         [](const ActiveTile& active, TileKey key) { return active.key < key; });
    for (auto row = rows_.lower_bound(y - reach); row != rows_.end() && row->first <= y + reach;
         ++row) {
      auto column = row->second.begin();
      for (auto active = begin; active != end; ++active) {
        const std::int32_t x = tile_at(active->key).x;
        while (column != row->second.end() && column->x < x - reach) ++column;
        for (auto near = column; near != row->second.end() && near->x <= x + reach; ++near) {
          field[near->number] += active->activity * stencil.weight(near->x - x, row->first - y);
        }
      }
    }
    begin = end;
  }
  return field;
}

}  // namespace headroom
