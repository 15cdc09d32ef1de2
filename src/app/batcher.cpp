#include "headroom/app/batcher.hpp"

#include <algorithm>

namespace headroom {

namespace {

constexpr std::chrono::milliseconds kLook{50};  // how soon a stop is noticed

bool has_ask(const Batch& batch, std::size_t first) {
  return std::any_of(
      batch.arrivals.begin() + static_cast<std::ptrdiff_t>(first), batch.arrivals.end(),
      [](const Arrival& arrival) { return std::holds_alternative<Request>(arrival.event.what); });
}

}  // namespace

Batch Batcher::collect() {
  Batch batch;
  auto close = Clock::now() + options_.batch_wait;
  bool asked = false;
  for (std::size_t size = 0; size < options_.batch_most && !stop_;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(close - Clock::now());
    if (left.count() <= 0) break;
    const std::size_t looked = batch.arrivals.size();
    size += source_.take(batch, options_.batch_most - size, std::min(left, kLook));
    if (source_.ended()) break;
    if (!asked && has_ask(batch, looked)) {
      asked = true;
      close = std::min(close, Clock::now() + options_.ask_wait);
    }
  }
  put_in_order(batch);
  return batch;
}

}  // namespace headroom
