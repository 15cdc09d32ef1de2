#include "headroom/model/factors.hpp"

#include <cstddef>

namespace headroom {
namespace {

float dot(const float* a, const float* b, std::size_t size) {
  float total = 0.0F;
  for (std::size_t k = 0; k < size; ++k) total += a[k] * b[k];
  return total;
}

}  // namespace

float Factors::score(UserIx user, ItemIx item) const {
  const std::size_t i = index(user), j = index(item);
  float total = dot(&users[i * rank], &items[j * rank], rank);
  if (geography == nullptr) return total;
  // The kernel is symmetric: the row of the item's tile is the influence of the item.
  const std::size_t begin = activity_start[i], end = activity_start[i + 1];
  for (const auto& [tile, weight] : geography->influence.row(geography->item_tile[j])) {
    for (std::size_t a = begin; a < end; ++a) {
      if (activity_tile[a] == tile) total += activity[a] * weight;
    }
  }
  return total;
}

void Factors::score_run(UserIx user, ItemIx first, std::span<float> out) const {
  const std::size_t i = index(user), from = index(first);
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = dot(&users[i * rank], &items[(from + j) * rank], rank);
  }
  if (geography == nullptr) return;
  std::vector<float> field(geography->influence.size());
  for (std::size_t a = activity_start[i]; a < activity_start[i + 1]; ++a) {
    for (const auto& [tile, weight] : geography->influence.row(activity_tile[a])) {
      field[tile] += activity[a] * weight;
    }
  }
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += field[geography->item_tile[from + j]];
}

}  // namespace headroom
