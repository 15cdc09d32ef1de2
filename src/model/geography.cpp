#include "headroom/model/geography.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace headroom {

Tile tile_of(double lat, double lon, int level) {
  constexpr double kEdge = 85.05112878;
  constexpr double kPixelsInTile = 256.0;
  const double size = kPixelsInTile * std::exp2(level);
  const double sine = std::sin(std::clamp(lat, -kEdge, kEdge) * std::numbers::pi / 180.0);
  const double x = (lon + 180.0) / 360.0;
  const double y = 0.5 - std::log((1.0 + sine) / (1.0 - sine)) / (4.0 * std::numbers::pi);
  // To the nearest pixel first, as the map service that the paper cites does it.
  const auto cell = [=](double part) {
    const double pixel = std::floor(std::clamp(part * size + 0.5, 0.0, size - 1.0));
    return static_cast<std::int32_t>(pixel / kPixelsInTile);
  };
  return {cell(x), cell(y)};
}

double influence_at(double square, double width) {
  const double height = 1.0 / (width * std::sqrt(2.0 * std::numbers::pi));
  return height * std::exp(-0.5 * square / (width * width));
}

namespace {

std::uint64_t key_of(std::int32_t x, std::int32_t y) {
  return (std::uint64_t{static_cast<std::uint32_t>(x)} << 32) | static_cast<std::uint32_t>(y);
}

}  // namespace

Influence::Influence(std::span<const Tile> tiles, double width, double cut) {
  std::unordered_map<std::uint64_t, std::uint32_t> at;
  for (std::uint32_t t = 0; t < tiles.size(); ++t) at.emplace(key_of(tiles[t].x, tiles[t].y), t);

  const double reach = cut * width;
  const auto steps = static_cast<std::int32_t>(std::floor(reach));
  start_.push_back(0);
  for (const Tile& tile : tiles) {
    for (std::int32_t dy = -steps; dy <= steps; ++dy) {
      for (std::int32_t dx = -steps; dx <= steps; ++dx) {
        const double square = static_cast<double>(dx * dx + dy * dy);
        if (square > reach * reach) continue;
        const auto found = at.find(key_of(tile.x + dx, tile.y + dy));
        if (found == at.end()) continue;
        entries_.push_back({found->second, static_cast<float>(influence_at(square, width))});
      }
    }
    start_.push_back(static_cast<std::uint32_t>(entries_.size()));
  }
  start_.push_back(start_.back());  // nowhere
}

}  // namespace headroom
