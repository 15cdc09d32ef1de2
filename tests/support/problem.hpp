#pragma once

#include <cstdint>
#include <vector>

#include "headroom/base/random.hpp"
#include "headroom/model/geography.hpp"
#include "simulator/batch_training.hpp"

namespace headroom::test {

// A small random problem: everyone likes and dislikes some items, everything is tight.
struct SmallProblem {
  sim::ObservationSet training;
  std::vector<float> propensity, capacity;
  Geography geography;

  sim::Problem with_geography() const { return {training, propensity, capacity, &geography}; }
  sim::Problem without_geography() const { return {training, propensity, capacity, nullptr}; }
};

inline SmallProblem small_problem(std::size_t users, std::size_t items, std::uint64_t seed) {
  Draws draws(seed, Purpose::kWorld, 0);
  std::vector<Tile> tiles;
  for (std::int32_t y = 0; y < 3; ++y) {
    for (std::int32_t x = 0; x < 4; ++x) tiles.push_back({x * 2, y * 2});
  }
  SmallProblem out{{}, {}, {}, {tiles, {}, Influence(tiles)}};
  sim::ObservationSet& set = out.training;
  set.users = users;
  set.items = items;
  set.start.push_back(0);
  for (std::size_t i = 0; i < users; ++i) {
    std::vector<std::uint32_t> order(items);
    for (std::uint32_t j = 0; j < items; ++j) order[j] = j;
    draws.shuffle_first(std::span(order), items);
    const std::size_t liked = 1 + draws.below(static_cast<std::uint32_t>(items / 3));
    const std::size_t disliked = 1 + draws.below(static_cast<std::uint32_t>(items / 3));
    for (std::size_t n = 0; n < liked + disliked; ++n) {
      set.item.push_back(order[n]);
      set.target.push_back(n < liked ? 1.0F : 0.0F);
    }
    set.liked.push_back(static_cast<std::uint32_t>(liked));
    set.start.push_back(static_cast<std::uint32_t>(set.item.size()));
    out.propensity.push_back(static_cast<float>(0.1 + 0.8 * draws.uniform()));
  }
  for (std::size_t j = 0; j < items; ++j) {
    const double fair = 0.25 * static_cast<double>(users);
    out.capacity.push_back(static_cast<float>(fair * (0.5 + draws.uniform())));
    out.geography.item_tile.push_back(draws.below(static_cast<std::uint32_t>(tiles.size() + 1)));
  }
  return out;
}

}  // namespace headroom::test
