#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "headroom/base/error.hpp"
#include "headroom/model/learner.hpp"

namespace headroom {
namespace {

void check(bool good, const char* what) {
  if (!good) throw Error(std::string("learner: ") + what);
}

LearnerOptions checked(const LearnerOptions& options) {
  const auto positive = [](float value) { return std::isfinite(value) && value > 0.0F; };
  const auto not_negative = [](float value) { return std::isfinite(value) && value >= 0.0F; };
  check(options.rank >= 1 && options.rank <= 256, "rank is 1 to 256");
  for (const float step : {options.user_step, options.item_step, options.bias_step,
                           options.history_step, options.tile_step, options.context_step}) {
    check(positive(step), "every step is above 0");
  }
  check(not_negative(options.l2), "l2 is at least 0");
  check(not_negative(options.bias_l2), "bias_l2 is at least 0");
  check(not_negative(options.start_deviation), "start_deviation is at least 0");
  check(not_negative(options.start_squares), "start_squares is at least 0");
  check(options.negatives <= 64, "negatives is 0 to 64");
  check(options.draws >= 1 && options.draws <= 64, "draws is 1 to 64");
  check(options.mini_batch >= 1, "mini_batch is at least 1");
  check(options.past >= 1, "past is at least 1");
  check(options.history <= 64, "history is 0 to 64");
  check(not_negative(options.caution), "caution is at least 0");
  check(options.level_of_detail >= 1 && options.level_of_detail <= 23,
        "level_of_detail is 1 to 23");
  check(positive(options.kernel_width) && not_negative(options.kernel_cut) &&
            options.kernel_width * options.kernel_cut <= 64.0F,
        "kernel_width is above 0, kernel_cut at least 0, and both together reach 64 tiles at most");
  check(options.tiles >= 1, "tiles is at least 1");
  return options;
}

}  // namespace

Learner::Learner(const LearnerOptions& options, RowWatch& watch)
    : options_(checked(options)),
      watch_(watch),
      stencil_(options.level_of_detail, options.kernel_width, options.kernel_cut),
      user_rows_(options.rank),
      item_rows_(options.rank),
      history_rows_(options.rank),
      blocks_(options.rank),
      context_(options.start_squares),
      x_(padded()),
      gathered_(padded()),
      user_sums_(padded()),
      item_sums_(padded()),
      bias_sums_(1) {
  constexpr double kDecay = 0.9, kPower = -0.75;
  double sum = 0.0;
  norm_.push_back(0.0F);
  for (unsigned age = 0; age < options.history; ++age) {
    decay_.push_back(static_cast<float>(std::pow(kDecay, age)));
    sum += std::pow(kDecay, age);
    norm_.push_back(static_cast<float>(std::pow(sum, kPower)));
  }
}

void Learner::resize_users(std::size_t count) {
  users_.resize(count);
  user_rows_.resize(count);
  vectors_.resize(count * padded());
}

void Learner::resize_items(std::size_t count) {
  items_.resize(count);
  item_rows_.resize(count);
  blocks_.resize(count);
  if (options_.history > 0) history_rows_.resize(count);
  biases_.resize(count);
  popularity_.resize(count);
  for (auto& coordinate : points_) coordinate.resize(count);
}

Learner::User& Learner::room_for(UserIx user) {
  if (index(user) >= users_.size()) resize_users(index(user) + 1);
  return users_[index(user)];
}

Learner::Item& Learner::room_for(ItemIx item) {
  if (index(item) >= items_.size()) resize_items(index(item) + 1);
  return items_[index(item)];
}

void Learner::add(UserIx user) {
  if (has(user)) return;
  watch_.changing(user);
  room_for(user).here = true;
  user_rows_.start(index(user), options_.start_deviation, options_.start_squares,
                   Draws(options_.seed, Purpose::kUserStart, index(user)));
}

void Learner::add(ItemIx item) {
  if (has(item)) return;
  watch_.changing(item);
  Item& row = room_for(item);
  row.here = true;
  row.bias_squares = options_.start_squares;
  item_rows_.start(index(item), options_.start_deviation, options_.start_squares,
                   Draws(options_.seed, Purpose::kItemStart, index(item)));
  blocks_.move(index(item));
  if (options_.history == 0) return;
  history_rows_.start(index(item), options_.start_deviation, options_.start_squares,
                      Draws(options_.seed, Purpose::kHistoryStart, index(item)));
}

// The last row is always one that is there: so the range that negatives are drawn from is a matter
// of the rows alone, and the same after they were saved and loaded.
void Learner::erase(UserIx user) {
  if (!has(user)) return;
  flush();
  watch_.changing(user);
  users_[index(user)] = {};
  user_rows_.clear(index(user));
  std::fill_n(vectors_.begin() + static_cast<std::ptrdiff_t>(index(user) * padded()), padded(),
              0.0F);
  std::size_t count = users_.size();
  while (count > 0 && !users_[count - 1].here) --count;
  resize_users(count);
}

void Learner::erase(ItemIx item) {
  if (!has(item)) return;
  flush();
  watch_.changing(item);
  move_to(item, std::nullopt, {});
  items_[index(item)] = {};
  item_rows_.clear(index(item));
  blocks_.move(index(item));
  if (options_.history > 0) history_rows_.clear(index(item));
  biases_[index(item)] = popularity_[index(item)] = 0.0F;
  std::size_t count = items_.size();
  while (count > 0 && !items_[count - 1].here) --count;
  resize_items(count);
}

void Learner::place(ItemIx item, std::optional<Position> position) {
  assert(has(item));
  if (!uses_geography(options_.method)) return;
  watch_.changing(item);
  if (position && std::isfinite(position->lat) && std::isfinite(position->lon)) {
    move_to(item, tile_of(position->lat, position->lon, stencil_.level()), point_of(*position));
  } else {
    move_to(item, std::nullopt, {});
  }
}

void Learner::move_to(ItemIx item, std::optional<Tile> tile, const Point& point) {
  Item& row = items_[index(item)];
  if (row.tile != Atlas::kNowhere) atlas_.leave(row.tile);
  row.tile = tile ? atlas_.enter(*tile) : Atlas::kNowhere;
  for (std::size_t c = 0; c < 3; ++c) points_[c][index(item)] = point[c];
}

void Learner::save(UserIx user, ByteWriter& to) const {
  assert(has(user));
  const User& row = users_[index(user)];
  user_rows_.save(index(user), to);
  to.put_all(std::span(vector(user), options_.rank));
  to.put(row.known);
  row.past.save(to);
  to.put_all(std::span<const ActiveTile>(row.activity));
}

void Learner::save(ItemIx item, ByteWriter& to) const {
  assert(has(item));
  const Item& row = items_[index(item)];
  const bool placed = row.tile != Atlas::kNowhere;
  item_rows_.save(index(item), to);
  if (options_.history > 0) history_rows_.save(index(item), to);
  to.put(biases_[index(item)]);
  to.put(row.bias_squares);
  to.put(row.likes);
  to.put(row.life);
  to.put(placed);
  if (!placed) return;
  to.put(atlas_.tile(row.tile));
  for (const auto& coordinate : points_) to.put(coordinate[index(item)]);
}

void Learner::load(UserIx user, ByteReader& from) {
  User& row = room_for(user);
  row.here = true;
  user_rows_.restore(index(user), from);
  const auto vector = from.get_all<float>();
  row.known = from.get<bool>();
  row.past.load(from, options_.past);  // which may be less than was remembered
  row.activity = from.get_all<ActiveTile>();
  const auto finite = [](float value) { return std::isfinite(value); };
  const auto fit = [](const ActiveTile& a) {
    return std::isfinite(a.activity) && std::isfinite(a.squares);
  };
  const auto before = [](const ActiveTile& a, const ActiveTile& b) { return a.key < b.key; };
  if (vector.size() != options_.rank || !std::all_of(vector.begin(), vector.end(), finite) ||
      !std::all_of(row.activity.begin(), row.activity.end(), fit) ||
      !std::is_sorted(row.activity.begin(), row.activity.end(), before)) {
    throw Error("the state store: a user's row is damaged");
  }
  std::copy(vector.begin(), vector.end(),
            vectors_.begin() + static_cast<std::ptrdiff_t>(index(user) * padded()));
}

void Learner::load(ItemIx item, ByteReader& from) {
  Item& row = room_for(item);
  row.here = true;
  item_rows_.restore(index(item), from);
  blocks_.move(index(item));
  if (options_.history > 0) history_rows_.restore(index(item), from);
  biases_[index(item)] = from.get<float>();
  row.bias_squares = from.get<float>();
  row.likes = from.get<double>();
  row.life = from.get<std::uint32_t>();
  popularity_[index(item)] = static_cast<float>(std::log1p(row.likes));
  if (!std::isfinite(biases_[index(item)]) || !std::isfinite(row.bias_squares)) {
    throw Error("the state store: an item's row is damaged");
  }
  if (!from.get<bool>()) return;
  const Tile tile = from.get<Tile>();
  Point point;
  for (float& coordinate : point) coordinate = from.get<float>();
  move_to(item, tile, point);
}

}  // namespace headroom
