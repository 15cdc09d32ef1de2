#include "headroom/app/batcher.hpp"

#include "support/catch.hpp"

namespace headroom {
namespace {

using namespace std::chrono_literals;

// Has so many records of one kind.
class Records final : public EventLog {
 public:
  Records(std::size_t count, Arrival arrival) : left_(count), arrival_(std::move(arrival)) {}

  std::size_t take(Batch& batch, std::size_t most, std::chrono::milliseconds /*wait*/) override {
    const std::size_t taken = std::min(most, left_);
    left_ -= taken;
    batch.arrivals.insert(batch.arrivals.end(), taken, arrival_);
    return taken;
  }
  bool ended() const override { return left_ == 0; }
  Bounds seek(const Bounds& /*taken*/) override { return {}; }
  void read_again(Batch& /*batch*/) override {}
  void release(const Bounds& /*taken*/) override {}
  std::uint64_t lag() override { return left_; }

 private:
  std::size_t left_;
  Arrival arrival_;
};

Arrival request(std::uint16_t n) {
  Arrival arrival;
  arrival.event.what = Request{.user = "u", .n = n, .party = 1, .position = {}};
  return arrival;
}

// The sizes of all batches.
std::vector<std::size_t> batches(std::size_t count, Arrival arrival) {
  Options options;
  options.ask_wait = options.batch_wait = 1h;  // never by time
  const std::atomic<bool> stop = false;
  Records source(count, std::move(arrival));
  Batcher batcher(options, source, stop);
  std::vector<std::size_t> sizes;
  while (!source.ended()) sizes.push_back(batcher.collect().arrivals.size());
  return sizes;
}

TEST_CASE("a batch closes at its largest count of records") {
  Arrival forget;
  forget.event.what = Forget{"u"};
  CHECK(batches(25'000, forget) == std::vector<std::size_t>{10'000, 10'000, 5'000});
}

TEST_CASE("a batch closes when many places are asked for") {
  CHECK(batches(250, request(1000)) == std::vector<std::size_t>{100, 100, 50});
  CHECK(batches(20'000, request(10)) == std::vector<std::size_t>{10'000, 10'000});
  for (const std::size_t size : batches(5000, request(101))) CHECK(size <= 1000);
}

TEST_CASE("a batch closes when its records are large") {
  Arrival large;
  large.event.what = Forget{"u"};
  large.bytes.assign(1 << 20, 'x');
  for (const std::size_t size : batches(300, large)) CHECK(size == 100);
}

}  // namespace
}  // namespace headroom
