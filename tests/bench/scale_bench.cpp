// A million users and a hundred thousand items: memory, and how long a checkpoint keeps the stream
// waiting. A plain program: it measures one long run, not a loop.
//
// Usage: bench_scale FOLDER [bpr|geobpr] [USERS] [ITEMS]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "headroom/app/checkpoints.hpp"
#include "headroom/app/status.hpp"
#include "headroom/base/random.hpp"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

class World {
 public:
  World(std::uint32_t users, std::uint32_t items) : users_(users), items_(items) {}

  Batch catalogue() {
    Batch batch = next();
    for (std::uint32_t item = 0; item < items_; ++item) {
      ItemUpdate image;
      image.item = "item-" + std::to_string(item);
      image.title = "A place with a name";
      image.position = Position{1.2 + 0.3 * draws_.uniform(), 103.6 + 0.4 * draws_.uniform()};
      if (item % 2 == 0) image.capacity = Capacity{CapacityKind::kSeats, 40.0, {}};
      add(batch, std::move(image));
    }
    return batch;
  }

  // Every user once, so that all are there; then at random.
  Batch check_ins(std::size_t count) {
    Batch batch = next();
    for (std::size_t n = 0; n < count; ++n) {
      const std::uint32_t user = introduced_ < users_ ? introduced_++ : draws_.below(users_);
      CheckIn what;
      what.user = "user-" + std::to_string(user);
      what.item = "item-" + std::to_string(draws_.below(items_));
      add(batch, std::move(what));
    }
    return batch;
  }
  bool all_there() const { return introduced_ == users_; }

 private:
  Batch next() {
    now_ += std::chrono::seconds(1);
    Batch batch;
    batch.number = ++number_;
    batch.now = now_;
    return batch;
  }
  template <class What>
  void add(Batch& batch, What what) {
    Arrival arrival;
    arrival.event.at = now_;
    arrival.event.id = "event-" + std::to_string(++id_);
    arrival.event.what = std::move(what);
    batch.arrivals.push_back(std::move(arrival));
  }

  std::uint32_t users_, items_, introduced_ = 0;
  Draws draws_{1, Purpose::kWorld, 0};
  Time now_{std::chrono::hours(24 * 365 * 55)};
  std::uint64_t number_ = 0, id_ = 0;
};

int run(const std::string& folder, const std::string& method, std::uint32_t users,
        std::uint32_t items) {
  Options options;
  options.engine.learner.method = method == "geobpr" ? Method::kGeoBpr : Method::kBpr;
  options.engine.most_users = users;
  options.engine.most_items = items;
  Workers workers(1);
  Engine engine(options.engine, workers);
  Store store(folder, Store::Mode::kCreate);
  Checkpoints checkpoints(options, engine, store, 0);
  World world(users, items);
  engine.step(world.catalogue());
  while (!world.all_there()) {
    engine.step(world.check_ins(2'000));
    checkpoints.between_batches();
  }
  std::printf("%s, %u users, %u items, each user with one check-in: %.0f MB resident\n",
              method.c_str(), users, items, static_cast<double>(resident_bytes()) / 1e6);

  // Until ten more checkpoints are on disk.
  std::vector<double> journals, steps, pauses;
  std::size_t events = 0;
  double stepping = 0;
  const auto begin = Clock::now();
  for (int written = 0; written < 10;) {
    const Batch batch = world.check_ins(2'000);
    auto at = Clock::now();
    store.journal({batch.number, batch.now, batch.bounds});
    journals.push_back(milliseconds_since(at));
    at = Clock::now();
    engine.step(batch);
    steps.push_back(milliseconds_since(at));
    stepping += steps.back();
    events += batch.arrivals.size();
    at = Clock::now();
    if (checkpoints.between_batches()) {
      ++written;
      std::printf("  checkpoint of batch %llu on disk after %.1f s; %.0f MB resident\n",
                  static_cast<unsigned long long>(checkpoints.batch()),
                  milliseconds_since(begin) / 1e3, static_cast<double>(resident_bytes()) / 1e6);
    }
    pauses.push_back(milliseconds_since(at));
  }
  std::printf("  %.0f events/s in steps of 2,000 (p50 %.1f ms, p99 %.1f ms, most %.1f ms)\n",
              static_cast<double>(events) / stepping * 1e3, at_share(steps, 0.5),
              at_share(steps, 0.99), at_share(steps, 1.0));
  std::printf(
      "  pause for checkpoints between two batches: p50 %.2f ms, p99 %.1f ms, most %.1f ms\n",
      at_share(pauses, 0.5), at_share(pauses, 0.99), at_share(pauses, 1.0));
  std::printf("  journalling a batch, synced: p50 %.2f ms, p99 %.1f ms, most %.1f ms\n",
              at_share(journals, 0.5), at_share(journals, 0.99), at_share(journals, 1.0));
  const Pressure& pressure = engine.state().pressure;
  std::printf("  expected usage: %llu refreshes; the last %s, of %zu users drawn, error %.2f %%\n",
              static_cast<unsigned long long>(pressure.refreshes()),
              pressure.last().how == UsageHow::kExact ? "exact" : "estimated",
              pressure.last().sample, 100.0 * pressure.error());
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_scale FOLDER [bpr|geobpr] [USERS] [ITEMS]\n", stderr);
    return 2;
  }
  const auto number = [&](int at, unsigned long otherwise) {
    return static_cast<std::uint32_t>(argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise);
  };
  return headroom::run(argv[1], argc > 2 ? argv[2] : "bpr", number(3, 1'000'000),
                       number(4, 100'000));
}
