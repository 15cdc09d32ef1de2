#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/model/adagrad.hpp"

namespace headroom {

// A point on the globe, in metres from its middle.
using Point = std::array<float, 3>;
inline constexpr double kEarthRadius = 6'371'000.0;
Point point_of(const Position& position);

// Where a user was: the newest liked places, the last one first.
struct Whereabouts {
  static constexpr std::size_t kMost = 16;
  float points[kMost][3];
  std::size_t count = 0;
};

// What an item is to a user beside taste: how far from the last place, how far from the nearest of
// the last places, how often visited, and whether it is the last one itself. Each is one of a few
// weights that all users share; an item lights at most four of them.
class Context {
 public:
  static constexpr std::size_t kDistances = 40, kVisits = 9;
  static constexpr std::size_t kNear = kDistances, kVisited = 2 * kDistances,
                               kLast = kVisited + kVisits, kWeights = kLast + 1;

  class Lit {
   public:
    void add(std::size_t weight) { at_[count_++] = static_cast<std::uint8_t>(weight); }
    const std::uint8_t* begin() const { return at_; }
    const std::uint8_t* end() const { return at_ + count_; }

   private:
    std::uint8_t at_[4] = {};
    std::uint8_t count_ = 0;
  };

  explicit Context(float start_squares) { squares_.fill(start_squares); }

  // Bins are half octaves of the distance: its square's exponent. All below a metre is one.
  static std::size_t distance_bin(float square);
  static void light_distances(Lit& lit, float to_last, float to_nearest) {
    lit.add(distance_bin(to_last));
    lit.add(kNear + distance_bin(to_nearest));
  }
  static void light_visits(Lit& lit, std::uint32_t visits, bool last);

  float score(const Lit& lit) const {
    float total = 0.0F;
    for (const std::uint8_t at : lit) total += weights_[at];
    return total;
  }
  float weight(std::size_t at) const { return weights_[at]; }

  // A revisit was learned from: until then visits say nothing.
  bool knows_visits() const { return weights_[kVisited] != 0.0F; }

  // Gradients of an outcome, then one step of what they touched.
  void pull(const Lit& lit, float pull) {
    for (const std::uint8_t at : lit) {
      if (gradients_[at] == 0.0F) pulled_.push_back(at);
      gradients_[at] += pull;
    }
  }
  bool pulled() const { return !pulled_.empty(); }
  void step(const Adagrad& adagrad);

  void save(ByteWriter& to) const;
  void load(ByteReader& from);  // throws Error if they are not finite

 private:
  std::array<float, kWeights> weights_{}, squares_{}, gradients_{};
  std::vector<std::uint8_t> pulled_;  // what has a gradient; one may be in it twice
};

}  // namespace headroom
