#include "headroom/demand/usage.hpp"

#include <algorithm>
#include <cmath>

#include "headroom/base/kernels.hpp"
#include "headroom/base/lanes.hpp"
#include "headroom/demand/crowd.hpp"
#include "headroom/demand/usage_control.hpp"

namespace headroom {
namespace {

// Scores of a user, and from which of them on to give. In blocks of so many: then part after part
// of the items is scored for many users; or all at once.
struct Scores {
  std::function<void(UserIx, ItemIx, std::span<float>)> give;
  std::size_t width, block;
};

Scores all_scores(const UsageInput& input) {
  constexpr std::size_t kBlock = 1024;
  if (input.score_run) return {input.score_run, input.items, kBlock};
  const auto give = [&](UserIx user, ItemIx, std::span<float> out) { input.score_all(user, out); };
  return {give, input.items, input.items};
}

ItemIx item_ix(std::size_t item) { return ItemIx{static_cast<std::uint32_t>(item)}; }

Crowd counted(const UsageInput& input) {
  return counted_of(input.listen.first(std::min(input.users, input.listen.size())));
}

std::size_t parts_of(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

void add_part(std::span<const Counted> part, const Scores& scores, float* sums) {
  AlignedFloats block(std::min(scores.block, scores.width));
  for (std::size_t begin = 0; begin < scores.width; begin += block.size()) {
    const std::span out(block.data(), std::min(block.size(), scores.width - begin));
    for (const auto& [user, weight] : part) {
      scores.give(user, item_ix(begin), out);
      kernels().add_chances(out.data(), weight, out.size(), sums + begin);
    }
  }
}

// Sum over the crowd of weight * sigmoid(score), for each of the scores. Partial sums of 128
// users in float, which round to 1e-5 at worst, are added in double in their order. Only so many
// parts are held at once as fit into 16 MB, or one for each thread.
std::vector<double> sum_chances(std::span<const Counted> crowd, const Scores& scores,
                                Workers& workers) {
  constexpr std::size_t kUsersInPart = 128, kItemsInPart = 4096, kFloats = std::size_t{1} << 22;
  const std::size_t width = scores.width;
  std::vector<double> totals(width);
  if (width == 0 || crowd.empty()) return totals;
  const std::size_t row = parts_of(width, 16) * 16;
  const std::size_t parts = parts_of(crowd.size(), kUsersInPart);
  const std::size_t at_once = std::min(parts, std::max(workers.threads(), kFloats / row));
  AlignedFloats sums(at_once * row);
  for (std::size_t first = 0; first < parts; first += at_once) {
    const std::size_t held = std::min(at_once, parts - first);
    std::fill(sums.begin(), sums.end(), 0.0F);
    workers.each(held, [&](std::size_t at) {
      const auto part = crowd.subspan((first + at) * kUsersInPart);
      add_part(part.first(std::min(kUsersInPart, part.size())), scores, &sums[at * row]);
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
  const std::vector<double> totals = sum_chances(counted(input), all_scores(input), workers);
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
  const std::vector<double> totals = sum_chances(sample, all_scores(input), workers);
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
  const auto give = [&](UserIx user, ItemIx, std::span<float> out) {
    input.score_some(user, items, out);
  };
  const Scores scores{give, items.size(), items.size()};
  const std::vector<double> truths = sum_chances(counted(input), scores, workers);
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
