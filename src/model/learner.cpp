#include "headroom/model/learner.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

#include "headroom/model/objective.hpp"

namespace headroom {
namespace {

// Draws that may miss before there is nothing to draw. A user who has seen half of the catalogue
// finds an unseen item but for one time in 4 billion.
constexpr int kTries = 32;

// load() of a register; inside the class that name is the one of rows.
Lanes at(const float* from) { return load(from); }

// Where a row stands in a user's past; past.size() if it is not in it. The whole past is compared
// without a branch, so that the compiler makes it a few registers: most draws are not in it.
std::size_t find_in(const std::vector<ItemIx>& past, ItemIx item) {
  std::uint32_t found = 0;  // as wide as what is compared, so that no lane is packed
  for (const ItemIx liked : past) found |= liked == item ? 1U : 0U;
  if (found == 0) return past.size();
  return static_cast<std::size_t>(std::find(past.begin(), past.end(), item) - past.begin());
}

}  // namespace

void Learner::like(UserIx user, ItemIx item, float value, float weight, std::uint64_t place) {
  assert(has(user) && has(item));
  if (!std::isfinite(value) || !std::isfinite(weight) || weight < 0.0F) {
    ++rejected_;
    return;
  }
  if (weight == 0.0F) return;
  watch_.changing(user);
  const std::uint32_t tile = items_[index(item)].tile;
  if (value > 0.0F && tile != Atlas::kNowhere) {
    // Before the event is learned: its own tiles learn from it too.
    open_tiles(users_[index(user)].activity, atlas_.tile(tile), stencil_, options_.start_squares);
  }
  const Draws draws(options_.seed, Purpose::kNegatives, place);
  if (options_.method == Method::kBpr || options_.method == Method::kGeoBpr) {
    choose<Bpr>(user, item, value, draws);
    pull<Bpr>(user, value, weight);
  } else {
    choose<Squared>(user, item, value, draws);
    pull<Squared>(user, value, weight);
  }
  learn(user);
  if (value > 0.0F) remember(user, item, weight, place);
  if (++open_events_ >= options_.mini_batch) flush();
}

// What the event touches: the item, and beside it what it is compared with.
template <class O>
void Learner::choose(UserIx user, ItemIx item, float value, Draws draws) {
  const User& row = users_[index(user)];
  touches_.clear();
  if (O::kPairs && value <= 0.0F) {
    const auto liked = value < 0.0F ? draw_liked(row, item, draws) : std::nullopt;
    if (liked) touches_ = {{*liked, 0.0F}, {item, 0.0F}};
    return;
  }
  touches_.push_back({item, 0.0F});
  for (unsigned n = 0; value > 0.0F && n < options_.negatives; ++n) {
    const auto unseen = draw_unseen(row, draws);
    if (!unseen) break;
    touches_.push_back({*unseen, 0.0F});
  }
  if (O::kPairs && touches_.size() == 1) touches_.clear();
}

// Uniform over the items that are there, outside the past, and not touched yet by this event.
std::optional<ItemIx> Learner::draw_unseen(const User& user, Draws& draws) const {
  for (int tries = 0; tries < kTries; ++tries) {
    const ItemIx item{draws.below(static_cast<std::uint32_t>(items_.size()))};
    const Item& row = items_[index(item)];
    if (!row.here) continue;
    if (std::any_of(touches_.begin(), touches_.end(),
                    [=](const Touch& touch) { return touch.item == item; }))
      continue;
    if (row.life != 0) {
      const std::size_t at = find_in(user.past, item);
      if (at < user.past.size() && user.past_lives[at] == row.life) continue;
    }
    return item;
  }
  return std::nullopt;
}

std::optional<ItemIx> Learner::draw_liked(const User& user, ItemIx but, Draws& draws) const {
  if (user.past.empty()) return std::nullopt;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::uint32_t at = draws.below(static_cast<std::uint32_t>(user.past.size()));
    const ItemIx item = user.past[at];
    if (item != but && has(item) && items_[index(item)].life == user.past_lives[at]) return item;
  }
  return std::nullopt;
}

// dLoss/dscore of all that is touched, at the scores before the event.
template <class O>
void Learner::pull(UserIx user, float value, float weight) {
  static_assert(Objective<O>);
  if (touches_.empty()) return;
  Touch& first = touches_.front();
  const float score = learned_score(user, first.item);
  if constexpr (!O::kPairs) first.pull = weight * O::pull(score, 0.0F, value).score;
  for (Touch& other : std::span(touches_).subspan(1)) {
    const float other_score = learned_score(user, other.item);
    if constexpr (O::kPairs) {
      const Pull<float> pulls = O::pull(score, other_score, 0.0F);
      first.pull += weight * std::fabs(value) * pulls.score;
      other.pull = weight * std::fabs(value) * pulls.other;
    } else {
      other.pull = weight * O::pull(other_score, 0.0F, 0.0F).score;
    }
  }
}

// du = sum g v, dv = g u, dx = sum g y; all of them before the first row moves.
void Learner::learn(UserIx user) {
  if (touches_.empty()) return;
  const float* u = user_rows_.weights(index(user));
  float* du = user_gradient_.data();
  for (std::size_t k = 0; k < user_rows_.padded(); k += kLanes) {
    Lanes total{};
    for (const auto& [item, pull] : touches_) {
      total += at(item_rows_.weights(index(item)) + k) * pull;
    }
    store(du + k, total);
  }
  for (const auto& [item, pull] : touches_) {
    const std::uint32_t tile = items_[index(item)].tile;
    if (tile == Atlas::kNowhere) continue;
    for_each_near(atlas_.tile(tile), users_[index(user)].activity, stencil_,
                  [&, g = pull](const ActiveTile& active, float weight) {
                    tile_gradients_.push_back({user, active.key, g * weight});
                  });
  }

  const bool at_once = options_.mini_batch == 1;
  for (const auto& touch : touches_) {
    const auto dv = [u, g = touch.pull](std::size_t k) { return at(u + k) * g; };
    if (at_once) {
      step(touch.item, dv);
    } else {
      item_sums_.add(index(touch.item), dv);
    }
  }
  const auto gradient = [du](std::size_t k) { return at(du + k); };
  if (at_once) {
    step(user, gradient);
  } else {
    user_sums_.add(index(user), gradient);
  }
}

void Learner::remember(UserIx user, ItemIx item, float weight, std::uint64_t place) {
  watch_.changing(item);
  Item& liked = items_[index(item)];
  liked.likes += static_cast<double>(weight);
  popularity_[index(item)] = static_cast<float>(std::log1p(liked.likes));
  // The place of its first like is the item's own, as good as surely.
  if (liked.life == 0) {
    liked.life = static_cast<std::uint32_t>((place * 0x9E3779B97F4A7C15) >> 32) | 1U;
  }
  auto& [here, known, past, lives, activity] = users_[index(user)];
  const std::size_t at = find_in(past, item);
  if (at < past.size() || past.size() >= options_.past) {
    if (past.empty()) return;  // nothing is remembered at all
    const auto gone = static_cast<std::ptrdiff_t>(at < past.size() ? at : 0);
    past.erase(past.begin() + gone);
    lives.erase(lives.begin() + gone);
  }
  past.push_back(item);
  lives.push_back(liked.life);
}

void Learner::flush() {
  item_sums_.drain([this](std::size_t row, const auto& gradient) {
    step(ItemIx{static_cast<std::uint32_t>(row)}, gradient);
  });
  user_sums_.drain([this](std::size_t row, const auto& gradient) {
    step(UserIx{static_cast<std::uint32_t>(row)}, gradient);
  });
  if (!tile_gradients_.empty()) step_tiles();
  open_events_ = 0;
}

template <class Gradient>
void Learner::step(UserIx user, const Gradient& gradient) {
  watch_.changing(user);
  const float* u = user_rows_.weights(index(user));
  const bool taken = user_rows_.step(
      index(user), adagrad_, [&](std::size_t k) { return gradient(k) + at(u + k) * options_.l2; });
  if (taken) users_[index(user)].known = true;
  rejected_ += taken ? 0 : 1;
}

template <class Gradient>
void Learner::step(ItemIx item, const Gradient& gradient) {
  watch_.changing(item);
  const float* v = item_rows_.weights(index(item));
  const bool taken = item_rows_.step(
      index(item), adagrad_, [&](std::size_t k) { return gradient(k) + at(v + k) * options_.l2; });
  rejected_ += taken ? 0 : 1;
}

void Learner::step_tiles() {
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
      const TileKey key = gradient->key;
      // Mostly the next one: a place's tiles lie in runs.
      if (tile->key != key) tile = std::lower_bound(tile, activity.end(), key, before);
      float total = options_.l2 * tile->activity;
      for (; gradient != tile_gradients_.end() && order(*gradient) == std::tuple(user, key);
           ++gradient) {
        total += gradient->gradient;
      }
      rejected_ += step(*tile, total) ? 0 : 1;
      ++tile;
    }
  }
  tile_gradients_.clear();
}

bool Learner::step(ActiveTile& tile, float gradient) const {
  if (!std::isfinite(tile.squares + gradient * gradient)) return false;
  adagrad_.move(tile.activity, tile.squares, gradient);
  tile.activity = std::max(tile.activity, 0.0F);
  return true;
}

float Learner::learned_score(UserIx user, ItemIx item) const {
  const float taste =
      dot(user_rows_.weights(index(user)), item_rows_.weights(index(item)), user_rows_.padded());
  const std::uint32_t tile = items_[index(item)].tile;
  if (tile == Atlas::kNowhere) return taste;
  return taste + influence_on(atlas_.tile(tile), users_[index(user)].activity, stencil_);
}

bool Learner::knows(UserIx user) const { return has(user) && users_[index(user)].known; }

float Learner::score(UserIx user, ItemIx item) const {
  if (!has(item)) return 0.0F;
  return knows(user) ? learned_score(user, item) : popularity_[index(item)];
}

void Learner::score_all(UserIx user, std::span<float> out) const {
  const std::size_t count = std::min(out.size(), items_.size());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), 0.0F);
  if (!knows(user)) {
    std::copy_n(popularity_.begin(), count, out.begin());
    return;
  }
  const float* u = user_rows_.weights(index(user));
  const std::size_t padded = user_rows_.padded();
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {  // a register of items at a time
    Lanes products[kLanes];
    for (std::size_t n = 0; n < kLanes; ++n) {
      const float* v = item_rows_.weights(j + n);
      Lanes total{};
      for (std::size_t k = 0; k < padded; k += kLanes) total += at(u + k) * at(v + k);
      products[n] = total;
    }
    store(&out[j], sums_of(products));
  }
  for (; j < count; ++j) out[j] = dot(u, item_rows_.weights(j), padded);

  if (!geographic()) return;
  const std::vector<float> field = atlas_.spread(users_[index(user)].activity, stencil_);
  for (j = 0; j < count; ++j) {
    if (items_[j].tile != Atlas::kNowhere) out[j] += field[items_[j].tile];
  }
}

}  // namespace headroom
