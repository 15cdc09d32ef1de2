#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "headroom/base/bytes.hpp"

namespace headroom {

// Which item of a list is the one that a listener chooses: a softmax over its rank and its logit
// (the calibrated score before the logistic), with two weights learned online from follows by
// Newton steps whose memory fades. Until there are kEnough follows the rank alone decides.
class ChoiceModel {
 public:
  static constexpr std::uint64_t kEnough = 100;

  // The share of each place, first to last; together 1.
  void shares(std::span<const float> logits, std::span<float> out) const;
  // The place that was followed, of a list with these logits.
  void observe(std::span<const float> logits, std::size_t followed);

  std::uint64_t follows() const { return follows_; }
  double rank_weight() const { return is_learned() ? rank_ : kFirstRank; }
  double logit_weight() const { return is_learned() ? logit_ : 0.0; }

  void save(ByteWriter& to) const;
  void load(ByteReader& from);  // throws Error if it is not finite

 private:
  static constexpr double kFirstRank = 1.1;

  bool is_learned() const { return follows_ >= kEnough; }

  double rank_ = kFirstRank, logit_ = 0.0;
  double h00_ = 10.0, h01_ = 0.0, h11_ = 10.0;  // the fading sums of second derivatives
  std::uint64_t follows_ = 0;
};

}  // namespace headroom
