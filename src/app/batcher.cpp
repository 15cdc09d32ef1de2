#include "headroom/app/batcher.hpp"

#include <algorithm>

namespace headroom {

namespace {

constexpr std::chrono::milliseconds kLook{50};  // how soon a stop is noticed

// A batch and all its lists are in memory at once, and a batch that does not fit there could never
// be taken: once journalled it is repeated as it is. A place of a list takes about 200 bytes.
constexpr std::size_t kMostPlaces = 100'000;
constexpr std::size_t kMostBytes = std::size_t{32} << 20U;  // of records
// Taken between two looks at how much there is: 100 requests ask for 100,000 places at most.
constexpr std::size_t kAtOnce = 100;

struct Load {
  std::size_t records = 0, places = 0, bytes = 0;

  // Counts what the batch has got since. True if that has an ask in it.
  bool add(const Batch& batch) {
    bool asked = false;
    for (; arrivals_ < batch.arrivals.size(); ++arrivals_) {
      const Arrival& arrival = batch.arrivals[arrivals_];
      bytes += arrival.bytes.size();
      const auto* const request = std::get_if<Request>(&arrival.event.what);
      if (request == nullptr) continue;
      asked = true;
      places += request->n;
    }
    for (; rejects_ < batch.rejects.size(); ++rejects_)
      bytes += batch.rejects[rejects_].bytes.size();
    return asked;
  }

 private:
  std::size_t arrivals_ = 0, rejects_ = 0;  // counted
};

}  // namespace

Batch Batcher::collect() {
  Batch batch;
  batch.arrivals.reserve(last_);
  Load load;
  auto close = Clock::now() + options_.batch_wait;
  bool asked = false;
  while (load.records < options_.batch_most && load.places < kMostPlaces &&
         load.bytes < kMostBytes && !stop_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(close - Clock::now());
    if (left.count() <= 0) break;
    const std::size_t most = std::min(options_.batch_most - load.records, kAtOnce);
    load.records += source_.take(batch, most, std::min(left, kLook));
    if (source_.ended()) break;
    if (load.add(batch) && !asked) {
      asked = true;
      close = std::min(close, Clock::now() + options_.ask_wait);
    }
  }
  last_ = batch.arrivals.size();
  put_in_order(batch);
  return batch;
}

}  // namespace headroom
