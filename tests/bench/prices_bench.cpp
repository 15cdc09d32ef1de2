// What prices take on one core: a solve, cold, and warm after the askers' habits moved a little;
// as the engine has it, with candidates gathered from all items and the pass of a certificate; and
// for how long the engine's steps stop the stream for it, all in one step or batch by batch.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

#include "headroom/base/random.hpp"
#include "headroom/engine/engine.hpp"
#include "headroom/rank/gather.hpp"
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

// One and a half times as many seats as all lists together take.
std::vector<float> capacity_for(const Demand& demand, std::size_t items) {
  double seats = 0.0;
  for (const Demand::Asker& asker : demand.askers) {
    seats += 10.0 * static_cast<double>(asker.seats * asker.lists);
  }
  return std::vector<float>(items, static_cast<float>(1.5 * seats / static_cast<double>(items)));
}

void ask_more_or_less(Demand& demand) {
  Draws draws(8, Purpose::kWorld, 0);
  for (Demand::Asker& asker : demand.askers) {
    asker.lists = 0.5F + static_cast<float>(draws.uniform());
  }
}

template <class Work>
double seconds_of(const Work& work) {
  const double began = cpu_seconds();
  work();
  return cpu_seconds() - began;
}

void measure(const Size& size, Workers& workers) {
  Demand demand = make_demand(size);
  const std::vector<float> capacity = capacity_for(demand, size.items);
  const double held = gigabytes();
  Prices cold, warm;
  const double first = seconds_of([&] { cold = solve_prices(demand, capacity, {}, {}, workers); });
  ask_more_or_less(demand);
  const double next =
      seconds_of([&] { warm = solve_prices(demand, capacity, cold, {.enough = 0.0F}, workers); });
  std::printf(
      "%8zu x %6zu, %4zu candidates: cold %7.3f s (gap %.4f), warm, 10 iterations, %7.3f s "
      "(gap %.4f); %.2f GB, of which the solve %.2f\n",
      size.askers, size.items, size.candidates, first, cold.gap, next, warm.gap, gigabytes(),
      gigabytes() - held);
  std::fflush(stdout);
}

// The engine's way: vectors of rank 16, whose popular items more people like.
class Town {
 public:
  Town(const Size& size, Workers& workers)
      : size_(size), workers_(workers), learner_(options(), watch_), room_(size.items, 1.0F) {
    for (std::uint32_t i = 0; i < size.askers; ++i) learner_.add(UserIx{i});
    for (std::uint32_t j = 0; j < size.items; ++j) learner_.add(ItemIx{j});
    for (std::uint32_t i = 0; i < size.askers; ++i) {
      users_.push_back(UserIx{i});
      Draws draws(9, Purpose::kWorld, i);
      for (int n = 0; n < 10; ++n) {
        const double at = draws.uniform() * draws.uniform();
        const ItemIx liked{static_cast<std::uint32_t>(at * static_cast<double>(size.items))};
        learner_.like(UserIx{i}, liked, 1.0F, 1.0F, 10 * i + static_cast<std::uint64_t>(n));
      }
    }
    learner_.line_up();
  }

  void measure() {
    Demand demand = ask({});
    const std::vector<float> capacity = capacity_for(demand, size_.items);
    Prices before = solve_prices(demand, capacity, {}, {}, workers_);
    for (int round = 0; round < 5; ++round) {  // prices bring other candidates
      demand = ask(before.values);
      before = solve_prices(demand, capacity, before, {}, workers_);
    }
    demand = {};
    Prices ten, near;
    const double gathering = seconds_of([&] { demand = ask(before.values); });
    ask_more_or_less(demand);
    const double solving = seconds_of(
        [&] { ten = solve_prices(demand, capacity, before, {.enough = 0.0F}, workers_); });
    const double usual =
        seconds_of([&] { near = solve_prices(demand, capacity, before, {}, workers_); });
    const double certifying = seconds_of([&] { certify(before.values); });
    std::printf(
        "%8zu x %6zu, %4zu candidates, gathered in %.3f s, solved warm by 10 iterations in %.3f s "
        "(gap %.4f; as soon as it is small in %.3f s, gap %.4f), the certificate's pass %.3f s: "
        "%.3f s together\n",
        size_.askers, size_.items, size_.candidates, gathering, solving, ten.gap, usual, near.gap,
        certifying, gathering + solving + certifying);
    std::fflush(stdout);
  }

 private:
  static LearnerOptions options() {
    LearnerOptions options = bare_learner(Method::kBpr);
    options.bias = true;
    options.start_deviation = 0.3F;
    return options;
  }

  Demand ask(std::span<const float> prices) {
    Demand demand;
    for (std::uint32_t i = 0; i < size_.askers; ++i) {
      Draws draws(7, Purpose::kWorld, i);
      demand.askers.emplace_back().seats = 0.02F + 0.2F * static_cast<float>(draws.uniform());
    }
    gather(demand, users_, size_.candidates, learner_, {&calibration_, prices, {}}, room_,
           workers_);
    return demand;
  }

  // Both sums of everyone's list; in the engine they come with the lists, some of them.
  void certify(std::span<const float> prices) {
    std::vector<Seeker> seekers;
    for (const UserIx user : users_) {
      const Seeker::Wish ten{10, 0.0F};
      seekers.push_back({user, {ten, ten}});
    }
    const Search searches[] = {{&calibration_, {}, {}}, {&calibration_, prices, {}}};
    double sum = 0.0;
    for (const auto& found : scan(learner_, seekers, searches, room_, workers_)) {
      sum += sum_of_best(found[0], 10) + sum_of_best(found[1], 10);
    }
    if (!(sum > 0.0)) std::printf("nothing is worth anything\n");
  }

  Size size_;
  Workers& workers_;
  RowWatch watch_;
  Learner learner_;
  Calibration calibration_;
  std::vector<UserIx> users_;
  std::vector<float> room_;
};

// Batches of a second with some requests each, by askers with a taste: the CPU seconds of each
// step.
class Stream {
 public:
  Stream(const Size& size, const PricingOptions& pricing, Workers& workers)
      : size_(size), engine_(options(pricing), workers) {
    Batch items;
    for (std::uint32_t j = 0; j < size.items; ++j) {
      ItemUpdate item;
      item.item = "i" + std::to_string(j);
      if (j % 3 == 0) item.capacity = Capacity{CapacityKind::kSeats, 5.0, {}};
      put(items, item);
    }
    step(std::move(items));
    Batch tastes;
    for (std::uint32_t i = 0; i < size.askers; ++i) {
      Draws draws(9, Purpose::kWorld, i);
      const double at = draws.uniform() * draws.uniform();
      const auto liked = static_cast<std::uint32_t>(at * static_cast<double>(size.items));
      put(tastes, CheckIn{user(i), "i" + std::to_string(liked), 1.0F, {}});
    }
    step(std::move(tastes));
  }

  // Sorted, once everyone has asked, over two solves and more.
  std::vector<double> steps() {
    constexpr std::uint32_t kRequests = 20;
    std::vector<double> taken;
    for (std::uint32_t asked = 0; asked < size_.askers + 700 * kRequests;) {
      Batch batch;
      for (std::uint32_t n = 0; n < kRequests; ++n, ++asked) {
        put(batch, Request{user(asked % static_cast<std::uint32_t>(size_.askers)), 10, 1, {}});
      }
      const double seconds = step(std::move(batch));
      if (asked > size_.askers) taken.push_back(seconds);
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }
  std::uint64_t solves() const { return engine_.state().pricing.solves(); }

 private:
  static EngineOptions options(const PricingOptions& pricing) {
    EngineOptions options;
    options.learner = bare_learner(Method::kBpr);
    options.pricing = pricing;
    options.refresh.per_second = 0;
    return options;
  }
  static std::string user(std::uint32_t i) { return "u" + std::to_string(i); }

  template <class What>
  void put(Batch& batch, What what) {
    const std::string id = "e" + std::to_string(++events_);
    batch.arrivals.push_back({{Topic::kEvents, 0, events_}, {now_, id, std::move(what)}, {}});
  }
  // This thread's: what is solved beside the stream does not stop it.
  double step(Batch batch) {
    batch.number = ++batches_;
    batch.now = now_;
    now_ += std::chrono::seconds(1);
    timespec began{}, ended{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    engine_.step(batch);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    return static_cast<double>(ended.tv_sec - began.tv_sec) +
           1e-9 * static_cast<double>(ended.tv_nsec - began.tv_nsec);
  }

  Size size_;
  Engine engine_;
  Time now_{std::chrono::hours(500'000)};
  std::uint64_t events_ = 0, batches_ = 0;
};

void measure_pauses(const Size& size, Workers& workers) {
  for (const bool all_in_one : {true, false}) {
    PricingOptions pricing;
    pricing.memory = std::chrono::hours(3);
    if (all_in_one) pricing.at_once = pricing.gathered = 1'000'000'000;
    Stream stream(size, pricing, workers);
    const std::vector<double> steps = stream.steps();
    std::printf(
        "%8zu x %6zu, solved %s: of %zu steps, 20 lists each, the longest %.1f ms, the "
        "median %.1f ms; %llu solves\n",
        size.askers, size.items, all_in_one ? "in one step" : "batch by batch", steps.size(),
        1e3 * steps.back(), 1e3 * steps[steps.size() / 2],
        static_cast<unsigned long long>(stream.solves()));
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  Workers workers(1);
  measure({943, 1'682, 1'682}, workers);
  measure({10'000, 20'000, 256}, workers);
  measure({10'000, 200, 200}, workers);
  Town({10'000, 20'000, 256}, workers).measure();
  Town({10'000, 200, 200}, workers).measure();
  measure_pauses({10'000, 20'000, 256}, workers);
  measure({1'000'000, 100'000, 256}, workers);
}
