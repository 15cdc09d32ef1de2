#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/ratings.hpp"
#include "support/numbered.hpp"

namespace headroom::test {

struct Rated {
  std::uint32_t item;
  float stars = 1.0F;
};

// Ratings by hand: a row for each user, its items in rising order. With `stars` the values count.
inline sim::Ratings ratings_of(const std::vector<std::vector<Rated>>& rows, std::size_t items,
                               bool stars = false) {
  sim::Ratings ratings;
  ratings.has_stars = stars;
  ratings.start.push_back(0);
  for (std::size_t j = 0; j < items; ++j) ratings.items.push_back(numbered("i", j));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ratings.users.push_back(numbered("u", i));
    for (const Rated& one : rows[i]) {
      ratings.item.push_back(one.item);
      ratings.value.push_back(one.stars);
    }
    ratings.start.push_back(static_cast<std::uint32_t>(ratings.item.size()));
  }
  return ratings;
}

// One user's row: `count` items from `first` on.
inline std::vector<Rated> run_of(std::uint32_t first, std::uint32_t count) {
  std::vector<Rated> row;
  for (std::uint32_t n = 0; n < count; ++n) row.push_back({first + n});
  return row;
}

}  // namespace headroom::test
