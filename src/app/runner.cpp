#include "headroom/app/runner.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "headroom/app/identity.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/kill_point.hpp"

namespace headroom {

namespace {

EngineOptions engine_options(const Options& options, const Store& store) {
  use_kernels(options.kernels);
  EngineOptions engine = options.engine;
  engine.learner.seed = options.seed;
  engine.epoch = epoch_of(store);
  return engine;
}

}  // namespace

Runner::Runner(const Options& options, Store& store, ListSink& sink)
    : store_(store),
      sink_(sink),
      workers_(options.threads),
      engine_(engine_options(options, store), workers_) {
  if (const auto rest = store.rest()) {
    engine_.state().load(*rest, [&](const auto& take) { store.each_row(take); });
  }
}

std::uint64_t Runner::recover(EventLog& source, const std::atomic<bool>& stop, Time wall) {
  std::uint64_t repeated = 0;
  store_.each_entry(engine_.state().batch + 1, [&](const JournalEntry& entry) {
    if (stop) return;
    take_again(source, entry, false);
    ++repeated;
  });
  Batch begun;
  begun.bounds = source.seek(engine_.state().taken);
  // Nothing but where it begins. After a stop there is more in the journal, which comes first.
  if (!begun.bounds.empty() && !stop) take(std::move(begun), wall);
  return repeated;
}

void Runner::take(Batch batch, Time wall) {
  const State& state = engine_.state();
  batch.number = state.batch + 1;
  batch.now = engine_.options().clock == ClockKind::kWall ? std::max(state.now.value_or(wall), wall)
                                                          : engine_.now_for(batch);
  kill_point("serve.before_journal");
  store_.journal({batch.number, batch.now, batch.bounds});
  kill_point("serve.after_journal");
  deliver(batch);
}

void Runner::take_again(EventLog& source, const JournalEntry& entry, bool journal) {
  if (entry.number != engine_.state().batch + 1) {
    throw Error("the journal: after batch " + std::to_string(engine_.state().batch) + " comes " +
                std::to_string(entry.number));
  }
  Batch batch;
  batch.number = entry.number;
  batch.now = entry.now;
  batch.bounds = entry.bounds;
  source.read_again(batch);
  put_in_order(batch);
  if (journal) store_.journal(entry);
  deliver(batch);
}

void Runner::deliver(const Batch& batch) {
  const Outcome outcome = engine_.step(batch);
  kill_point("serve.after_step");
  for (const RankedList& list : outcome.lists) sink_.emit(list);
  for (const DeadLetter& letter : outcome.letters) sink_.emit(letter);
  sink_.commit(batch);
  kill_point("serve.after_commit");
}

}  // namespace headroom
