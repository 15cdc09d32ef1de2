#include <algorithm>

#include "headroom/model/learner.hpp"

namespace headroom {

// All forces are on the scores as they are served, and on the rows as they stand before any of them
// moves.
void Learner::ease(std::span<const UserIx> users, std::span<const Pressed> items) {
  if (users.empty() || items.empty()) return;
  flush();
  line_up();
  const std::size_t width = padded();
  std::vector<float> scores(items_.size()), slopes(items_.size());
  std::vector<float> bias_gradients(items.size());
  AlignedFloats item_gradients(items.size() * width), user_gradients(users.size() * width);
  std::vector<PressedRow> rows(items.size());
  for (std::size_t at = 0; at < users.size(); ++at) {
    score_all(users[at], scores);
    kernels().slopes(scores.data(), scores.size(), slopes.data());
    for (std::size_t n = 0; n < items.size(); ++n) {
      const std::size_t item = index(items[n].item);
      const float force = items[n].force * slopes[item];
      rows[n] = {item_rows_.weights(item), item_gradients.data() + n * width, force};
      bias_gradients[n] += force;
    }
    kernels().press(rows.data(), rows.size(), vector(users[at]), &user_gradients[at * width],
                    width);
  }
  for (std::size_t at = 0; at < users.size(); ++at) {
    const std::size_t row = index(users[at]);
    const float part = trust(users_[row]);  // dz/du
    for (std::size_t k = 0; k < width; ++k) user_gradients[at * width + k] *= part;
    watch_.changing(users[at]);
    user_rows_.step(row, &user_gradients[at * width], {options_.user_step, 0.0F});
    refresh_vector(users[at]);
  }
  for (std::size_t n = 0; n < items.size(); ++n) {
    watch_.changing(items[n].item);
    item_rows_.step(index(items[n].item), &item_gradients[n * width], {options_.item_step, 0.0F});
    blocks_.move(index(items[n].item));
    if (options_.bias) step_bias(items[n].item, bias_gradients[n], 0.0F);
  }
}

}  // namespace headroom
