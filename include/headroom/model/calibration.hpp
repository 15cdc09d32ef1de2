#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "headroom/base/bytes.hpp"

namespace headroom {

// Turns a score into a chance: that this user, listening, is glad of this item more than of the
// others beside it. A logistic of two parameters, learned online by Newton steps whose memory
// fades, since scores grow while taste is learned.
//
// What it learns from: the item that was followed against the others of its list. Until there are
// kEnough followed lists a liked item against uniform draws stands in for them; over the next
// kEnough it gives way.
class Calibration {
 public:
  static constexpr std::uint64_t kEnough = 1'000;
  static constexpr std::size_t kListed = 10;  // items that stand beside each other in a stand-in

  // The weight of a stand-in now, in [0, 1]; that of a followed list is the rest.
  float stand_in_weight() const;

  // `scores` of what stood beside each other, the chosen one first; `weight` in [0, 1].
  void observe(std::span<const float> scores, float weight);
  // The same for a list that was followed; it counts towards kEnough.
  void observe_followed(std::span<const float> scores);

  // Never falls as the score rises.
  float chance(float score) const;
  float logit(float score) const;  // the same before the logistic
  // Never below chance(), not far above it, and found without an exponential.
  float most_chance(float score) const;
  // A score up to which every chance is below this one; nearly the highest such score.
  float score_below(float chance) const;
  // The same for the chance of this score, found without a logarithm, mostly.
  float score_below(float chance, float of) const;
  // Scores from score_below() on rise by more than this times what their chances rise.
  float rise_above(float chance) const;

  void save(ByteWriter& to) const;
  void load(ByteReader& from);  // throws Error if it is not finite

 private:
  double intercept_ = -2.2, slope_ = 1.0;       // 1 of 10 at score 0
  double h00_ = 10.0, h01_ = 0.0, h11_ = 10.0;  // the fading sums of second derivatives
  std::uint64_t followed_ = 0;
};

}  // namespace headroom
