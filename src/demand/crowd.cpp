#include "headroom/demand/crowd.hpp"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

// Sums of a part of the crowd: weight * z, then for each k weight * z_k * (z_0 .. z_k) in a square.
// In double: the covariance is a small difference of them where the mean is far from 0.
void add_moments(std::span<const Counted> part, std::size_t rank, const UserVector& vector,
                 double* sums) {
  std::vector<double> z(rank);
  double* const squares = sums + rank;
  for (const auto& [user, weight] : part) {
    const float* const from = vector(user);
    if (from == nullptr) continue;
    std::copy_n(from, rank, z.begin());
    for (std::size_t k = 0; k < rank; ++k) {
      const double weighed = static_cast<double>(weight) * z[k];
      sums[k] += weighed;
      for (std::size_t l = 0; l <= k; ++l) squares[k * rank + l] += weighed * z[l];
    }
  }
}

// Cholesky's factor in place of the lower triangle. Fewer users than coordinates leave directions
// without variance: a pivot that is lost in rounding is none, and its column 0.
void factorise(std::vector<double>& matrix, std::size_t rank) {
  double most = 0.0;
  for (std::size_t k = 0; k < rank; ++k) most = std::max(most, matrix[k * rank + k]);
  const double least = most * 1e-10;
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t l = k; l < rank; ++l) {
      double& at = matrix[l * rank + k];
      for (std::size_t n = 0; n < k; ++n) at -= matrix[l * rank + n] * matrix[k * rank + n];
    }
    const double pivot = matrix[k * rank + k];
    const double scale = pivot > least ? 1.0 / std::sqrt(pivot) : 0.0;
    for (std::size_t l = k; l < rank; ++l) matrix[l * rank + k] *= scale;
  }
}

}  // namespace

Crowd counted_of(std::span<const float> listen) {
  Crowd crowd;
  for (std::size_t i = 0; i < listen.size(); ++i) {
    if (listen[i] > 0.0F) crowd.push_back({UserIx{static_cast<std::uint32_t>(i)}, listen[i]});
  }
  return crowd;
}

double weight_of(const Crowd& crowd) {
  double total = 0.0;
  for (const Counted& counted : crowd) total += static_cast<double>(counted.weight);
  return total;
}

Crowd sample_of(const Crowd& crowd, std::size_t size, Draws draws) {
  Crowd sample;
  if (crowd.empty() || size == 0) return sample;
  const double part = weight_of(crowd) / static_cast<double>(size);
  std::size_t at = 0;
  double passed = static_cast<double>(crowd[0].weight);
  for (std::size_t n = 0; n < size; ++n) {
    const double point = (static_cast<double>(n) + draws.uniform()) * part;
    while (passed <= point && at + 1 < crowd.size()) {
      passed += static_cast<double>(crowd[++at].weight);
    }
    const UserIx user = crowd[at].user;
    if (sample.empty() || sample.back().user != user) sample.push_back({user, 0.0F});
    sample.back().weight += 1.0F;
  }
  return sample;
}

Moments::Moments(const Crowd& crowd, std::size_t rank, const UserVector& vector, Workers& workers)
    : mean_(rank), factor_(rank * rank) {
  constexpr std::size_t kUsersInPart = 1024;  // a constant: sums are the same on any threads
  const std::size_t parts = (crowd.size() + kUsersInPart - 1) / kUsersInPart;
  const std::size_t width = rank + rank * rank;
  std::vector<double> sums((parts + 1) * width);
  workers.each(parts, [&](std::size_t at) {
    const auto part = std::span(crowd).subspan(at * kUsersInPart);
    add_moments(part.first(std::min(kUsersInPart, part.size())), rank, vector,
                &sums[(at + 1) * width]);
  });
  for (std::size_t at = 1; at <= parts; ++at) {
    for (std::size_t n = 0; n < width; ++n) sums[n] += sums[at * width + n];
  }

  const double total = weight_of(crowd);
  if (total <= 0.0) return;
  std::vector<double> mean(rank), covariance(rank * rank);
  for (std::size_t k = 0; k < rank; ++k) mean[k] = sums[k] / total;
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      covariance[k * rank + l] = sums[rank + k * rank + l] / total - mean[k] * mean[l];
    }
  }
  factorise(covariance, rank);
  std::transform(mean.begin(), mean.end(), mean_.begin(),
                 [](double x) { return static_cast<float>(x); });
  std::transform(covariance.begin(), covariance.end(), factor_.begin(),
                 [](double x) { return static_cast<float>(x); });
}

}  // namespace headroom
