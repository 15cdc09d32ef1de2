#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "headroom/base/workers.hpp"
#include "headroom/demand/capacity_loss.hpp"
#include "headroom/model/factors.hpp"
#include "headroom/rank/cutoff.hpp"
#include "simulator/split.hpp"

namespace headroom::sim {

// The list lengths that the paper reports.
inline constexpr std::array<std::size_t, 3> kTops = {1, 5, 10};
inline constexpr std::size_t kLongest = kTops.back();

// Top-N lists by user, best first.
using Lists = std::vector<std::vector<ItemIx>>;

// What lists are made of: the whole catalogue less what the user is known to have, as a recommender
// does; or the user's test items only, liked and not, as ranking quality is often measured.
enum class Candidates { kCatalogue, kTestItems };

// The best kLongest candidates of each user; with a cutoff only those that admit it.
Lists make_lists(const Factors& factors, const Split& split, Candidates candidates,
                 const Cutoff* cutoff, Workers& workers);

// Root of the mean over users of the mean squared error.
enum class Over { kLiked, kAll };
double rmse(const Factors& factors, const ObservationSet& set, Over over, Workers& workers);

// The mean over users of the share of (disliked, liked) pairs in the wrong order.
double pairwise_loss(const Factors& factors, const ObservationSet& set, Workers& workers);

// The mean over items of the surrogate at E_j - c_j.
double capacity_loss(const std::vector<float>& usage, const std::vector<float>& capacity,
                     CapacityLoss loss, float temperature);

// Of how often each item is shown: 0 all alike, 1 all on one.
double gini_of(std::vector<std::uint32_t> shown);

// What the first `top` places of all lists amount to.
struct ListMetrics {
  double ap = 0.0;           // mean of AP@top over users with a liked test item
  double wap = 0.0;          // the same, weighted by listen propensity
  double wmcv = 0.0;         // share of items whose expected followers reach the capacity
  double wmcv_amount = 0.0;  // expected followers beyond capacity, mean over items
  double gini = 0.0;         // see gini_of()
  double coverage = 0.0;     // share of items that are in some list
  double congestion = 0.0;   // share of all expected followers that is beyond capacity
};
ListMetrics measure_lists(const Lists& lists, std::size_t top, const Split& split,
                          const std::vector<float>& listen_propensity,
                          const std::vector<float>& capacity);

}  // namespace headroom::sim
