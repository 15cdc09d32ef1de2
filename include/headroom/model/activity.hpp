#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "headroom/model/adagrad.hpp"
#include "headroom/model/geography.hpp"

namespace headroom {

// A tile as one number; numbers are ordered by row of the map, then by column, also for the tiles
// that a stencil takes from beyond the map's edge.
enum class TileKey : std::uint64_t {};
TileKey key_of(Tile tile);

// The influence of a place on the tiles around it, by their distance from its own: the kernel of
// Influence, computed once for all places.
class Stencil {
 public:
  Stencil(int level, double width, double cut);

  int level() const { return level_; }
  std::int32_t reach() const { return reach_; }
  std::size_t size() const { return size_; }  // tiles with a weight
  // 0 beyond the cut.
  float weight(std::int32_t dx, std::int32_t dy) const {
    return weights_[static_cast<std::size_t>((dy + reach_) * (2 * reach_ + 1) + dx + reach_)];
  }

 private:
  int level_;
  std::int32_t reach_;
  std::size_t size_ = 0;
  std::vector<float> weights_;
};

// x of one user: how active it is on a tile, never below 0. Held only on the tiles that the places
// it liked have influence on.
struct ActiveTile {
  TileKey key;
  float activity;
  float squares;  // Adagrad's sum
};
using Activity = std::vector<ActiveTile>;  // ordered by key

// Begins the activity on all tiles that a place on this one has influence on. Beyond `most` tiles
// the least active others make place; a stencil that has more than `most` itself is opened whole.
void open_tiles(Activity& activity, Tile around, const Stencil& stencil, float squares,
                std::size_t most);

// Calls visit(active tile, weight) for what is open of the tiles that a place on `tile` has
// influence on, in their order. The kernel is symmetric: these also are the tiles that act on it.
template <class Tiles, class Visit>
void for_each_near(Tile tile, Tiles& activity, const Stencil& stencil, const Visit& visit) {
  const std::int32_t reach = stencil.reach();
  for (std::int32_t dy = -reach; dy <= reach; ++dy) {
    // A row of the stencil is a run of keys one after another.
    const TileKey first = key_of({tile.x - reach, tile.y + dy});
    const auto offset = [=](TileKey key) {
      return static_cast<std::int64_t>(key) - static_cast<std::int64_t>(first);
    };
    auto at = std::lower_bound(activity.begin(), activity.end(), first,
                               [](const ActiveTile& a, TileKey key) { return a.key < key; });
    for (; at != activity.end() && offset(at->key) <= 2 * reach; ++at) {
      const float weight = stencil.weight(static_cast<std::int32_t>(offset(at->key)) - reach, dy);
      if (weight > 0.0F) visit(*at, weight);
    }
  }
}

// sum over tiles of x(t) y(t, tile).
float influence_on(Tile tile, const Activity& activity, const Stencil& stencil);

// The tiles on which items lie, numbered, so that what a user's activity does for all items is
// computed once for each tile. A number is free again when the last item left its tile.
class Atlas {
 public:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  std::uint32_t enter(Tile tile);  // the tile's number
  void leave(std::uint32_t number);
  Tile tile(std::uint32_t number) const { return tiles_[number].tile; }
  std::size_t size() const { return tiles_.size(); }  // one more than the largest number
  bool empty() const { return free_.size() == tiles_.size(); }

  // influence_on each tile, by number. Adds in the same order, so that the bits are the same.
  std::vector<float> spread(const Activity& activity, const Stencil& stencil) const;

 private:
  struct Place {
    Tile tile;
    std::uint32_t items;
  };
  struct Column {
    std::int32_t x;
    std::uint32_t number;
  };
  std::vector<Place> tiles_;
  std::vector<std::uint32_t> free_;
  std::map<std::int32_t, std::vector<Column>> rows_;  // by y, columns ordered by x
};

}  // namespace headroom
