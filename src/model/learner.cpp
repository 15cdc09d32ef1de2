#include "headroom/model/learner.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

#include "headroom/model/objective.hpp"

namespace headroom {
namespace {

// A pull beyond this is no taste: with it the sums of squares could leave the range of a float.
constexpr float kMostPull = 1e6F;

}  // namespace

bool Learner::acceptable(float value, float weight) {
  if (std::isfinite(value) && std::isfinite(weight) && weight >= 0.0F) return true;
  ++rejected_;
  return false;
}

void Learner::like(UserIx user, ItemIx item, float value, float weight, std::uint64_t place,
                   std::uint32_t part) {
  assert(has(user) && has(item));
  if (!acceptable(value, weight) || weight == 0.0F) return;
  watch_.changing(user);
  const std::uint32_t tile = items_[index(item)].tile;
  if (value > 0.0F && tile != Atlas::kNowhere) {
    // Before the event is learned: its own tiles learn from it too.
    open_tiles(users_[index(user)].activity, atlas_.tile(tile), stencil_, options_.start_squares,
               options_.tiles);
  }
  begin(user);
  const Draws draws(options_.seed, Purpose::kNegatives, place, part);
  if (compares_pairs(options_.method)) {
    compare_pairs(user, item, value, weight, draws);
  } else {
    approach_target(user, item, value, weight, draws);
  }
  finish(user);
  if (value > 0.0F) remember(user, item, weight, place);
  refresh_vector(user);
  if (++open_events_ >= options_.mini_batch) flush();
}

void Learner::meet(UserIx user, ItemIx item, float value, float weight, std::uint64_t place) {
  assert(has(user) && has(item));
  if (!acceptable(value, weight) || weight == 0.0F || value <= 0.0F) return;
  watch_.changing(user);
  users_[index(user)].known = true;
  remember(user, item, weight, place);
  refresh_vector(user);
}

// What does not change while the outcome is learned: the user's past, where they were, h.
void Learner::begin(UserIx user) {
  const User& row = users_[index(user)];
  where_.count = 0;
  if (has_distances()) where_ = whereabouts(row);
  std::fill(gathered_.begin(), gathered_.end(), 0.0F);
  std::copy_n(user_rows_.weights(index(user)), padded(), x_.begin());
  add_history(row, x_.data());
}

void Learner::compare_pairs(UserIx user, ItemIx item, float value, float weight, Draws draws) {
  const auto compare = [&](const Touch& liked, const Touch& other) {
    Touch pair[] = {liked, other};
    const Pull<float> pulls = Bpr::pull(pair[0].score, pair[1].score, 0.0F);
    pair[0].pull = weight * std::fabs(value) * pulls.score;
    pair[1].pull = weight * std::fabs(value) * pulls.other;
    learn(user, pair);
  };
  if (value > 0.0F) {
    Touch liked{item};
    const User& row = users_[index(user)];
    // Who comes again chose among the places they know: every other one of these is compared too.
    const bool again = options_.revisits && !is_unseen(row.past, item);
    for (unsigned n = 0; n < options_.negatives; ++n) {
      if (again && n % 2 == 1) {
        if (const auto known = draw_liked(row, item, draws)) {
          Touch pair[] = {{item}, {*known}};
          score_touches(user, pair);
          compare(pair[0], pair[1]);
          continue;
        }
      }
      const auto other = draw_hardest(user, liked, draws);
      if (!other) return;
      compare(liked, *other);
    }
  } else if (value < 0.0F) {
    const auto liked = draw_liked(users_[index(user)], item, draws);
    if (!liked) return;
    Touch pair[] = {{*liked}, {item}};
    score_touches(user, pair);
    compare(pair[0], pair[1]);
  }
}

void Learner::approach_target(UserIx user, ItemIx item, float value, float weight, Draws draws) {
  touches_.assign(1, {item});
  score_touches(user, touches_);
  touches_[0].pull = weight * Squared::pull(touches_[0].score, 0.0F, value).score;
  Touch liked = touches_[0];
  for (unsigned n = 0; value > 0.0F && n < options_.negatives; ++n) {
    const auto other = draw_hardest(user, liked, draws);
    if (!other) break;
    // All rows of the outcome take one step: none may be in it twice.
    if (std::any_of(touches_.begin(), touches_.end(),
                    [&](const Touch& touch) { return touch.item == other->item; })) {
      continue;
    }
    touches_.push_back(*other);
    touches_.back().pull = weight * Squared::pull(other->score, 0.0F, 0.0F).score;
  }
  learn(user, touches_);
}

// All gradients first, then one step of every weight that is touched, or its part of a mini-batch.
void Learner::learn(UserIx user, std::span<Touch> touches) {
  for (const Touch& touch : touches) {
    if (std::fabs(touch.pull) <= kMostPull) continue;
    ++rejected_;
    return;
  }
  for (const Touch& touch : touches) context_.pull(touch.lit, touch.pull);
  for (const Touch& touch : touches) {
    const std::uint32_t tile = items_[index(touch.item)].tile;
    if (tile == Atlas::kNowhere) continue;
    for_each_near(atlas_.tile(tile), users_[index(user)].activity, stencil_,
                  [&](const ActiveTile& active, float weight) {
                    tile_gradients_.push_back({user, active.key, touch.pull * weight});
                  });
  }
  if (context_.pulled()) context_.step({.step = options_.context_step});

  if (options_.mini_batch > 1) {
    for (const auto& touch : touches) {
      const float one = 1.0F;
      user_sums_.add(index(user), item_rows_.weights(index(touch.item)), touch.pull);
      item_sums_.add(index(touch.item), x_.data(), touch.pull);
      if (options_.bias) bias_sums_.add(index(touch.item), &one, touch.pull);
    }
    return;
  }
  std::array<PulledRow, kMostTouched> rows;
  for (std::size_t n = 0; n < touches.size(); ++n) {
    const std::size_t item = index(touches[n].item);
    watch_.changing(touches[n].item);
    rows[n] = {item_rows_.weights(item), item_rows_.squares(item), touches[n].pull};
    blocks_.move(item);
    if (options_.bias) step_bias(touches[n].item, touches[n].pull, options_.bias_l2);
  }
  kernels().learn(rows.data(), touches.size(), {options_.item_step, options_.l2},
                  user_rows_.weights(index(user)), user_rows_.squares(index(user)),
                  {options_.user_step, options_.l2}, x_.data(), gathered_.data(), padded());
  users_[index(user)].known = true;
}

void Learner::finish(UserIx user) {
  if (options_.mini_batch > 1) return;
  step_history(users_[index(user)]);
  if (!tile_gradients_.empty()) step_tiles();
}

void Learner::remember(UserIx user, ItemIx item, float weight, std::uint64_t place) {
  watch_.changing(item);
  Item& liked = items_[index(item)];
  liked.likes += static_cast<double>(weight);
  if (!options_.bias) popularity_[index(item)] = static_cast<float>(std::log1p(liked.likes));
  // The place of its first like is the item's own, as good as surely.
  if (liked.life == 0) {
    liked.life = static_cast<std::uint32_t>((place * 0x9E3779B97F4A7C15) >> 32) | 1U;
  }
  users_[index(user)].past.add(item, liked.life, options_.past);
}

void Learner::flush() {
  open_events_ = 0;
  if (options_.mini_batch == 1) return;
  item_sums_.drain([this](std::size_t row, const float* gradient) {
    watch_.changing(ItemIx{static_cast<std::uint32_t>(row)});
    item_rows_.step(row, gradient, {options_.item_step, options_.l2});
    blocks_.move(row);
  });
  bias_sums_.drain([this](std::size_t row, const float* gradient) {
    step_bias(ItemIx{static_cast<std::uint32_t>(row)}, *gradient, options_.bias_l2);
  });
  if (!tile_gradients_.empty()) step_tiles();
  user_sums_.drain([this](std::size_t row, const float* gradient) {
    const UserIx user{static_cast<std::uint32_t>(row)};
    watch_.changing(user);
    user_rows_.step(row, gradient, {options_.user_step, options_.l2});
    std::copy_n(gradient, padded(), gathered_.begin());
    step_history(users_[row]);
    users_[row].known = true;
    refresh_vector(user);
  });
}

void Learner::step_bias(ItemIx item, float gradient, float l2) {
  float& bias = biases_[index(item)];
  Adagrad{.step = options_.bias_step}.move(bias, items_[index(item)].bias_squares,
                                           gradient + l2 * bias);
}

// dw of an item of the history is du times what the item counts for in h.
void Learner::step_history(const User& user) {
  const std::size_t count = std::min<std::size_t>(options_.history, user.past.size());
  for (std::size_t age = 0; age < count; ++age) {
    const std::size_t at = user.past.size() - 1 - age;
    if (!alive(user.past, at)) continue;
    watch_.changing(user.past.item(at));
    const float part = decay_[age] * norm_[count];
    for (std::size_t k = 0; k < padded(); ++k) x_[k] = part * gathered_[k];
    history_rows_.step(index(user.past.item(at)), x_.data(), {options_.history_step, 0.0F});
  }
}

void Learner::step_tiles() {
  const Adagrad adagrad{.step = options_.tile_step};
  const auto order = [](const TileGradient& g) { return std::tuple(g.user, g.key); };
  std::sort(tile_gradients_.begin(), tile_gradients_.end(),
            [=](const auto& a, const auto& b) { return order(a) < order(b); });
  const auto before = [](const ActiveTile& active, TileKey key) { return active.key < key; };
  for (auto gradient = tile_gradients_.begin(); gradient != tile_gradients_.end();) {
    const UserIx user = gradient->user;
    watch_.changing(user);
    Activity& activity = users_[index(user)].activity;
    auto tile = activity.begin();
    while (gradient != tile_gradients_.end() && gradient->user == user) {
      const auto group = order(*gradient);
      float total = 0.0F;
      for (; gradient != tile_gradients_.end() && order(*gradient) == group; ++gradient) {
        total += gradient->gradient;
      }
      tile = std::lower_bound(tile, activity.end(), std::get<TileKey>(group), before);
      // In a mini-batch a tile may have made place for others since.
      if (tile == activity.end() || tile->key != std::get<TileKey>(group)) continue;
      adagrad.move(tile->activity, tile->squares, total + options_.l2 * tile->activity);
      tile->activity = std::max(tile->activity, 0.0F);
    }
  }
  tile_gradients_.clear();
}

}  // namespace headroom
