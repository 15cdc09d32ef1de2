#include "headroom/model/geography.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "support/catch.hpp"

using namespace headroom;

namespace {

std::vector<Tile> square_of(int side) {
  std::vector<Tile> tiles;
  for (int x = 0; x < side; ++x) {
    for (int y = 0; y < side; ++y) tiles.push_back({100 + x, 200 + y});
  }
  return tiles;
}

std::map<std::uint32_t, float> as_map(std::span<const Influence::Entry> row) {
  std::map<std::uint32_t, float> out;
  for (const auto& [tile, weight] : row) out[tile] = weight;
  CHECK(out.size() == row.size());  // no tile twice
  return out;
}

double distance(const Tile& a, const Tile& b) { return std::hypot(a.x - b.x, a.y - b.y); }

double kernel(double d, double width) {
  return std::exp(-0.5 * d * d / (width * width)) / (width * std::sqrt(2.0 * std::numbers::pi));
}

}  // namespace

TEST_CASE("places fall into the tiles that Bing's map gives them") {
  CHECK(tile_of(0.0, 0.0, 1) == Tile{1, 1});
  CHECK(tile_of(1.0, -1.0, 1) == Tile{0, 0});
  CHECK(tile_of(-1.0, 1.0, 1) == Tile{1, 1});
  // Chicago, the worked example of Google's map, which has the same tiles.
  CHECK(tile_of(41.85, -87.65, 3) == Tile{2, 2});
  CHECK(tile_of(41.85, -87.65, 7) == Tile{32, 47});
  // By y = 1/2 - log tan(pi/4 + lat/2) / (2 pi), another form of the projection.
  CHECK(tile_of(1.3521, 103.8198, 15) == Tile{25833, 16260});    // Singapore
  CHECK(tile_of(-33.8688, 151.2093, 15) == Tile{30147, 19663});  // Sydney
  CHECK(tile_of(37.7749, -122.4194, 12) == Tile{655, 1583});     // San Francisco
}

TEST_CASE("the middle of the map is the corner of four tiles on every level") {
  for (int level = 1; level <= 23; ++level) {
    const std::int32_t half = 1 << (level - 1);
    INFO("level " << level);
    CHECK(tile_of(-1e-9, 1e-9, level) == Tile{half, half});
    // Points are taken to the nearest pixel, of which a tile has 256 each way.
    const double pixel = 360.0 / (256.0 * std::exp2(level));
    CHECK(tile_of(0.4 * pixel, -0.4 * pixel, level) == Tile{half, half});
    CHECK(tile_of(0.6 * pixel, -0.6 * pixel, level) == Tile{half - 1, half - 1});
  }
}

TEST_CASE("the ends of the world are the ends of the map on every level") {
  for (int level = 1; level <= 23; ++level) {
    const std::int32_t last = (1 << level) - 1;
    INFO("level " << level);
    CHECK(tile_of(90.0, -180.0, level) == Tile{0, 0});
    CHECK(tile_of(-90.0, 180.0, level) == Tile{last, last});
    CHECK(tile_of(86.0, 180.0, level) == Tile{last, 0});
    CHECK(tile_of(85.0511287, 0.0, level).y == 0);
    CHECK(tile_of(-85.0511287, 0.0, level).y == last);
  }
}

TEST_CASE("each level halves the tiles of the one before") {
  for (const auto& [lat, lon] : std::vector<std::pair<double, double>>{
           {1.3521, 103.8198}, {37.7749, -122.4194}, {-33.8688, 151.2093}, {64.1466, -21.9426}}) {
    for (int level = 1; level < 23; ++level) {
      const Tile coarse = tile_of(lat, lon, level), fine = tile_of(lat, lon, level + 1);
      CHECK(fine.x / 2 == coarse.x);
      CHECK(fine.y / 2 == coarse.y);
    }
  }
}

TEST_CASE("north is up and east is right") {
  const Tile here = tile_of(1.30, 103.80, 15);
  CHECK(tile_of(1.40, 103.80, 15).y < here.y);
  CHECK(tile_of(1.30, 103.90, 15).x > here.x);
  CHECK(tile_of(1.40, 103.80, 15).x == here.x);
  CHECK(tile_of(1.30, 103.90, 15).y == here.y);
}

TEST_CASE("the weight of a tile is the normal density of its distance, up to the cut") {
  for (const double width : {0.5, 1.0, 2.5}) {
    for (const double cut : {1.0, 2.0, 4.0}) {
      const std::vector<Tile> tiles = square_of(24);
      const Influence influence(tiles, width, cut);
      REQUIRE(influence.size() == tiles.size() + 1);
      const std::uint32_t middle = 12 * 24 + 12;
      const auto row = as_map(influence.row(middle));
      for (std::uint32_t t = 0; t < tiles.size(); ++t) {
        const double d = distance(tiles[middle], tiles[t]);
        INFO("width " << width << ", cut " << cut << ", distance " << d);
        const bool near = d <= cut * width;
        REQUIRE(row.contains(t) == near);
        if (near) CHECK(row.at(t) == Approx(kernel(d, width)));
      }
    }
  }
}

TEST_CASE("influence is symmetric") {
  const std::vector<Tile> tiles = {{0, 0}, {1, 0}, {0, 3}, {2, 2}, {9, 9}, {11, 8}, {4, 0}};
  const Influence influence(tiles, 1.5);
  std::size_t entries = 0;
  for (std::uint32_t a = 0; a < tiles.size(); ++a) {
    for (const auto& [b, weight] : influence.row(a)) {
      CHECK(as_map(influence.row(b)).at(a) == weight);
      ++entries;
    }
  }
  CHECK(entries > tiles.size());
}

TEST_CASE("a tile at the edge of the map has no neighbours beyond it") {
  const std::vector<Tile> tiles = {{0, 5}, {1, 5}, {0, 4}};
  for (std::uint32_t t = 0; t < tiles.size(); ++t) {
    CHECK(Influence(tiles).row(t).size() == tiles.size());
  }
}

TEST_CASE("nowhere is one tile more, and has no influence") {
  for (const int side : {0, 1, 3}) {
    const std::vector<Tile> tiles = square_of(side);
    const Influence influence(tiles);
    CHECK(influence.nowhere() == tiles.size());
    CHECK(influence.row(influence.nowhere()).empty());
    for (std::uint32_t t = 0; t < tiles.size(); ++t) {
      CHECK_FALSE(as_map(influence.row(t)).contains(influence.nowhere()));
    }
  }
}

TEST_CASE("what the cut at 4 widths leaves out is negligible") {
  for (const double width : {1.0, 2.0}) {
    const std::vector<Tile> tiles = square_of(41);
    const std::uint32_t middle = 20 * 41 + 20;
    const Influence influence(tiles, width);
    double kept = 0.0, all = 0.0;
    for (const auto& [tile, weight] : influence.row(middle)) kept += weight;
    for (const Tile& tile : tiles) all += kernel(distance(tile, tiles[middle]), width);
    CHECK(kept < all);
    CHECK(all - kept < 1e-3 * all);
  }
}
