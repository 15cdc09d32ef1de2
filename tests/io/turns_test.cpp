#include "headroom/io/turns.hpp"

#include <deque>

#include "support/arrivals.hpp"
#include "support/catch.hpp"

using namespace headroom;
using namespace std::chrono_literals;

namespace {

// Partitions of records that are here already, or will be.
struct Log {
  std::vector<std::deque<Time>> waiting;
  std::vector<Reached> reached;
  std::vector<bool> open;  // there will be more
  Batch batch;

  explicit Log(std::size_t partitions) : waiting(partitions), reached(partitions) {
    open.resize(partitions);
  }
  std::size_t take(std::size_t partition, std::size_t most) {
    const std::size_t had = batch.arrivals.size();
    auto& from = waiting[partition];
    for (; batch.arrivals.size() < had + most && !from.empty(); from.pop_front()) {
      batch.arrivals.push_back(test::arrival(from.front(), "e", CheckIn{"u", "i", 1.0F, {}}));
    }
    reached[partition].see(batch, had);
    return batch.arrivals.size() - had;
  }
  std::size_t take_all_by_time(std::size_t most) {
    return take_by_time(
        waiting.size(), most, [this](std::size_t n, std::size_t some) { return take(n, some); },
        [this](std::size_t n) { return reached[n].at(); },
        [this](std::size_t n) { return open[n]; });
  }
};

constexpr Time kBegin{1'772'366'400'000ms};

}  // namespace

TEST_CASE("partitions of unequal density keep together in time") {
  Log log(3);
  for (int n = 0; n < 10'000; ++n) log.waiting[0].push_back(kBegin + n * 1min);
  for (int n = 0; n < 500; ++n) log.waiting[1].push_back(kBegin + n * 20min);
  for (int n = 0; n < 50; ++n) log.waiting[2].push_back(kBegin + n * 200min);
  log.waiting[1][100] = kBegin + 24h * 365 * 70;  // a clock that is wrong, once
  Time latest = kBegin;
  std::chrono::milliseconds worst{0};
  while (log.take_all_by_time(100) > 0) {
    for (const Arrival& arrival : log.batch.arrivals) {
      if (arrival.event.at > kBegin + 24h * 365) continue;
      latest = std::max(latest, arrival.event.at);
      worst = std::max(worst, latest - arrival.event.at);
    }
    log.batch.arrivals.clear();
  }
  CHECK(worst > 1h);  // 16 at a time
  CHECK(worst < 24h * 3);
  for (const auto& left : log.waiting) CHECK(left.empty());
}

TEST_CASE("nobody runs ahead of a partition that is still to come") {
  Log log(2);
  for (int n = 0; n < 100; ++n) log.waiting[0].push_back(kBegin + n * 24h);
  log.open[1] = true;
  log.take_all_by_time(100);
  CHECK(log.batch.arrivals.size() <= 16);
  for (int n = 0; n < 10; ++n) log.waiting[1].push_back(kBegin + n * 240h);
  log.open[1] = false;
  log.take_all_by_time(1000);
  CHECK(log.batch.arrivals.size() == 110);
}

TEST_CASE("every partition gets its share") {
  Log log(3);
  log.waiting[0].assign(1000, kBegin);
  log.waiting[1].assign(20, kBegin);
  log.waiting[2].assign(20, kBegin);
  const auto take = [&](std::size_t n, std::size_t some) { return log.take(n, some); };
  CHECK(take_in_turn(3, 0, 90, take) == 90);
  CHECK(log.waiting[1].empty());
  CHECK(log.waiting[2].empty());
  CHECK(take_in_turn(3, 1, 2000, take) == 950);
}
