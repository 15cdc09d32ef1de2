#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headroom/model/geography.hpp"
#include "simulator/dataset.hpp"

namespace headroom::sim {

// A data set as the paper's experiments take it: distinct pairs of users and items, filtered.
struct Ratings {
  std::vector<std::string> users;  // names
  std::vector<std::string> items;
  std::vector<std::uint32_t> start;  // by user, one more than users
  std::vector<std::uint32_t> item;   // ordered within a user
  std::vector<float> value;          // stars, or the last value of the pair
  bool has_stars = false;
  std::optional<Geography> geography;  // its tiles are those of all places, before the filter
  std::vector<Place> places;           // by item, with geography

  std::size_t size() const { return item.size(); }
  std::span<const std::uint32_t> of_user(std::size_t user) const {
    return std::span(item).subspan(start[user], start[user + 1] - start[user]);
  }
  std::vector<std::uint32_t> raters() const;  // by item: how many users rated it
  std::size_t users_with_one() const;         // rating, which can't be split
};

struct PrepareOptions {
  // The paper's filter: a pair stays when its user and its item both have at least this many
  // pairs, both counted before anything is removed.
  std::size_t min_count = 0;
  int level = 15;        // of detail of the map's tiles
  double width = 1.0;    // of the influence kernel, in tiles
  bool to_split = true;  // without a filter, no user may have a single pair
};

// Throws Error where too little is left to split: fewer than two users or items, or (without a
// filter) a user with a single pair.
Ratings prepare(const Dataset& data, const PrepareOptions& options);

}  // namespace headroom::sim
