#include "headroom/app/checkpoints.hpp"

#include <algorithm>
#include <utility>

#include "headroom/io/kill_point.hpp"

namespace headroom {

namespace {

constexpr std::chrono::milliseconds kSlice{5};
constexpr std::size_t kRowsAtOnce = 500;
constexpr std::size_t kSliceBytes = std::size_t{1} << 20U;

}  // namespace

Checkpoints::Checkpoints(const Options& options, Engine& engine, Store& store,
                         std::uint64_t on_disk)
    : options_(options),
      engine_(engine),
      writer_(store),
      done_{on_disk, {}},
      last_begun_(Clock::now()) {}

bool Checkpoints::between_batches() {
  const auto began = Clock::now();
  const bool news = look_for_end();
  const auto& watch = engine_.state().watch;
  // The stream does not wait for a solve of prices that is under way: the next batch may do.
  if (phase_ == Phase::kNone && engine_.state().batch > done_.batch &&
      !engine_.state().pricing.is_working() &&
      (began >= last_begun_ + options_.checkpoint_every ||
       watch.changed() >= options_.checkpoint_rows)) {
    begin();
  }
  while (phase_ == Phase::kCopying && Clock::now() < began + kSlice) copy_some(kRowsAtOnce);
  longest_ = std::max(longest_,
                      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began));
  return news;
}

void Checkpoints::finish() {
  while (phase_ != Phase::kNone || engine_.state().batch > done_.batch) {
    if (phase_ == Phase::kNone) begin();
    while (phase_ == Phase::kCopying) copy_some(kRowsAtOnce);
    writer_.wait();
    look_for_end();
  }
}

void Checkpoints::begin() {
  State& state = engine_.state();
  last_begun_ = Clock::now();
  under_way_ = {state.batch, state.taken};
  rest_ = state.save_rest();
  state.watch.begin([this, &state](RowKey key) {
    row_.clear();
    state.save(key, row_);
    rows_.add(key, row_.bytes());
  });
  phase_ = Phase::kCopying;
}

void Checkpoints::copy_some(std::size_t rows) {
  const bool all = engine_.state().watch.copy_some(rows);
  if (all || rows_.bytes() >= kSliceBytes) writer_.add(std::exchange(rows_, {}));
  if (!all) return;
  kill_point("checkpoint.before_write");
  writer_.finish(std::move(rest_));
  phase_ = Phase::kWriting;
}

bool Checkpoints::look_for_end() {
  if (phase_ != Phase::kWriting || writer_.busy()) return false;
  kill_point("checkpoint.after_write");
  done_ = std::exchange(under_way_, {});
  phase_ = Phase::kNone;
  return true;
}

}  // namespace headroom
