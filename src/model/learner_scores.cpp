#include <algorithm>
#include <cassert>
#include <cmath>

#include "headroom/model/learner.hpp"

// How a user stands to items: scores as they are served, scores while an outcome is learned, and
// what an outcome can be compared with.
namespace headroom {
namespace {

// Draws that may miss before there is nothing to draw. A user who has seen half of the catalogue
// finds an unseen item but for one time in 4 billion.
constexpr int kTries = 32;

struct Squares {
  float last = 0.0F, nearest = 0.0F;
};

// Of the distances of one point from where a user was, as a run of points has them.
Squares squares_of(const std::array<std::vector<float>, 3>& points, std::size_t item,
                   const Whereabouts& where) {
  const Points at{&points[0][item], &points[1][item], &points[2][item]};
  Squares squares;
  kernels().nearest(at, 1, where.points, 1, &squares.last);
  kernels().nearest(at, 1, where.points, where.count, &squares.nearest);
  return squares;
}

}  // namespace

// --- The user as it stands ---

void Learner::add_history(const User& user, float* to) const {
  const std::size_t count = std::min<std::size_t>(options_.history, user.past.size());
  for (std::size_t age = 0; age < count; ++age) {
    const std::size_t at = user.past.size() - 1 - age;
    if (!alive(user.past, at)) continue;
    const float* const w = history_rows_.weights(index(user.past.item(at)));
    const float part = decay_[age] * norm_[count];
    for (std::size_t k = 0; k < padded(); ++k) to[k] += part * w[k];
  }
}

float Learner::trust(const User& user) const {
  if (options_.caution == 0.0F) return 1.0F;
  const auto count = static_cast<float>(user.past.size());
  return count / (count + options_.caution);
}

void Learner::refresh_vector(UserIx user) {
  const User& row = users_[index(user)];
  float* const z = vectors_.data() + index(user) * padded();
  std::copy_n(user_rows_.weights(index(user)), padded(), z);
  add_history(row, z);
  const float part = trust(row);
  for (std::size_t k = 0; k < padded(); ++k) z[k] *= part;
}

Whereabouts Learner::whereabouts(const User& user) const {
  Whereabouts where;
  for (std::size_t at = user.past.size(); at-- > 0 && where.count < Whereabouts::kMost;) {
    const std::size_t item = index(user.past.item(at));
    if (!alive(user.past, at) || items_[item].tile == Atlas::kNowhere) continue;
    for (std::size_t c = 0; c < 3; ++c) where.points[where.count][c] = points_[c][item];
    ++where.count;
  }
  return where;
}

// --- Scores as they are served ---

float Learner::score(UserIx user, ItemIx item) const {
  float out = 0.0F;
  score_some(user, std::span(&item, 1), std::span(&out, 1));
  return out;
}

void Learner::score_some(UserIx user, std::span<const ItemIx> items, std::span<float> out) const {
  if (!knows(user)) {
    for (std::size_t n = 0; n < items.size(); ++n) {
      const std::size_t j = index(items[n]);
      out[n] = !has(items[n]) ? 0.0F : options_.bias ? biases_[j] : popularity_[j];
    }
    return;
  }
  constexpr std::size_t kAtOnce = 64;
  const User& row = users_[index(user)];
  const Whereabouts where = has_distances() ? whereabouts(row) : Whereabouts{};
  std::array<const float*, kAtOnce> rows;
  for (std::size_t begin = 0; begin < items.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, items.size() - begin);
    for (std::size_t n = 0; n < count; ++n) {
      const ItemIx item = items[begin + n];
      rows[n] = has(item) ? item_rows_.weights(index(item)) : vector(user);
      out[begin + n] = has(item) ? biases_[index(item)] : 0.0F;
    }
    kernels().score_rows(vector(user), options_.rank, rows.data(), count, &out[begin]);
    for (std::size_t n = begin; n < begin + count; ++n) {
      if (!has(items[n])) {
        out[n] = 0.0F;
        continue;
      }
      const std::uint32_t tile = items_[index(items[n])].tile;
      const float influence =
          tile == Atlas::kNowhere ? 0.0F : influence_on(atlas_.tile(tile), row.activity, stencil_);
      out[n] = with_terms(row, where, items[n], influence, out[n]);
    }
  }
}

float Learner::with_terms(const User& user, const Whereabouts& where, ItemIx item, float influence,
                          float sum) const {
  const std::size_t j = index(item);
  if (items_[j].tile != Atlas::kNowhere) {
    sum += influence;
    if (where.count > 0) {
      const Squares to = squares_of(points_, j, where);
      sum += context_.weight(Context::distance_bin(to.last));
      sum += context_.weight(Context::kNear + Context::distance_bin(to.nearest));
    }
  }
  if (!options_.revisits || !context_.knows_visits()) return sum;
  const std::size_t at = find(user.past, item);
  if (at == user.past.size()) return sum;
  Context::Lit lit;
  Context::light_visits(lit, user.past.visits(at).count, at + 1 == user.past.size());
  return sum + context_.score(lit);
}

void Learner::score_all(UserIx user, std::span<float> out) const {
  const std::size_t count = std::min(out.size(), items_.size());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), 0.0F);
  const std::vector<float>& known_of_items = options_.bias ? biases_ : popularity_;
  if (!knows(user)) {
    std::copy_n(known_of_items.begin(), count, out.begin());
    return;
  }
  const User& row = users_[index(user)];
  sum_all(vector(user), out.first(count));
  if (!atlas_.empty()) {
    std::vector<float> field;
    if (!row.activity.empty()) field = atlas_.spread(row.activity, stencil_);
    const Whereabouts where = options_.distance ? whereabouts(row) : Whereabouts{};
    constexpr std::size_t kRun = 512;  // which stays in the cache
    for (std::size_t begin = 0; begin < count; begin += kRun) {
      add_places(field, where, begin, out.subspan(begin, std::min(kRun, count - begin)));
    }
  }
  if (!options_.revisits || !context_.knows_visits()) return;
  for (std::size_t at = 0; at < row.past.size(); ++at) {
    const std::size_t item = index(row.past.item(at));
    if (!alive(row.past, at) || item >= count) continue;
    Context::Lit lit;
    Context::light_visits(lit, row.past.visits(at).count, at + 1 == row.past.size());
    out[item] += context_.score(lit);
  }
}

// By blocks, and by their rows what moved since.
void Learner::sum_all(const float* z, std::span<float> out) const {
  const std::size_t whole = out.size() / kBlockItems, rest = out.size() % kBlockItems;
  kernels().score_blocks(z, options_.rank, blocks_.block(0), whole, out.data());
  if (rest > 0) {
    std::array<float, kBlockItems> last;
    kernels().score_blocks(z, options_.rank, blocks_.block(whole), 1, last.data());
    std::copy_n(last.begin(), rest, out.end() - static_cast<std::ptrdiff_t>(rest));
  }
  for (const std::uint32_t item : blocks_.moved()) {
    if (item >= out.size()) continue;
    const float* const v = item_rows_.weights(item);
    out[item] = biases_[item];
    kernels().score_rows(z, options_.rank, &v, 1, &out[item]);
  }
}

// To a run of items, at most 512, what their places add: the influence, then the distances.
void Learner::add_places(std::span<const float> field, const Whereabouts& where, std::size_t begin,
                         std::span<float> out) const {
  constexpr std::size_t kMost = 512;
  assert(out.size() <= kMost);
  const Item* const items = &items_[begin];
  for (std::size_t n = 0; n < out.size() && !field.empty(); ++n) {
    if (items[n].tile != Atlas::kNowhere) out[n] += field[items[n].tile];
  }
  if (where.count == 0) return;
  float last[kMost], near[kMost];
  const Points at{&points_[0][begin], &points_[1][begin], &points_[2][begin]};
  kernels().nearest(at, out.size(), where.points, 1, last);
  kernels().nearest(at, out.size(), where.points, where.count, near);
  for (std::size_t n = 0; n < out.size(); ++n) {
    if (items[n].tile == Atlas::kNowhere) continue;
    out[n] += context_.weight(Context::distance_bin(last[n]));
    out[n] += context_.weight(Context::kNear + Context::distance_bin(near[n]));
  }
}

// --- Scores while an outcome is learned ---

void Learner::score_touches(UserIx user, std::span<Touch> touches) {
  std::array<const float*, kMostTouched> rows;
  std::array<float, kMostTouched> dots;
  for (std::size_t n = 0; n < touches.size(); ++n) {
    rows[n] = item_rows_.weights(index(touches[n].item));
  }
  kernels().dots(x_.data(), rows.data(), touches.size(), padded(), dots.data());
  for (std::size_t n = 0; n < touches.size(); ++n) {
    touches[n].score = dots[n] + biases_[index(touches[n].item)];
  }
  const User& row = users_[index(user)];
  if (options_.revisits || where_.count > 0) light(row, touches);
  if (atlas_.empty()) return;
  for (Touch& touch : touches) {
    const std::uint32_t tile = items_[index(touch.item)].tile;
    if (tile == Atlas::kNowhere) continue;
    touch.score += influence_on(atlas_.tile(tile), row.activity, stencil_);
  }
}

void Learner::light(const User& user, std::span<Touch> touches) {
  for (Touch& touch : touches) {
    const std::size_t j = index(touch.item);
    touch.lit = {};
    if (where_.count > 0 && items_[j].tile != Atlas::kNowhere) {
      const Squares to = squares_of(points_, j, where_);
      Context::light_distances(touch.lit, to.last, to.nearest);
    }
    if (options_.revisits && !is_unseen(user.past, touch.item)) {
      const std::size_t at = user.past.find(touch.item);
      Context::light_visits(touch.lit, user.past.visits(at).count, at + 1 == user.past.size());
    }
    touch.score += context_.score(touch.lit);
  }
}

// --- What an outcome can be compared with ---

bool Learner::is_unseen(const Past& past, ItemIx item) const {
  const std::uint32_t life = items_[index(item)].life;
  if (life == 0) return true;
  const std::size_t at = past.find(item);
  return at == past.size() || past.visits(at).life != life;
}

std::vector<ItemIx> Learner::visited(UserIx user) const {
  std::vector<ItemIx> items;
  if (!has(user)) return items;
  const Past& past = users_[index(user)].past;
  for (std::size_t at = 0; at < past.size(); ++at) {
    if (alive(past, at)) items.push_back(past.item(at));
  }
  return items;
}

// Uniform over the items that are there, outside the past.
std::optional<ItemIx> Learner::draw_one(const Past& past, ItemIx but, Draws& draws) const {
  for (int tries = 0; tries < kTries; ++tries) {
    const ItemIx item{draws.below(static_cast<std::uint32_t>(items_.size()))};
    if (item != but && items_[index(item)].here && is_unseen(past, item)) return item;
  }
  return std::nullopt;
}

std::optional<Learner::Touch> Learner::draw_hardest(UserIx user, Touch& liked, Draws& draws) {
  const Past& past = users_[index(user)].past;
  drawn_[0] = liked;
  std::size_t count = 1;
  while (count <= options_.draws) {
    const auto item = draw_one(past, liked.item, draws);
    if (!item) break;
    drawn_[count++] = Touch{*item};
  }
  if (count == 1) return std::nullopt;
  score_touches(user, std::span(drawn_).first(count));
  liked = drawn_[0];
  std::size_t hardest = 1;
  for (std::size_t n = 2; n < count; ++n) {
    if (drawn_[n].score > drawn_[hardest].score) hardest = n;
  }
  return drawn_[hardest];
}

std::optional<ItemIx> Learner::draw_liked(const User& user, ItemIx but, Draws& draws) const {
  if (user.past.empty()) return std::nullopt;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::size_t at = draws.below(static_cast<std::uint32_t>(user.past.size()));
    if (user.past.item(at) != but && alive(user.past, at)) return user.past.item(at);
  }
  return std::nullopt;
}

std::vector<ItemIx> Learner::draw_unseen(UserIx user, ItemIx item, std::size_t count,
                                         Draws draws) const {
  const Past& past = users_[index(user)].past;
  std::vector<ItemIx> drawn;
  while (drawn.size() < count) {
    const auto other = draw_one(past, item, draws);
    if (!other) break;
    drawn.push_back(*other);
  }
  return drawn;
}

}  // namespace headroom
