#include "headroom/app/checkpoints.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "headroom/io/kill_point.hpp"

namespace headroom {

namespace {

constexpr std::chrono::milliseconds kSlice{5};
constexpr std::size_t kRowsAtOnce = 500;

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
  if (phase_ == Phase::kNone && engine_.state().batch > done_.batch &&
      (began >= last_begun_ + options_.checkpoint_every ||
       watch.changed() >= options_.checkpoint_rows)) {
    begin();
  }
  while (phase_ == Phase::kCopying && Clock::now() < began + kSlice) {
    if (engine_.state().watch.copy_some(kRowsAtOnce)) hand_over();
  }
  longest_ = std::max(longest_,
                      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began));
  return news;
}

void Checkpoints::finish() {
  while (phase_ != Phase::kNone || engine_.state().batch > done_.batch) {
    if (phase_ == Phase::kNone) begin();
    if (phase_ == Phase::kCopying &&
        engine_.state().watch.copy_some(std::numeric_limits<std::size_t>::max())) {
      hand_over();
    }
    writer_.wait();
    look_for_end();
  }
}

void Checkpoints::begin() {
  State& state = engine_.state();
  last_begun_ = Clock::now();
  under_way_ = {state.batch, state.taken};
  rest_ = state.save_rest();
  rows_.clear();
  rows_.reserve(state.watch.changed());
  state.watch.begin([this, &state](RowKey key) { rows_.push_back(state.save(key)); });
  phase_ = Phase::kCopying;
}

void Checkpoints::hand_over() {
  kill_point("checkpoint.before_write");
  writer_.write(std::move(rows_), std::move(rest_));
  rows_ = {};
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
