// What one event costs, and one user's scores, at the size of ML-100K and of a large catalogue.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "headroom/model/learner.hpp"

using namespace headroom;

namespace {

struct World {
  World(const LearnerOptions& options, std::uint32_t users, std::uint32_t items)
      : learner(options, watch) {
    for (std::uint32_t i = 0; i < users; ++i) learner.add(UserIx{i});
    for (std::uint32_t j = 0; j < items; ++j) {
      learner.add(ItemIx{j});
      Draws draws(1, Purpose::kWorld, j);
      learner.place(ItemIx{j},
                    Position{1.2 + 0.2 * draws.uniform(), 103.7 + 0.2 * draws.uniform()});
    }
  }
  RowWatch watch;
  Learner learner;
};

// Outcomes as real ones are: few items have most of the likes.
struct Outcome {
  UserIx user;
  ItemIx item;
};
std::vector<Outcome> outcomes(std::uint32_t users, std::uint32_t items) {
  std::vector<Outcome> out;
  for (std::uint64_t n = 0; n < 100'000; ++n) {
    Draws draws(2, Purpose::kWorld, n);
    const double popular = draws.uniform();
    out.push_back({UserIx{draws.below(users)},
                   ItemIx{static_cast<std::uint32_t>(popular * popular * items)}});
  }
  return out;
}

LearnerOptions options_of(const benchmark::State& state) {
  LearnerOptions options = bare_learner(static_cast<Method>(state.range(0)));
  options.negatives = static_cast<unsigned>(state.range(1));
  return options;
}

void like(benchmark::State& state) {
  const auto users = static_cast<std::uint32_t>(state.range(2));
  const auto items = static_cast<std::uint32_t>(state.range(3));
  const std::vector<Outcome> events = outcomes(users, items);
  World world(options_of(state), users, items);
  std::uint64_t place = 0;
  for (auto _ : state) {
    const auto& [user, item] = events[place % events.size()];
    world.learner.like(user, item, 1.0F, 1.0F, place);
    ++place;
  }
  state.SetItemsProcessed(state.iterations());
}

void score_all(benchmark::State& state) {
  const auto users = static_cast<std::uint32_t>(state.range(2));
  const auto items = static_cast<std::uint32_t>(state.range(3));
  World world(options_of(state), users, items);
  std::uint64_t place = 0;
  for (const auto& [user, item] : outcomes(users, items)) {
    world.learner.like(user, item, 1.0F, 1.0F, ++place);
  }
  world.learner.line_up();
  std::vector<float> scores(items);
  std::uint32_t next = 0;
  for (auto _ : state) {
    world.learner.score_all(UserIx{++next % users}, scores);
    benchmark::DoNotOptimize(scores.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * items);
}

constexpr auto kPmf = static_cast<int>(Method::kPmf), kBpr = static_cast<int>(Method::kBpr),
               kGeoBpr = static_cast<int>(Method::kGeoBpr);

}  // namespace

// Method, negatives, users, items.
BENCHMARK(like)
    ->Args({kBpr, 1, 943, 1'682})
    ->Args({kBpr, 8, 943, 1'682})
    ->Args({kPmf, 1, 943, 1'682})
    ->Args({kGeoBpr, 1, 943, 1'682})
    ->Args({kBpr, 1, 100'000, 100'000});
BENCHMARK(score_all)
    ->Args({kBpr, 1, 943, 1'682})
    ->Args({kGeoBpr, 1, 943, 1'682})
    ->Args({kBpr, 1, 1'000, 100'000});

BENCHMARK_MAIN();
