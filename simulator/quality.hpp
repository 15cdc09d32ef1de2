#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/workers.hpp"
#include "simulator/dataset.hpp"

namespace headroom::sim {

// The prequential protocol: every event is predicted first and learned then, in the order of time.

// What is judged. Scores are asked for by several threads at once, never while it learns.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual float score(UserIx user, ItemIx item) const = 0;
  virtual void score_all(UserIx user, std::span<float> by_item) const = 0;
  // The chance that an item of this score is the one chosen among ten; NaN: makes no such claim.
  virtual float chance(float /*score*/) const { return std::numeric_limits<float>::quiet_NaN(); }
  virtual void learn(std::span<const Interaction> batch) = 0;
};

struct Protocol {
  double batch_seconds = 0.0;  // events of a batch are all judged before any is learned; 0: singly
  bool hits = true;            // HR@10, for which the whole catalogue is scored at every event
  std::uint64_t seed = 1;      // of the negatives
};

// The share of pairs in the right order, and of positives among the best ten. NaN: no such event.
struct Judged {
  double auc = 0.0;
  double hr10 = 0.0;
};

struct Quality {
  std::size_t events = 0;
  std::size_t users = 0;  // with an event
  // Each user's events 2 to 5: something is known of the user, but not much.
  std::size_t early_events = 0;
  struct OfOne {
    Judged all, second_half, early;  // the second half of the stream's events
    // Of the chances of the second half's items, each among nine drawn ones: the mean distance
    // between chance and share of positives, over 20 bins of equal count. NaN: no chances.
    double calibration_error = 0.0;
  };
  std::vector<OfOne> of;  // by contender
};

using JudgeProgress = std::function<void(std::size_t events)>;

// Each event's item is set against one drawn uniformly from those that the user has not had so far
// (ties count half), and ranked in the catalogue less the user's past, ties broken at random; a
// revisit is ranked in the whole catalogue. The past is that of the stream, also where the
// contenders have not learned it yet because it is in the same batch.
Quality judge(const Dataset& data, std::span<const Interaction> stream,
              std::span<Contender* const> contenders, const Protocol& protocol, Workers& workers,
              const JudgeProgress& progress = {});

// Chances and whether they came true; the order of equals does not matter much.
struct Claim {
  float chance;
  bool true_one;
};
double calibration_error(std::vector<Claim> claims, std::size_t bins = 20);

// 1: in the right order, 0.5: tied.
double pair_won(float positive, float negative);

// The chance that `item` is among the best `top` if ties are broken at random; items of `left_out`,
// of which it is none, don't count.
double hit_chance(std::span<const float> scores, ItemIx item, std::span<const ItemIx> left_out,
                  std::size_t top);

}  // namespace headroom::sim
