#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "headroom/demand/capacity_loss.hpp"
#include "simulator/batch_training.hpp"

namespace headroom::test {

// The paper's objective and its training once more, as the formulas stand, in double and with plain
// loops. Shares no arithmetic with the code under test; only finite differences give its gradients.
class Naive {
 public:
  using Matrix = std::vector<std::vector<double>>;
  Matrix u, v, x;  // x is dense here

  Naive(const sim::Problem& problem, const sim::BatchSettings& settings, const Factors& start)
      : problem_(problem), settings_(settings) {
    const std::size_t users = problem.training.users, items = problem.training.items;
    for (std::size_t i = 0; i < users; ++i) {
      const auto row = start.users.begin() + static_cast<std::ptrdiff_t>(i * start.rank);
      u.emplace_back(row, row + static_cast<std::ptrdiff_t>(start.rank));
    }
    for (std::size_t j = 0; j < items; ++j) {
      const auto row = start.items.begin() + static_cast<std::ptrdiff_t>(j * start.rank);
      v.emplace_back(row, row + static_cast<std::ptrdiff_t>(start.rank));
    }
    if (problem.geography == nullptr) return;
    x.assign(users, std::vector<double>(problem.geography->influence.size()));
    for (std::size_t i = 0; i < users; ++i) {
      for (std::size_t a = start.activity_start[i]; a < start.activity_start[i + 1]; ++a) {
        x[i][start.activity_tile[a]] = start.activity[a];
      }
    }
  }

  double score(std::size_t i, std::size_t j) const {
    double total = 0.0;
    for (std::size_t k = 0; k < u[i].size(); ++k) total += u[i][k] * v[j][k];
    if (problem_.geography == nullptr) return total;
    for (const auto& [tile, weight] :
         problem_.geography->influence.row(problem_.geography->item_tile[j])) {
      total += x[i][tile] * static_cast<double>(weight);
    }
    return total;
  }

  double objective() const {
    const double alpha = settings_.alpha;
    return (1.0 - alpha) * accuracy() + alpha * capacity() +
           static_cast<double>(settings_.l2) * (squares(u) + squares(v) + squares(x));
  }

 private:
  double accuracy() const {
    const sim::ObservationSet& set = problem_.training;
    double total = 0.0;
    for (std::size_t i = 0; i < set.users; ++i) {
      if (!settings_.pairs) {
        for (std::size_t o = set.start[i]; o < set.start[i + 1]; ++o) {
          total += std::pow(set.target[o] - score(i, set.item[o]), 2) /
                   static_cast<double>(set.item.size());
        }
        continue;
      }
      const auto liked = set.liked_by(i), disliked = set.disliked_by(i);
      for (const auto a : liked) {
        for (const auto b : disliked) {
          total += std::log1p(std::exp(score(i, b) - score(i, a))) /
                   static_cast<double>(liked.size() * disliked.size() * set.users);
        }
      }
    }
    return total;
  }

  double capacity() const {
    double total = 0.0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      double usage = 0.0;
      for (std::size_t i = 0; i < u.size(); ++i) {
        usage +=
            static_cast<double>(problem_.listen_propensity[i]) / (1.0 + std::exp(-score(i, j)));
      }
      const double excess =
          (usage - static_cast<double>(problem_.capacity[j])) / settings_.temperature;
      switch (settings_.loss) {
        case CapacityLoss::kLogistic:
          total += std::log1p(std::exp(excess));
          break;
        case CapacityLoss::kExponential:
          total += std::exp(excess);
          break;
        case CapacityLoss::kHinge:
          total += std::max(excess, 0.0);
          break;
      }
    }
    return total / static_cast<double>(v.size());
  }

  static double squares(const Matrix& m) {
    double total = 0.0;
    for (const auto& row : m) {
      for (const double w : row) total += w * w;
    }
    return total;
  }

  sim::Problem problem_;
  sim::BatchSettings settings_;
};

}  // namespace headroom::test
