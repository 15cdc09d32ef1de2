#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/lanes.hpp"
#include "headroom/model/geography.hpp"
#include "headroom/model/objective.hpp"
#include "simulator/observation_set.hpp"

namespace headroom::sim {

// The training observations as the moves need them: the pull on each, and who they are by item.
struct Pulls {
  struct OfItem {
    std::uint32_t user;
    std::uint32_t observation;
  };

  explicit Pulls(const ObservationSet& training);
  std::span<const OfItem> of_item(std::size_t item) const {
    return std::span(by_item).subspan(item_start[item], item_start[item + 1] - item_start[item]);
  }

  std::vector<float> value;  // by observation: the objective's pull on its score
  std::vector<std::uint32_t> item_start;
  std::vector<OfItem> by_item;
};

// A user's activity lives on the tiles that its observations influence; it is 0 elsewhere.
struct Activity {
  std::vector<std::uint32_t> start;  // by user, one more than users
  std::vector<std::uint32_t> tile;
  std::vector<float> value;
};
Activity influenced_tiles(const ObservationSet& training, const Geography& geography);

// The disliked items' scores and pulls of one user, padded to whole registers.
struct PairScratch {
  std::vector<float> score;
  std::vector<float> pull;
};

// On entry `values` holds the scores of the user's observations, on return the pulls on them,
// weighted. Returns the weighted loss where it is wanted: of pairs it costs as much as the pulls.
template <Objective O>
double pull_user(const ObservationSet& training, std::size_t user, float weight, bool want_loss,
                 std::vector<float>& values, PairScratch& scratch) {
  const std::size_t begin = training.start[user], end = training.start[user + 1];
  double total = 0.0;
  if constexpr (!O::kPairs) {
    weight /= static_cast<float>(training.item.size());
    for (std::size_t o = begin; o < end; ++o) {
      total += O::loss(values[o], 0.0F, training.target[o]);
      values[o] = weight * O::pull(values[o], 0.0F, training.target[o]).score;
    }
  } else {
    const std::size_t middle = begin + training.liked[user], others = end - middle;
    if (middle == begin || others == 0) {
      std::fill(values.begin() + begin, values.begin() + end, 0.0F);
      return 0.0;
    }
    weight /= static_cast<float>(middle - begin) * static_cast<float>(others) *
              static_cast<float>(training.users);
    // A padded score loses every comparison so clearly that it adds nothing.
    scratch.score.assign((others + kLanes - 1) / kLanes * kLanes, -1e30F);
    std::copy(values.begin() + middle, values.begin() + end, scratch.score.begin());
    scratch.pull.assign(scratch.score.size(), 0.0F);
    for (std::size_t o = begin; o < middle; ++o) {
      const Lanes liked = broadcast(values[o]);
      Lanes loss{}, pull{};
      for (std::size_t d = 0; d < scratch.score.size(); d += kLanes) {
        const Lanes other = load(&scratch.score[d]);
        if (want_loss) loss += O::loss(liked, other, Lanes{});
        const Pull<Lanes> pulls = O::pull(liked, other, Lanes{});
        pull += pulls.score;
        store(&scratch.pull[d], load(&scratch.pull[d]) + pulls.other);
      }
      total += sum(loss);
      values[o] = weight * sum(pull);
    }
    for (std::size_t d = 0; d < others; ++d) values[middle + d] = weight * scratch.pull[d];
  }
  return total * weight;
}

}  // namespace headroom::sim
