#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/workers.hpp"

namespace headroom {

// Expected usage E_j = sum over users i of p_i sigmoid(r_ij), before any factor that turns it into
// people.

// What it is computed from. All functions are pure and may be called by several threads at once.
struct UsageInput {
  std::size_t users = 0, items = 0, rank = 0;  // rows, of which some may not be there
  std::span<const float> listen;               // p by user row; 0: not there, or not counted
  std::function<void(UserIx, std::span<float>)> score_all;  // all items
  // Optional: the same from an item on, a multiple of 16. Many users are then scored against a few
  // items that stay in the cache; for a caller to whom it costs little to start with a user again.
  std::function<void(UserIx, ItemIx, std::span<float>)> score_run;
  std::function<void(UserIx, std::span<const ItemIx>, std::span<float>)> score_some;  // these items
  // r_ij = b_j + z_i . v_j + other, smaller parts. A vector has `rank` floats, which need to stay
  // only until the same thread asks again. No vector: the user's is 0; the item is not there.
  std::function<const float*(UserIx)> user_vector;
  std::function<const float*(ItemIx)> item_vector;
  std::function<float(ItemIx)> item_bias;
};

// Draws are a function of this: the run's seed, and which refresh it is.
struct UsageKey {
  std::uint64_t seed = 0, refresh = 0;
};

// All that follow are the same, bit for bit, on any number of threads. An item that is not there
// has usage 0.

// Every pair: within 1e-4 of the definition.
std::vector<float> recompute_usage(const UsageInput& input, Workers& workers);

// The difference estimator: over a sample drawn in proportion to p what a quadratic in the user's
// vector leaves of each chance, plus that quadratic over all users, which follows from their
// moments. The quadratic is fitted to groups of users of like taste; however badly it fits, the
// mean over many samples is the truth but for what the choice of groups by the sample adds, which
// is far below the error of one.
std::vector<float> estimate_usage(const UsageInput& input, std::size_t sample, UsageKey key,
                                  Workers& workers);

// The root of the mean squared relative error of some items drawn at random, each recomputed over
// all users.
float audit_usage(const UsageInput& input, std::span<const float> values, std::size_t items,
                  UsageKey key, Workers& workers);

struct UsageOptions {
  std::size_t most_exact = 10'000'000;  // pairs; up to so many are always recomputed
  std::size_t sample = 2'048;           // users, at first and at least
  std::size_t most_sample = 65'536;
  std::size_t audited = 64;  // items
  float budget = 0.012F;     // of the audited error
};

struct UsageSizes {
  std::size_t counted = 0, items = 0, rank = 0;  // counted: users with p > 0
};

UsageSizes sizes_of(const UsageInput& input);

// What it costs in (user, item) pairs scored, or as many pairs as take the same time.
double recompute_work(const UsageSizes& sizes);
double estimate_work(const UsageSizes& sizes, std::size_t sample, std::size_t audited);

enum class UsageHow { kExact, kEstimated };

struct Usage {
  std::vector<float> values;
  UsageHow how = UsageHow::kExact;
  std::size_t sample = 0;       // users drawn; 0 if exact
  float error = 0.0F;           // as audited; 0 if exact
  double work = 0.0;            // in pairs, a function of sizes only
  std::size_t next_sample = 0;  // to be handed in at the next refresh
};

// Exact where that is cheap, else estimated and audited. An error over budget doubles the sample of
// the next refresh, until to recompute is cheaper; one far below halves it again. `sample` is
// next_sample of the refresh before, or 0 at the first.
Usage refresh_usage(const UsageInput& input, const UsageOptions& options, std::size_t sample,
                    UsageKey key, Workers& workers);

}  // namespace headroom
