#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "headroom/engine/engine.hpp"

namespace headroom {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBatch = 10'000;
constexpr Time kStart{std::chrono::hours(500'000)};

std::string numbered(const char* prefix, std::size_t number) {
  return std::string(prefix).append(std::to_string(number));
}

// The size of ML-100K: so many users and items, and how often each is met falls with its rank.
struct Size {
  std::size_t users = 943, items = 1'682, events = 100'000;
};

class Ranks {
 public:
  Ranks(std::size_t count, double power) {
    for (std::size_t rank = 0; rank < count; ++rank) {
      total_ += 1.0 / std::pow(static_cast<double>(rank) + 10.0, power);
      sums_.push_back(total_);
    }
  }
  std::size_t draw(std::mt19937_64& random) const {
    const double at = std::uniform_real_distribution<double>(0.0, total_)(random);
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin();
    return std::min(static_cast<std::size_t>(found), sums_.size() - 1);
  }

 private:
  double total_ = 0.0;
  std::vector<double> sums_;
};

template <class What>
void put(std::vector<Batch>& batches, What what, std::size_t most = kBatch) {
  if (batches.empty() || batches.back().arrivals.size() >= most) {
    batches.emplace_back().number = batches.size();
  }
  std::size_t number = 0;
  for (const Batch& batch : batches) number += batch.arrivals.size();
  batches.back().now = kStart + milliseconds(700) * static_cast<std::int64_t>(number);
  batches.back().arrivals.push_back({{Topic::kEvents, 0, number},
                                     {batches.back().now, numbered("e-", number), std::move(what)},
                                     std::string()});
}

std::vector<Batch> check_ins(const Size& size) {
  std::mt19937_64 random(1);
  const Ranks users(size.users, 0.8), items(size.items, 1.1);
  std::vector<Batch> batches;
  for (std::size_t n = 0; n < size.events; ++n) {
    CheckIn what;
    what.user = numbered("user-", users.draw(random));
    what.item = numbered("item-", items.draw(random));
    put(batches, what);
  }
  return batches;
}

EngineOptions plain(ClockKind clock) {
  EngineOptions options;  // the paper's BPR, one negative, rank 16
  options.learner = bare_learner(Method::kBpr);
  options.clock = clock;
  return options;
}

// Items per second are decoded events per second, on one thread, from an empty state.
void check_ins_taken(benchmark::State& state) {
  const std::vector<Batch> batches = check_ins({});
  const EngineOptions options = plain(static_cast<ClockKind>(state.range(0)));
  Workers workers(1);
  std::int64_t events = 0;
  for (auto _ : state) {
    Engine engine(options, workers);
    for (const Batch& batch : batches) benchmark::DoNotOptimize(engine.step(batch));
    events += static_cast<std::int64_t>(engine.state().counters.events);
    state.counters["learned"] = static_cast<double>(engine.state().counters.learned);
    state.counters["users"] = static_cast<double>(engine.state().users.size());
    state.counters["items"] = static_cast<double>(engine.state().items.size());
  }
  state.SetItemsProcessed(events);
}

// The same with all parts of the learner, a capacity for every item, and expected usage, by
// kernels.
void check_ins_in_full(benchmark::State& state) {
  const auto kind = static_cast<KernelKind>(state.range(0));
  const auto runnable = runnable_kernels();
  if (std::find(runnable.begin(), runnable.end(), kind) == runnable.end()) {
    state.SkipWithError("this machine can't run these kernels");
    return;
  }
  use_kernels(kind);
  state.SetLabel(std::string(kernels().name));
  const Size size;
  std::vector<Batch> batches = check_ins(size);
  Batch items;
  items.now = kStart;
  for (std::size_t j = 0; j < size.items; ++j) {
    ItemUpdate item;
    item.item = numbered("item-", j);
    item.capacity = Capacity{CapacityKind::kSeats, 20.0, {}};
    items.arrivals.push_back(
        {{Topic::kItems, 0, j}, {kStart, numbered("i-", j), item}, std::string()});
  }
  Workers workers(1);
  std::int64_t events = 0;
  for (auto _ : state) {
    Engine engine(EngineOptions{}, workers);
    engine.step(items);
    for (const Batch& batch : batches) benchmark::DoNotOptimize(engine.step(batch));
    events += static_cast<std::int64_t>(size.events);
    state.counters["refreshes"] = static_cast<double>(engine.state().pressure.refreshes());
  }
  state.SetItemsProcessed(events);
  use_kernels(KernelKind::kBest);
}

// Items per second are lists of ten per second, for users with a taste, every third item with
// seats; on one thread.
void lists_made(benchmark::State& state) {
  Size size;
  size.items = static_cast<std::size_t>(state.range(0));
  std::vector<Batch> batches(1);
  batches[0].number = 1;
  batches[0].now = kStart;
  for (std::size_t j = 0; j < size.items; ++j) {
    ItemUpdate item;
    item.item = numbered("item-", j);
    if (j % 3 == 0) item.capacity = Capacity{CapacityKind::kSeats, 40.0, {}};
    batches[0].arrivals.push_back(
        {{Topic::kItems, 0, j}, {kStart, numbered("i-", j), item}, std::string()});
  }
  Workers workers(1);
  Engine engine(plain(ClockKind::kWall), workers);
  engine.step(batches[0]);
  for (Batch batch : check_ins(size)) {
    batch.number = engine.state().batch + 1;
    engine.step(batch);
  }
  std::uint64_t asks = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Batch batch;
    batch.number = engine.state().batch + 1;
    batch.now = *engine.state().now + std::chrono::seconds(1);
    for (int n = 0; n < 100; ++n, ++asks) {
      Request what;
      what.user = numbered("user-", asks * 7 % size.users);
      batch.arrivals.push_back(
          {{Topic::kEvents, 0, asks}, {batch.now, numbered("r-", asks), what}, std::string()});
    }
    state.ResumeTiming();
    benchmark::DoNotOptimize(engine.step(batch));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(asks));
}

BENCHMARK(check_ins_taken)
    ->ArgName("event_clock")
    ->Arg(static_cast<int>(ClockKind::kWall))
    ->Arg(static_cast<int>(ClockKind::kEvent))
    ->Unit(benchmark::kMillisecond);
BENCHMARK(check_ins_in_full)
    ->ArgName("kernels")
    ->Arg(static_cast<int>(KernelKind::kAvx512))
    ->Arg(static_cast<int>(KernelKind::kAvx2))
    ->Arg(static_cast<int>(KernelKind::kPlain))
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lists_made)->ArgName("items")->Arg(1'682)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headroom

BENCHMARK_MAIN();
