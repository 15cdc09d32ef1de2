#include "simulator/pulls.hpp"

#include <algorithm>

namespace headroom::sim {

Pulls::Pulls(const ObservationSet& training)
    : value(training.item.size()), item_start(training.items + 1), by_item(training.item.size()) {
  for (const std::uint32_t item : training.item) ++item_start[item + 1];
  for (std::size_t j = 0; j < training.items; ++j) item_start[j + 1] += item_start[j];
  std::vector<std::uint32_t> next(item_start.begin(), item_start.end() - 1);
  for (std::uint32_t i = 0; i < training.users; ++i) {
    for (std::uint32_t o = training.start[i]; o < training.start[i + 1]; ++o) {
      by_item[next[training.item[o]]++] = {i, o};
    }
  }
}

Activity influenced_tiles(const ObservationSet& training, const Geography& geography) {
  Activity activity;
  activity.start.push_back(0);
  std::vector<std::uint32_t> tiles;
  for (std::size_t i = 0; i < training.users; ++i) {
    tiles.clear();
    for (std::size_t o = training.start[i]; o < training.start[i + 1]; ++o) {
      const std::uint32_t tile = geography.item_tile[training.item[o]];
      for (const auto& entry : geography.influence.row(tile)) tiles.push_back(entry.tile);
    }
    std::sort(tiles.begin(), tiles.end());
    tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
    activity.tile.insert(activity.tile.end(), tiles.begin(), tiles.end());
    activity.start.push_back(static_cast<std::uint32_t>(activity.tile.size()));
  }
  activity.value.assign(activity.tile.size(), 0.0F);
  return activity;
}

}  // namespace headroom::sim
