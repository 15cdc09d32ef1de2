#include <algorithm>

#include "headroom/demand/taste_groups.hpp"
#include "headroom/demand/usage.hpp"

namespace headroom {

UsageSizes sizes_of(const UsageInput& input) {
  const auto rows = input.listen.first(std::min(input.users, input.listen.size()));
  const auto counted = std::count_if(rows.begin(), rows.end(), [](float p) { return p > 0.0F; });
  return {static_cast<std::size_t>(counted), input.items, input.rank};
}

double recompute_work(const UsageSizes& sizes) {
  return static_cast<double>(sizes.counted) * static_cast<double>(sizes.items);
}

// In operations on a float: a pair takes a product for each coordinate and 14 for its sigmoid, the
// group of a user a product for each coordinate and group, its moments one for each pair of
// coordinates, and an item for each group two of these and five sigmoids with their derivatives.
// Measured at rank 16, the pairs of an audit, whose items lie apart, take three times as long, and
// what is done once for a user, in double, five times.
double estimate_work(const UsageSizes& sizes, std::size_t sample, std::size_t audited) {
  constexpr double kSigmoid = 14.0, kFit = 5.0 * (kSigmoid + 6.0);
  constexpr double kApart = 3.0, kOnce = 5.0;
  constexpr auto kGroups = static_cast<double>(TasteGroups::kGroups);
  const auto counted = static_cast<double>(sizes.counted), items = static_cast<double>(sizes.items);
  const auto rank = static_cast<double>(sizes.rank), drawn = static_cast<double>(sample);
  const double per_pair = rank + kSigmoid;
  const double per_user = kOnce * (kGroups * rank + rank * (rank + 3.0));
  const double per_item = kGroups * (rank * (rank + 3.0) + kFit);
  const double audits = kApart * std::min(static_cast<double>(audited), items);
  return drawn * items + counted * audits +
         ((counted + drawn) * per_user + items * per_item) / per_pair;
}

Usage refresh_usage(const UsageInput& input, const UsageOptions& options, std::size_t sample,
                    UsageKey key, Workers& workers) {
  const UsageSizes sizes = sizes_of(input);
  sample = std::clamp(sample, options.sample, std::max(options.sample, options.most_sample));
  const double whole = recompute_work(sizes);
  const double part = estimate_work(sizes, sample, options.audited);
  Usage usage;
  usage.next_sample = sample;
  if (whole <= static_cast<double>(options.most_exact) || whole <= part) {
    usage.values = recompute_usage(input, workers);
    usage.work = whole;
    return usage;
  }
  usage.values = estimate_usage(input, sample, key, workers);
  usage.how = UsageHow::kEstimated;
  usage.sample = sample;
  usage.error = audit_usage(input, usage.values, options.audited, key, workers);
  usage.work = part;
  // The error falls with the root of the sample: below a third of the budget, half of the sample
  // would do with a margin that the noise of an audit does not reach.
  if (!(usage.error <= options.budget)) {
    usage.next_sample = std::min(2 * sample, std::max(options.sample, options.most_sample));
  } else if (usage.error < options.budget / 3.0F) {
    usage.next_sample = std::max(sample / 2, options.sample);
  }
  return usage;
}

}  // namespace headroom
