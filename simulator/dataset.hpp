#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/time.hpp"

namespace headroom::sim {

// One rating or check-in as the file has it: `value` is stars, visits or 1.
struct Interaction {
  UserIx user;
  ItemIx item;
  float value = 1.0F;
  Time at{};
};

// A rating of at least this many stars is a like.
inline constexpr float kLikedStars = 4.0F;

// Degrees, WGS 84. NaN where an item's place is not known.
struct Place {
  double lat;
  double lon;
};

struct SourceFile {
  std::string path;
  std::string sha256;  // of the bytes on disk, as sha256sum prints it
};

// A data set as read, before any filter: names outside, dense indices inside.
struct Dataset {
  std::string name;
  std::vector<std::string> users;  // by UserIx, in order of first appearance in the files
  std::vector<std::string> items;  // by ItemIx, likewise

  // By `at`, then by the user's and the item's name (integers first, by number, then the others, by
  // bytes), then as the files have them. A set without any `at` stays in file order.
  std::vector<Interaction> interactions;

  std::vector<Place> places;                // by ItemIx; empty where the set has none
  std::vector<float> capacities;            // seats by ItemIx, infinite where not said; likewise
  std::vector<std::chrono::minutes> dwell;  // by ItemIx, 0 where not said; likewise
  bool has_time = false;                    // `at` is calendar time; if not, it is an order at best
  bool has_stars = false;                   // `value` is a rating of 1 to 5
  std::vector<SourceFile> sources;
  std::vector<std::string> warnings;  // one line each, for the user
  std::size_t skipped = 0;            // malformed lines passed with skip_bad
};

}  // namespace headroom::sim
