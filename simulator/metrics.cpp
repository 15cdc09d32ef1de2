#include "simulator/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "headroom/rank/top_n.hpp"

namespace headroom::sim {
namespace {

UserIx user_at(std::size_t i) { return UserIx{static_cast<std::uint32_t>(i)}; }

std::vector<float> scores_of(const Factors& factors, std::size_t user) {
  std::vector<float> scores(factors.item_count());
  factors.score_run(user_at(user), ItemIx{0}, scores);
  return scores;
}

// The mean over the users for whom `measure` gives a number. Summed in the order of users.
template <class Measure>
double mean_over_users(std::size_t users, Workers& workers, const Measure& measure) {
  std::vector<double> value(users);
  workers.each(users, [&](std::size_t i) { value[i] = measure(i); });
  double total = 0.0;
  std::size_t count = 0;
  for (const double v : value) {
    if (std::isnan(v)) continue;
    total += v;
    ++count;
  }
  return count == 0 ? NAN : total / static_cast<double>(count);
}

double average_precision(std::span<const ItemIx> list, std::span<const std::uint32_t> liked,
                         std::size_t top) {
  double total = 0.0;
  std::size_t hits = 0;
  for (std::size_t r = 0; r < std::min(top, list.size()); ++r) {
    const auto item = static_cast<std::uint32_t>(list[r]);
    if (std::find(liked.begin(), liked.end(), item) == liked.end()) continue;
    ++hits;
    total += static_cast<double>(hits) / static_cast<double>(r + 1);
  }
  return total / static_cast<double>(std::min(top, liked.size()));
}

}  // namespace

double gini_of(std::vector<std::uint32_t> shown) {
  std::sort(shown.begin(), shown.end());
  double weighted = 0.0, total = 0.0;
  for (std::size_t r = 0; r < shown.size(); ++r) {
    weighted += static_cast<double>(2 * r + 1) * shown[r];
    total += shown[r];
  }
  const auto count = static_cast<double>(shown.size());
  return total == 0.0 ? 0.0 : weighted / (count * total) - 1.0;
}

Lists make_lists(const Factors& factors, const Split& split, Candidates candidates,
                 const Cutoff* cutoff, Workers& workers) {
  Lists lists(split.train.users);
  workers.each(lists.size(), [&](std::size_t i) {
    const std::vector<float> scores = scores_of(factors, i);
    const bool catalogue = candidates == Candidates::kCatalogue;
    std::vector<bool> candidate(scores.size(), catalogue);
    for (const std::uint32_t j : catalogue ? split.known(i) : split.test.of_user(i)) {
      candidate[j] = !catalogue;
    }
    const auto allowed = [&](ItemIx item) {
      return candidate[index(item)] &&
             (cutoff == nullptr || cutoff->admits(user_at(i), item, scores[index(item)]));
    };
    for (const Scored& best : top_n(scores, kLongest, allowed)) lists[i].push_back(best.item);
  });
  return lists;
}

double rmse(const Factors& factors, const ObservationSet& set, Over over, Workers& workers) {
  const double mean = mean_over_users(set.users, workers, [&](std::size_t i) {
    const auto seen = over == Over::kLiked ? set.liked_by(i) : set.of_user(i);
    if (seen.empty()) return std::nan("");
    const std::vector<float> scores = scores_of(factors, i);
    double total = 0.0;
    for (std::size_t n = 0; n < seen.size(); ++n) {
      const double miss = scores[seen[n]] - set.target[set.start[i] + n];
      total += miss * miss;
    }
    return total / static_cast<double>(seen.size());
  });
  return std::sqrt(mean);
}

double pairwise_loss(const Factors& factors, const ObservationSet& set, Workers& workers) {
  return mean_over_users(set.users, workers, [&](std::size_t i) {
    const auto liked = set.liked_by(i), disliked = set.disliked_by(i);
    if (liked.empty() || disliked.empty()) return std::nan("");
    const std::vector<float> scores = scores_of(factors, i);
    std::vector<float> below;
    for (const std::uint32_t j : liked) below.push_back(scores[j]);
    std::sort(below.begin(), below.end());
    double wrong = 0.0;
    for (const std::uint32_t j : disliked) {
      wrong += static_cast<double>(std::upper_bound(below.begin(), below.end(), scores[j]) -
                                   below.begin());
    }
    return wrong / (static_cast<double>(liked.size()) * static_cast<double>(disliked.size()));
  });
}

double capacity_loss(const std::vector<float>& usage, const std::vector<float>& capacity,
                     CapacityLoss loss, float temperature) {
  double total = 0.0;
  for (std::size_t j = 0; j < usage.size(); ++j) {
    if (!std::isfinite(capacity[j])) continue;  // nothing is too many
    total += headroom::loss(loss, usage[j] - capacity[j], temperature);
  }
  return total / static_cast<double>(usage.size());
}

ListMetrics measure_lists(const Lists& lists, std::size_t top, const Split& split,
                          const std::vector<float>& listen_propensity,
                          const std::vector<float>& capacity) {
  const std::size_t items = capacity.size();
  ListMetrics out;
  std::vector<double> followers(items);
  std::vector<std::uint32_t> shown(items);
  double users = 0.0, weight = 0.0, sent = 0.0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const double p = listen_propensity[i];
    for (std::size_t r = 0; r < std::min(top, lists[i].size()); ++r) {
      followers[index(lists[i][r])] += p;
      ++shown[index(lists[i][r])];
      sent += p;
    }
    const auto liked = split.test.liked_by(i);
    if (liked.empty()) continue;
    const double precision = average_precision(lists[i], liked, top);
    out.ap += precision;
    out.wap += p * precision;
    users += 1.0;
    weight += p;
  }
  out.ap /= std::max(users, 1.0);
  out.wap = weight > 0.0 ? out.wap / weight : 0.0;
  double beyond = 0.0;
  for (std::size_t j = 0; j < items; ++j) {
    out.wmcv += followers[j] >= capacity[j] ? 1.0 : 0.0;
    beyond += std::max(0.0, followers[j] - capacity[j]);
    out.coverage += shown[j] > 0 ? 1.0 : 0.0;
  }
  out.wmcv /= static_cast<double>(items);
  out.wmcv_amount = beyond / static_cast<double>(items);
  out.coverage /= static_cast<double>(items);
  out.congestion = sent > 0.0 ? beyond / sent : 0.0;
  out.gini = gini_of(std::move(shown));
  return out;
}

}  // namespace headroom::sim
