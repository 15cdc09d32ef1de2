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
    return view;
  }
  const User& row = users_[index(user)];
  view.vector = vector(user);
  if (!atlas_.empty()) {
    if (!row.activity.empty()) view.field = atlas_.spread(row.activity, stencil_);
    if (options_.distance) view.where = whereabouts(row);
  }
  view.is_sum = view.field.empty() && view.where.count == 0;
  if (options_.revisits && context_.knows_visits()) {
    for (std::size_t at = 0; at < row.past.size(); ++at) {
      if (alive(row.past, at)) view.known.push_back(row.past.item(at));
    }
    std::sort(view.known.begin(), view.known.end());
  }
  return view;
}

void Learner::score_block(const View& view, std::size_t block, float* scores) const {
  if (view.is_sum) return;
  const std::size_t begin = block * kBlockItems;
  const std::size_t count = std::min(kBlockItems, items_.size() - begin);
  if (view.vector == nullptr) {
    std::copy_n(&popularity_[begin], count, scores);
  } else {
    add_places(view.field, view.where, begin, std::span(scores, count));
  }
}

}  // namespace headroom
