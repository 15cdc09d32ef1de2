#include "headroom/demand/usage.hpp"

#include <algorithm>
#include <cmath>

#include "headroom/base/lanes.hpp"
#include "headroom/demand/crowd.hpp"
#include "headroom/demand/usage_control.hpp"
#include "headroom/demand/usage_kernels.hpp"

namespace headroom {
namespace {

using Score = std::function<void(UserIx, std::span<float>)>;

ItemIx item_ix(std::size_t item) { return ItemIx{static_cast<std::uint32_t>(item)}; }

Crowd counted(const UsageInput& input) {
  return counted_of(input.listen.first(std::min(input.users, input.listen.size())));
}

std::size_t parts_of(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

// Sum over the crowd of weight * sigmoid(score), for each of `width` scores. Partial sums of 128
// users in float, which round to 1e-5 at worst, are added in double in their order. Only so many
// parts are held at once as fit into 16 MB, or one for each thread.
std::vector<double> sum_chances(std::span<const Counted> crowd, std::size_t width,
                                const Score& score, Workers& workers) {
  constexpr std::size_t kUsersInPart = 128, kItemsInPart = 4096, kFloats = std::size_t{1} << 22;
  std::vector<double> totals(width);
  if (width == 0 || crowd.empty()) return totals;
  const std::size_t row = parts_of(width, 16) * 16;
  const std::size_t parts = parts_of(crowd.size(), kUsersInPart);
  const std::size_t at_once = std::min(parts, std::max(workers.threads(), kFloats / (2 * row)));
  AlignedFloats sums(at_once * row), scores(at_once * row);
  for (std::size_t first = 0; first < parts; first += at_once) {
    const std::size_t held = std::min(at_once, parts - first);
    std::fill(sums.begin(), sums.end(), 0.0F);
    workers.each(held, [&](std::size_t at) {
      const auto part = crowd.subspan((first + at) * kUsersInPart);
      const std::span out(&scores[at * row], width);
      for (const auto& [user, weight] : part.first(std::min(kUsersInPart, part.size()))) {
        score(user, out);
        add_chances(out.data(), width, weight, &sums[at * row]);
      }
    });
    workers.each(parts_of(width, kItemsInPart), [&](std::size_t at) {
      const std::size_t begin = at * kItemsInPart, end = std::min(width, begin + kItemsInPart);
      for (std::size_t part = 0; part < held; ++part) {
        for (std::size_t j = begin; j < end; ++j) {
          totals[j] += static_cast<double>(sums[part * row + j]);
        }
      }
    });
  }
  return totals;
}

std::vector<ItemIx> draw_items(const UsageInput& input, std::size_t count, UsageKey key) {
  std::vector<ItemIx> items;
  for (std::size_t j = 0; j < input.items; ++j) {
    if (input.item_vector(item_ix(j)) != nullptr) items.push_back(item_ix(j));
  }
  count = std::min(count, items.size());
  Draws(key.seed, Purpose::kAudit, key.refresh).shuffle_first(std::span(items), count);
  items.resize(count);
  return items;
}

}  // namespace

std::vector<float> recompute_usage(const UsageInput& input, Workers& workers) {
  const std::vector<double> totals =
      sum_chances(counted(input), input.items, input.score_all, workers);
  std::vector<float> values(input.items);
  for (std::size_t j = 0; j < input.items; ++j) {
    if (input.item_vector(item_ix(j)) != nullptr) values[j] = static_cast<float>(totals[j]);
  }
  return values;
}

std::vector<float> estimate_usage(const UsageInput& input, std::size_t size, UsageKey key,
                                  Workers& workers) {
  std::vector<float> values(input.items);
  const Crowd crowd = counted(input);
  const Crowd sample = sample_of(crowd, size, Draws(key.seed, Purpose::kUsage, key.refresh));
  if (sample.empty()) return values;
  const std::vector<float> controls = control_usage(input, crowd, sample, workers);
  const std::vector<double> totals = sum_chances(sample, input.items, input.score_all, workers);
  const double weight = weight_of(crowd);
  for (std::size_t j = 0; j < input.items; ++j) {
    if (input.item_vector(item_ix(j)) == nullptr) continue;
    const double share = totals[j] / static_cast<double>(size) + static_cast<double>(controls[j]);
    values[j] = static_cast<float>(weight * std::clamp(share, 0.0, 1.0));
  }
  return values;
}

float audit_usage(const UsageInput& input, std::span<const float> values, std::size_t count,
                  UsageKey key, Workers& workers) {
  const std::vector<ItemIx> items = draw_items(input, count, key);
  const auto score = [&](UserIx user, std::span<float> out) { input.score_some(user, items, out); };
  const std::vector<double> truths = sum_chances(counted(input), items.size(), score, workers);
  double squares = 0.0;
  for (std::size_t n = 0; n < items.size(); ++n) {
    if (truths[n] <= 0.0) continue;
    const double error = static_cast<double>(values[index(items[n])]) / truths[n] - 1.0;
    squares += error * error;
  }
  return items.empty() ? 0.0F
                       : static_cast<float>(std::sqrt(squares / static_cast<double>(items.size())));
}

}  // namespace headroom
