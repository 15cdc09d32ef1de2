#include "headroom/demand/taste_groups.hpp"

#include <algorithm>
#include <functional>

namespace headroom {
namespace {

constexpr std::size_t kGroups = TasteGroups::kGroups;

// Vectors of at most 2,048 users, evenly from the whole crowd: enough to find 16 middles.
std::vector<float> some_vectors(const Crowd& crowd, std::size_t rank, const UserVector& vector) {
  constexpr std::size_t kMost = 2048;
  const std::size_t stride = (crowd.size() + kMost - 1) / kMost;
  std::vector<float> rows;
  for (std::size_t n = 0; n < crowd.size(); n += stride) {
    const float* const z = vector(crowd[n].user);
    if (z != nullptr) rows.insert(rows.end(), z, z + rank);
  }
  return rows;
}

// In double: a covariance is a small difference of sums where the mean is far from 0. Whole rows of
// the square rather than its lower half: they fill registers.
void add_moments(const double* z, double weight, std::size_t rank, double* first, double* second) {
  for (std::size_t k = 0; k < rank; ++k) {
    const double weighed = weight * z[k];
    first[k] += weighed;
    double* const row = second + k * rank;
    for (std::size_t l = 0; l < rank; ++l) row[l] += weighed * z[l];
  }
}

void add_to(CrowdSums& sums, std::span<const Counted> part, const TasteGroups& groups,
            std::size_t rank, const UserVector& vector) {
  const std::vector<float> none(rank);
  std::vector<double> z(rank);
  for (const auto& [user, weight] : part) {
    const float* const known = vector(user);
    const float* const from = known != nullptr ? known : none.data();
    std::copy_n(from, rank, z.begin());
    GroupSums& group = sums[groups.of(from)];
    group.weight += static_cast<double>(weight);
    add_moments(z.data(), static_cast<double>(weight), rank, group.first.data(),
                group.second.data());
  }
}

void add_to(CrowdSums& sums, const CrowdSums& others) {
  for (std::size_t g = 0; g < kGroups; ++g) {
    sums[g].weight += others[g].weight;
    std::transform(sums[g].first.begin(), sums[g].first.end(), others[g].first.begin(),
                   sums[g].first.begin(), std::plus<>());
    std::transform(sums[g].second.begin(), sums[g].second.end(), others[g].second.begin(),
                   sums[g].second.begin(), std::plus<>());
  }
}

}  // namespace

TasteGroups::TasteGroups(const Crowd& crowd, std::span<const float> metric, std::size_t rank,
                         const UserVector& vector)
    : rank_(rank), toward_(rank * kGroups) {
  constexpr int kRounds = 6;
  const std::vector<float> rows = some_vectors(crowd, rank, vector);
  const std::size_t count = rank == 0 ? 0 : rows.size() / rank;
  if (count == 0) return;
  std::vector<double> middles(kGroups * rank);
  for (std::size_t g = 0; g < kGroups; ++g) {
    std::copy_n(&rows[g * count / kGroups * rank], rank, &middles[g * rank]);
  }
  place(metric, middles);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> sums(kGroups * rank);
    std::array<double, kGroups> members{};
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t g = of(&rows[n * rank]);
      members[g] += 1.0;
      for (std::size_t k = 0; k < rank; ++k) {
        sums[g * rank + k] += static_cast<double>(rows[n * rank + k]);
      }
    }
    for (std::size_t n = 0; n < sums.size(); ++n) {
      if (members[n / rank] > 0.0) middles[n] = sums[n] / members[n / rank];
    }
    place(metric, middles);
  }
}

void TasteGroups::place(std::span<const float> metric, std::span<const double> middles) {
  for (std::size_t g = 0; g < kGroups; ++g) {
    const std::span<const double> middle = middles.subspan(g * rank_, rank_);
    double far = 0.0;
    for (std::size_t k = 0; k < rank_; ++k) {
      double toward = 0.0;
      for (std::size_t l = 0; l < rank_; ++l) {
        toward += static_cast<double>(metric[k * rank_ + l]) * middle[l];
      }
      toward_[k * kGroups + g] = static_cast<float>(toward);
      far += toward * middle[k] / 2.0;
    }
    far_[g] = static_cast<float>(far);
  }
}

CrowdSums sum_groups(const Crowd& crowd, const TasteGroups& groups, std::size_t rank,
                     const UserVector& vector, Workers& workers) {
  // A function of the crowd only, so that sums are the same on any number of threads.
  constexpr std::size_t kLeast = 4096, kMostParts = 64;
  const std::size_t size = std::max(kLeast, (crowd.size() + kMostParts - 1) / kMostParts);
  CrowdSums none;
  none.fill({0.0, std::vector<double>(rank), std::vector<double>(rank * rank)});
  std::vector<CrowdSums> parts((crowd.size() + size - 1) / size, none);
  workers.each(parts.size(), [&](std::size_t at) {
    const auto part = std::span(crowd).subspan(at * size);
    add_to(parts[at], part.first(std::min(size, part.size())), groups, rank, vector);
  });
  CrowdSums sums = none;
  for (const CrowdSums& part : parts) add_to(sums, part);
  return sums;
}

}  // namespace headroom
