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
  check(positive(options.step), "step is above 0");
  check(not_negative(options.l2), "l2 is at least 0");
  check(not_negative(options.start_deviation), "start_deviation is at least 0");
  check(not_negative(options.start_squares), "start_squares is at least 0");
  check(options.negatives <= 64, "negatives is 0 to 64");
  check(options.mini_batch >= 1, "mini_batch is at least 1");
  check(options.level_of_detail >= 1 && options.level_of_detail <= 23,
        "level_of_detail is 1 to 23");
  check(positive(options.kernel_width) && not_negative(options.kernel_cut) &&
            options.kernel_width * options.kernel_cut <= 64.0F,
        "kernel_width is above 0, kernel_cut at least 0, and both together reach 64 tiles at most");
  return options;
}

}  // namespace

Learner::Learner(const LearnerOptions& options, RowWatch& watch)
    : options_(checked(options)),
      watch_(watch),
      adagrad_{.step = options.step},
      stencil_(options.level_of_detail, options.kernel_width, options.kernel_cut),
      user_rows_(options.rank),
      item_rows_(options.rank),
      user_gradient_(user_rows_.padded()),
      user_sums_(user_rows_.padded()),
      item_sums_(item_rows_.padded()) {}

Learner::User& Learner::room_for(UserIx user) {
  if (index(user) >= users_.size()) {
    users_.resize(index(user) + 1);
    user_rows_.resize(users_.size());
  }
  return users_[index(user)];
}

Learner::Item& Learner::room_for(ItemIx item) {
  if (index(item) >= items_.size()) {
    items_.resize(index(item) + 1);
    item_rows_.resize(items_.size());
    popularity_.resize(items_.size());
  }
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
  room_for(item).here = true;
  item_rows_.start(index(item), options_.start_deviation, options_.start_squares,
                   Draws(options_.seed, Purpose::kItemStart, index(item)));
}

// The last row is always one that is there: so the range that negatives are drawn from is a matter
// of the rows alone, and the same after they were saved and loaded.
void Learner::erase(UserIx user) {
  if (!has(user)) return;
  flush();
  watch_.changing(user);
  users_[index(user)] = {};
  user_rows_.clear(index(user));
  while (!users_.empty() && !users_.back().here) users_.pop_back();
  user_rows_.resize(users_.size());
}

void Learner::erase(ItemIx item) {
  if (!has(item)) return;
  flush();
  watch_.changing(item);
  move_to(items_[index(item)], std::nullopt);
  items_[index(item)] = {};
  item_rows_.clear(index(item));
  popularity_[index(item)] = 0.0F;
  while (!items_.empty() && !items_.back().here) items_.pop_back();
  item_rows_.resize(items_.size());
  popularity_.resize(items_.size());
}

void Learner::place(ItemIx item, std::optional<Position> position) {
  assert(has(item));
  if (!geographic()) return;
  const bool known = position && std::isfinite(position->lat) && std::isfinite(position->lon);
  watch_.changing(item);
  move_to(items_[index(item)],
          known ? std::optional(tile_of(position->lat, position->lon, stencil_.level()))
                : std::nullopt);
}

void Learner::move_to(Item& item, std::optional<Tile> tile) {
  if (item.tile != Atlas::kNowhere) atlas_.leave(item.tile);
  item.tile = tile ? atlas_.enter(*tile) : Atlas::kNowhere;
}

void Learner::save(UserIx user, ByteWriter& to) const {
  assert(has(user));
  const User& row = users_[index(user)];
  user_rows_.save(index(user), to);
  to.put(row.known);
  to.put_all(std::span<const ItemIx>(row.past));
  to.put_all(std::span<const std::uint32_t>(row.past_lives));
  to.put_all(std::span<const ActiveTile>(row.activity));
}

void Learner::save(ItemIx item, ByteWriter& to) const {
  assert(has(item));
  const Item& row = items_[index(item)];
  const bool placed = row.tile != Atlas::kNowhere;
  item_rows_.save(index(item), to);
  to.put(row.likes);
  to.put(row.life);
  to.put(placed);
  to.put(placed ? atlas_.tile(row.tile) : Tile{0, 0});
}

void Learner::load(UserIx user, ByteReader& from) {
  User& row = room_for(user);
  row.here = true;
  user_rows_.restore(index(user), from);
  row.known = from.get<bool>();
  row.past = from.get_all<ItemIx>();
  row.past_lives = from.get_all<std::uint32_t>();
  row.activity = from.get_all<ActiveTile>();
  const auto fit = [](const ActiveTile& a) {
    return std::isfinite(a.activity) && std::isfinite(a.squares);
  };
  const auto before = [](const ActiveTile& a, const ActiveTile& b) { return a.key < b.key; };
  if (row.past.size() != row.past_lives.size() ||
      !std::all_of(row.activity.begin(), row.activity.end(), fit) ||
      !std::is_sorted(row.activity.begin(), row.activity.end(), before)) {
    throw Error("the state store: a user's row is damaged");
  }
  // The options may remember less than those that saved it did.
  const std::size_t more = row.past.size() - std::min<std::size_t>(row.past.size(), options_.past);
  row.past.erase(row.past.begin(), row.past.begin() + static_cast<std::ptrdiff_t>(more));
  row.past_lives.erase(row.past_lives.begin(),
                       row.past_lives.begin() + static_cast<std::ptrdiff_t>(more));
}

void Learner::load(ItemIx item, ByteReader& from) {
  Item& row = room_for(item);
  row.here = true;
  item_rows_.restore(index(item), from);
  row.likes = from.get<double>();
  row.life = from.get<std::uint32_t>();
  popularity_[index(item)] = static_cast<float>(std::log1p(row.likes));
  const bool placed = from.get<bool>();
  const Tile tile = from.get<Tile>();
  move_to(row, placed ? std::optional(tile) : std::nullopt);
}

}  // namespace headroom
