#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

// A square of the Mercator map at a level of detail: 2^level of them each way.
struct Tile {
  std::int32_t x;
  std::int32_t y;
  auto operator<=>(const Tile&) const = default;
};

// Degrees to the tile that holds the point; latitudes beyond the map's edge (85.05) go to its edge.
Tile tile_of(double lat, double lon, int level);

// K(d / width) / width of the square of a distance, K the standard normal density.
double influence_at(double square, double width);

// The influence of a place on the tiles around it: y is the kernel of the distance between tiles. A
// place is known by its tile, so that all places of a tile share one sparse row. Rows and columns
// are the distinct tiles, and one more, `nowhere`, without any influence, for items whose place is
// not known.
class Influence {
 public:
  struct Entry {
    std::uint32_t tile;
    float weight;
  };

  // `tiles` are distinct. Tiles further than `cut` widths are left out: at 4 widths the kernel has
  // fallen to 3e-4 of its height.
  explicit Influence(std::span<const Tile> tiles, double width = 1.0, double cut = 4.0);

  std::size_t size() const { return start_.size() - 1; }
  std::uint32_t nowhere() const { return static_cast<std::uint32_t>(size() - 1); }
  std::span<const Entry> row(std::uint32_t tile) const {
    return std::span(entries_).subspan(start_[tile], start_[tile + 1] - start_[tile]);
  }

 private:
  std::vector<std::uint32_t> start_;
  std::vector<Entry> entries_;
};

// The tiles of a set of items, and of which tile each item is.
struct Geography {
  std::vector<Tile> tiles;               // distinct, ordered
  std::vector<std::uint32_t> item_tile;  // by item; influence.nowhere() where the place is unknown
  Influence influence;
};

}  // namespace headroom
