#include <algorithm>

#include "headroom/model/learner.hpp"

// Users scored with whole catalogues, many at once.
namespace headroom {

void Learner::line_up() {
  blocks_.line_up([this](std::size_t item) { return item_rows_.weights(item); },
                  [this](std::size_t item) { return biases_[item]; });
}

Learner::View Learner::view(UserIx user) const {
  View view;
  view.user = user;
  if (!knows(user)) {
    view.is_sum = options_.bias;
    if (!options_.bias && !popularity_.empty()) {
      view.reach = *std::max_element(popularity_.begin(), popularity_.end());
    }
    return view;
  }
  const User& row = users_[index(user)];
  view.vector = vector(user);
  if (!atlas_.empty()) {
    if (!row.activity.empty()) {
      view.field = atlas_.spread(row.activity, stencil_);
      view.reach += std::max(0.0F, *std::max_element(view.field.begin(), view.field.end()));
    }
    if (options_.distance) view.where = whereabouts(row);
    if (view.where.count > 0) view.reach += context_.most_of_distances();
  }
  if (options_.revisits && context_.knows_visits()) {
    for (std::size_t at = 0; at < row.past.size(); ++at) {
      if (alive(row.past, at)) view.known.push_back(row.past.item(at));
    }
    std::sort(view.known.begin(), view.known.end());
  }
  view.is_sum = view.field.empty() && view.where.count == 0 && view.known.empty();
  return view;
}

float Learner::score(const View& view, ItemIx item, float sum) const {
  if (view.is_sum) return sum;
  if (view.vector == nullptr) return popularity_[index(item)];
  const std::uint32_t tile = items_[index(item)].tile;
  const bool felt = tile != Atlas::kNowhere && !view.field.empty();
  return with_terms(users_[index(view.user)], view.where, item, felt ? view.field[tile] : 0.0F,
                    sum);
}

}  // namespace headroom
