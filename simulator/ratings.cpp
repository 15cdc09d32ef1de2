#include "simulator/ratings.hpp"

#include <algorithm>
#include <cmath>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

constexpr std::uint32_t kGone = UINT32_MAX;

struct Pair {
  std::uint32_t user;
  std::uint32_t item;
  float value;
};

// Distinct pairs, ordered by user and item; of a repeated pair the last value stays.
std::vector<Pair> distinct_pairs(const Dataset& data) {
  std::vector<Pair> pairs;
  pairs.reserve(data.interactions.size());
  for (const Interaction& one : data.interactions) {
    pairs.push_back(
        {static_cast<std::uint32_t>(one.user), static_cast<std::uint32_t>(one.item), one.value});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return a.user != b.user ? a.user < b.user : a.item < b.item;
  });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const bool last = at + 1 == pairs.size() || pairs[at + 1].user != pairs[at].user ||
                      pairs[at + 1].item != pairs[at].item;
    if (last) pairs[kept++] = pairs[at];
  }
  pairs.resize(kept);
  return pairs;
}

void filter_jointly(std::vector<Pair>& pairs, const Dataset& data, std::size_t min_count) {
  std::vector<std::size_t> of_user(data.users.size()), of_item(data.items.size());
  for (const Pair& pair : pairs) {
    ++of_user[pair.user];
    ++of_item[pair.item];
  }
  std::erase_if(pairs, [&](const Pair& pair) {
    return of_user[pair.user] < min_count || of_item[pair.item] < min_count;
  });
}

// Numbers what is left, in the order of the data set, and names it.
std::vector<std::uint32_t> renumber(const std::vector<bool>& left,
                                    const std::vector<std::string>& names,
                                    std::vector<std::string>& kept) {
  std::vector<std::uint32_t> number(names.size(), kGone);
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (!left[at]) continue;
    number[at] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(names[at]);
  }
  return number;
}

Geography geography_of(const Dataset& data, const std::vector<std::uint32_t>& item_number,
                       std::size_t items, const PrepareOptions& options) {
  const auto known = [](const Place& place) {
    return std::isfinite(place.lat) && std::isfinite(place.lon);
  };
  std::vector<Tile> tiles;
  for (const Place& place : data.places) {
    if (known(place)) tiles.push_back(tile_of(place.lat, place.lon, options.level));
  }
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());

  Influence influence(tiles, options.width);
  std::vector<std::uint32_t> item_tile(items, influence.nowhere());
  for (std::size_t j = 0; j < data.places.size(); ++j) {
    if (item_number[j] == kGone || !known(data.places[j])) continue;
    const Tile tile = tile_of(data.places[j].lat, data.places[j].lon, options.level);
    const auto at = std::lower_bound(tiles.begin(), tiles.end(), tile);
    item_tile[item_number[j]] = static_cast<std::uint32_t>(at - tiles.begin());
  }
  return {std::move(tiles), std::move(item_tile), std::move(influence)};
}

void check(const Ratings& ratings, const Dataset& data, const PrepareOptions& options) {
  const std::size_t min_count = options.min_count;
  const std::string filtered =
      min_count > 1 ? " after the filter of " + std::to_string(min_count) : std::string();
  if (ratings.users.size() < 2) {
    throw Error(data.name + ": at least two users are needed, it has " +
                std::to_string(ratings.users.size()) + filtered);
  }
  if (ratings.items.size() < 2) {
    throw Error(data.name + ": at least two items are needed, it has " +
                std::to_string(ratings.items.size()) + filtered);
  }
  if (min_count > 1 || !options.to_split) return;
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    if (ratings.of_user(i).size() > 1) continue;
    throw Error(data.name + ": user '" + ratings.users[i] +
                "' has one rating, which cannot be split into a training and a test half; "
                "--min-count 2 leaves such users out");
  }
}

}  // namespace

std::vector<std::uint32_t> Ratings::raters() const {
  std::vector<std::uint32_t> count(items.size());
  for (const std::uint32_t j : item) ++count[j];
  return count;
}

std::size_t Ratings::users_with_one() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < users.size(); ++i) count += of_user(i).size() == 1 ? 1 : 0;
  return count;
}

Ratings prepare(const Dataset& data, const PrepareOptions& options) {
  std::vector<Pair> pairs = distinct_pairs(data);
  filter_jointly(pairs, data, options.min_count);

  std::vector<bool> user_left(data.users.size()), item_left(data.items.size());
  for (const Pair& pair : pairs) user_left[pair.user] = item_left[pair.item] = true;
  Ratings ratings;
  const auto user_number = renumber(user_left, data.users, ratings.users);
  const auto item_number = renumber(item_left, data.items, ratings.items);

  ratings.has_stars = data.has_stars;
  ratings.start.assign(ratings.users.size() + 1, 0);
  for (const Pair& pair : pairs) {
    ++ratings.start[user_number[pair.user] + 1];
    ratings.item.push_back(item_number[pair.item]);
    ratings.value.push_back(pair.value);
  }
  for (std::size_t i = 0; i < ratings.users.size(); ++i) ratings.start[i + 1] += ratings.start[i];

  if (!data.places.empty()) {
    ratings.geography = geography_of(data, item_number, ratings.items.size(), options);
    for (std::size_t j = 0; j < data.places.size(); ++j) {
      if (item_number[j] != kGone) ratings.places.push_back(data.places[j]);
    }
  }
  check(ratings, data, options);
  return ratings;
}

}  // namespace headroom::sim
