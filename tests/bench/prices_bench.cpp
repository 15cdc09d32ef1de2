// What a price solve takes: cold, and warm after the askers' tastes moved a little, on one core.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

#include "headroom/base/random.hpp"
#include "headroom/rank/prices.hpp"

using namespace headroom;

namespace {

struct Size {
  std::size_t askers, items, candidates;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0 / 1024.0;
}

// Popular items have higher chances and, dense or not, are candidates more often.
Demand make_demand(const Size& size) {
  Demand demand;
  demand.items.reserve(size.askers * size.candidates);
  demand.chances.reserve(size.askers * size.candidates);
  std::vector<std::uint32_t> seen(size.items, 0);
  for (std::uint32_t i = 0; i < size.askers; ++i) {
    Draws draws(7, Purpose::kWorld, i);
    Demand::Asker asker;
    asker.seats = 0.02F + 0.2F * static_cast<float>(draws.uniform());
    asker.begin = demand.items.size();
    while (demand.items.size() < asker.begin + size.candidates) {
      auto item = static_cast<std::uint32_t>(demand.items.size() - asker.begin);
      if (size.candidates < size.items) {
        const double u = draws.uniform();
        item = static_cast<std::uint32_t>(u * u * static_cast<double>(size.items));
        if (seen[item] == i + 1) continue;
        seen[item] = i + 1;
      }
      const double popular = 1.0 - static_cast<double>(item) / static_cast<double>(size.items);
      const double score = 2.0 * popular - 4.0 + 1.5 * (draws.uniform() + draws.uniform() - 1.0);
      demand.items.push_back(ItemIx{item});
      demand.chances.push_back(static_cast<float>(1.0 / (1.0 + std::exp(-score))));
    }
    asker.end = demand.items.size();
    demand.askers.push_back(asker);
  }
  return demand;
}

void measure(const Size& size, Workers& workers) {
  Demand demand = make_demand(size);
  double seats = 0.0;
  for (const Demand::Asker& asker : demand.askers) {
    seats += 10.0 * static_cast<double>(asker.seats * asker.lists);
  }
  const std::vector<float> capacity(
      size.items, static_cast<float>(1.5 * seats / static_cast<double>(size.items)));
  const double held = gigabytes();
  double began = cpu_seconds();
  const Prices cold = solve_prices(demand, capacity, {}, {}, workers);
  const double cold_seconds = cpu_seconds() - began;
  Draws draws(8, Purpose::kWorld, 0);
  for (Demand::Asker& asker : demand.askers) {
    asker.lists = 0.5F + static_cast<float>(draws.uniform());
  }
  began = cpu_seconds();
  const Prices warm = solve_prices(demand, capacity, cold, {.enough = 0.0F}, workers);
  const double warm_seconds = cpu_seconds() - began;
  std::printf(
      "%8zu x %6zu, %4zu candidates: cold %7.3f s (gap %.4f), warm, 10 iterations, %7.3f s "
      "(gap %.4f); %.2f GB, of which the solve %.2f\n",
      size.askers, size.items, size.candidates, cold_seconds, cold.gap, warm_seconds, warm.gap,
      gigabytes(), gigabytes() - held);
  std::fflush(stdout);
}

}  // namespace

int main() {
  Workers workers(1);
  measure({943, 1'682, 1'682}, workers);
  measure({10'000, 20'000, 256}, workers);
  measure({1'000'000, 100'000, 256}, workers);
}
