#include "headroom/rank/cutoff.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

namespace headroom {

// Items are taken in blocks: no more than 256 scores of each user are held at once.
Cutoff::Cutoff(const Factors& factors, const std::vector<float>& capacity, Workers& workers)
    : last_(capacity.size()) {
  constexpr std::size_t kItemsInBlock = 256;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::size_t users = factors.user_count();
  std::vector<float> scores(users * kItemsInBlock);
  for (std::size_t first = 0; first < capacity.size(); first += kItemsInBlock) {
    const std::size_t width = std::min(kItemsInBlock, capacity.size() - first);
    workers.each(users, [&](std::size_t i) {
      factors.score_run(UserIx{static_cast<std::uint32_t>(i)},
                        ItemIx{static_cast<std::uint32_t>(first)},
                        std::span(&scores[i * kItemsInBlock], width));
    });
    workers.each(width, [&](std::size_t at) {
      const float seats = capacity[first + at];
      if (seats >= static_cast<float>(users)) {
        last_[first + at] = {-kInfinity, 0};
        return;
      }
      if (seats < 1.0F) {
        last_[first + at] = {kInfinity, -1};
        return;
      }
      std::vector<Last> order(users);
      for (std::size_t i = 0; i < users; ++i) {
        order[i] = {scores[i * kItemsInBlock + at], static_cast<std::int64_t>(i)};
      }
      const auto last = order.begin() + static_cast<std::ptrdiff_t>(seats) - 1;
      std::nth_element(order.begin(), last, order.end(), [](const Last& a, const Last& b) {
        return a.score != b.score ? a.score > b.score : a.user < b.user;
      });
      last_[first + at] = *last;
    });
  }
}

float cutoff_score(std::span<float> sample, double share) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (!(share > 0.0)) return kInfinity;
  const double admitted = share * static_cast<double>(sample.size());
  if (share >= 1.0 || admitted >= static_cast<double>(sample.size())) return -kInfinity;
  // The first that is not admitted: its score is the threshold.
  const auto first_out = sample.begin() + static_cast<std::ptrdiff_t>(admitted);
  std::nth_element(sample.begin(), first_out, sample.end(), std::greater<>());
  return *first_out;
}

}  // namespace headroom
