#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/model/geography.hpp"

namespace headroom {

// What a model knows of taste: score r_ij = u_i . v_j [+ x_i . y_j].
// U and V are dense rows, the activity X is sparse over the tiles that concern the user.
struct Factors {
  std::size_t rank = 0;
  std::vector<float> users;  // one row of `rank` for each user
  std::vector<float> items;

  const Geography* geography = nullptr;       // null: no geography
  std::vector<std::uint32_t> activity_start;  // by user, one more than users
  std::vector<std::uint32_t> activity_tile;
  std::vector<float> activity;

  std::size_t user_count() const { return rank == 0 ? 0 : users.size() / rank; }
  std::size_t item_count() const { return rank == 0 ? 0 : items.size() / rank; }

  float score(UserIx user, ItemIx item) const;
  // Scores of one user on a run of items, from `first` on, as many as `out` has places.
  void score_run(UserIx user, ItemIx first, std::span<float> out) const;
};

}  // namespace headroom
