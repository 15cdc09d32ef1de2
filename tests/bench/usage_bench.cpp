// Expected usage, recomputed beside estimated and audited, in one run on one core: CPU time, work
// in pairs, the true error and the audited one, for a population as made and after each of five
// shocks. A plain program: what it measures takes seconds.
//
// Where all pairs would take minutes, the truth is of 2,000 random items, and the time of
// recomputing is that of every hundredth user with all items, times a hundred.
//
// Usage: bench_usage [USERS ITEMS]

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <vector>

#include "headroom/demand/usage.hpp"
#include "support/taste.hpp"

namespace headroom {
namespace {

constexpr std::size_t kRank = 16;

template <class Work>
double cpu_seconds(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

std::vector<ItemIx> random_items(std::size_t items, std::size_t count) {
  std::vector<ItemIx> chosen(items);
  for (std::size_t j = 0; j < items; ++j) chosen[j] = ItemIx{static_cast<std::uint32_t>(j)};
  Draws(5, Purpose::kWorld, 9).shuffle_first(std::span(chosen), count);
  chosen.resize(count);
  return chosen;
}

// The same users with these items only.
UsageInput only(const UsageInput& input, const std::vector<ItemIx>& items) {
  UsageInput some = input;
  some.items = items.size();
  some.score_run = nullptr;
  some.score_all = [&](UserIx user, std::span<float> out) { input.score_some(user, items, out); };
  some.item_vector = [&](ItemIx item) { return input.item_vector(items[index(item)]); };
  some.item_bias = [&](ItemIx item) { return input.item_bias(items[index(item)]); };
  return some;
}

struct Exact {
  std::vector<float> values;  // of the looked-at items
  double seconds;             // for all pairs
};

Exact recompute_all(const Taste& taste, Workers& workers) {
  Exact exact;
  exact.seconds = cpu_seconds([&] { exact.values = recompute_usage(taste.input(), workers); });
  return exact;
}

Exact recompute_parts(const Taste& taste, const std::vector<ItemIx>& items, Workers& workers) {
  constexpr std::size_t kEvery = 100;
  const UsageInput all = taste.input();
  Exact exact;
  exact.values = recompute_usage(only(all, items), workers);
  std::vector<float> listen(taste.user_count());
  for (std::size_t i = 0; i < listen.size(); i += kEvery) listen[i] = taste.listen[i];
  UsageInput some = all;
  some.listen = listen;
  exact.seconds = kEvery * cpu_seconds([&] { recompute_usage(some, workers); });
  return exact;
}

void measure(std::size_t users, std::size_t items) {
  Workers workers(1);
  const Taste made(users, items, kRank, 1);
  const bool whole = recompute_work({users, items, kRank}) <= 4e9;
  const std::vector<ItemIx> looked_at = random_items(items, whole ? items : 2'000);
  std::printf("%zu users, %zu items, rank %zu\n", users, items, kRank);
  std::printf("  %-14s %12s %12s %10s %8s %9s %9s\n", "", "recomputed", "estimated", "audited",
              "ratio", "error", "audited");
  double exact_seconds = 0.0, estimate_seconds = 0.0, worst = 0.0;
  for (const Shock shock : kShocks) {
    Taste taste = made;
    taste.suffer(shock, 2);
    const Exact exact =
        whole ? recompute_all(taste, workers) : recompute_parts(taste, looked_at, workers);
    const UsageKey key{3, static_cast<std::uint64_t>(shock)};
    const UsageOptions options;
    std::vector<float> estimated, seen;
    float audited = 0.0F;
    const double estimating = cpu_seconds(
        [&] { estimated = estimate_usage(taste.input(), options.sample, key, workers); });
    const double auditing = cpu_seconds(
        [&] { audited = audit_usage(taste.input(), estimated, options.audited, key, workers); });
    if (whole) {
      seen = estimated;
    } else {
      for (const ItemIx item : looked_at) seen.push_back(estimated[index(item)]);
    }
    const double error = relative_error(seen, exact.values);
    std::printf("  %-14s %10.4f s %10.4f s %8.4f s %7.1fx %7.2f %% %7.2f %%\n", word(shock),
                exact.seconds, estimating, auditing, exact.seconds / (estimating + auditing),
                100.0 * error, 100.0 * static_cast<double>(audited));
    std::fflush(stdout);
    exact_seconds += exact.seconds;
    estimate_seconds += estimating + auditing;
    worst = std::max(worst, error);
  }
  const UsageSizes sizes{users, items, kRank};
  const double work = estimate_work(sizes, UsageOptions{}.sample, UsageOptions{}.audited);
  std::printf(
      "  %.1f times less CPU time, %.1f times less work in pairs (%.3g of %.3g); worst "
      "error %.2f %%\n",
      exact_seconds / estimate_seconds, recompute_work(sizes) / work, work, recompute_work(sizes),
      100.0 * worst);
  const bool exact = recompute_work(sizes) <= static_cast<double>(UsageOptions{}.most_exact);
  std::printf("  a refresh %s here\n\n", exact ? "recomputes" : "estimates");
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc == 3) {
    headroom::measure(std::strtoul(argv[1], nullptr, 10), std::strtoul(argv[2], nullptr, 10));
    return 0;
  }
  headroom::measure(943, 1'682);
  headroom::measure(100'000, 20'000);
  headroom::measure(1'000'000, 100'000);
  return 0;
}
