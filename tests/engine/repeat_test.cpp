#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "support/catch.hpp"
#include "support/engine_run.hpp"
#include "support/event_stream.hpp"
#include "support/setting.hpp"

// Same batches, same bytes: on any number of threads, and across every checkpoint.

namespace headroom {
namespace {

using test::encoded;
using test::EventStream;
using test::StoredRows;

// A log with what a first run made of it.
struct Recorded {
  std::vector<Batch> batches;
  std::vector<std::string> out;  // by batch
  StoredRows rows;
  SavedRest rest;
  Counters counters;
  std::uint64_t refreshes = 0;  // of expected usage
  std::uint64_t solves = 0;     // of prices
};

// A checkpoint as the store has it.
struct Checkpoint {
  StoredRows rows;
  SavedRest rest;
};

EventStream::Shape town() {
  EventStream::Shape shape;
  shape.most_in_batch = 40;
  shape.pace = std::chrono::seconds(45);
  shape.hours = 0.3;
  shape.placed = 0.5;
  return shape;
}

// Bounds as a log would tell them.
void bound(Batch& batch) {
  for (const Arrival& arrival : batch.arrivals) {
    const Place& place = arrival.place;
    Range* range = nullptr;
    for (Range& known : batch.bounds) {
      if (known.topic == place.topic && known.partition == place.partition) range = &known;
    }
    if (range == nullptr) {
      batch.bounds.push_back({place.topic, place.partition, place.offset, place.offset + 1});
    } else {
      range->from = std::min(range->from, place.offset);
      range->to = std::max(range->to, place.offset + 1);
    }
  }
}

// `between` is called before the first batch and after each.
template <class Between>
Recorded record(std::uint64_t seed, int batches, const EngineOptions& options,
                const Between& between) {
  EventStream stream(seed, town());
  Workers workers(1);
  Engine engine(options, workers);
  Recorded run;
  between(engine.state(), stream);
  for (int n = 0; n < batches; ++n) {
    Batch batch = stream.next();
    bound(batch);
    batch.now = options.clock == ClockKind::kWall ? stream.now() : engine.now_for(batch);
    const Outcome outcome = engine.step(batch);
    stream.saw(outcome);
    run.out.push_back(encoded(outcome));
    run.batches.push_back(std::move(batch));
    between(engine.state(), stream);
  }
  run.rows = StoredRows::all_of(engine.state());
  run.rest = engine.state().save_rest();
  run.counters = engine.state().counters;
  run.refreshes = engine.state().pressure.refreshes();
  run.solves = engine.state().pricing.solves();
  return run;
}

void go_on(Engine& engine, const Recorded& run) {
  for (std::size_t n = engine.state().batch; n < run.batches.size(); ++n) {
    const Batch& batch = run.batches[n];
    if (engine.options().clock == ClockKind::kEvent && engine.now_for(batch) != batch.now) {
      FAIL("another time at batch " << n + 1);
    }
    if (encoded(engine.step(batch)) != run.out[n]) FAIL("another outcome of batch " << n + 1);
  }
  if (StoredRows::all_of(engine.state()) != run.rows) FAIL("other rows at the end");
  if (engine.state().save_rest().bytes != run.rest.bytes) FAIL("another rest at the end");
}

// Checkpoints begin at random, and are copied in slices while the stream goes on.
struct Checkpoints {
  std::vector<Checkpoint> done;
  Checkpoint next;  // its rows are those of the last one until they are copied
  StoredRows moment;
  bool under_way = false;
  int gathering = 0;  // begun while candidates for prices are gathered

  void operator()(State& state, EventStream& draws) {
    if (!under_way && draws.chance(0.3)) {
      next.rest = state.save_rest();
      moment = StoredRows::all_of(state);
      state.watch.begin([&](RowKey key) { next.rows.put(state, key); });
      under_way = true;
      gathering += state.pricing.is_gathering() ? 1 : 0;
    }
    if (under_way &&
        state.watch.copy_some(static_cast<std::size_t>(draws.below(3) == 0 ? 1000 : 7))) {
      under_way = false;
      if (next.rows != moment) FAIL("a torn checkpoint of batch " << next.rest.batch);
      done.push_back(next);
    }
  }
};

std::string words(const EngineOptions& options) {
  return "method " + std::to_string(static_cast<int>(options.learner.method)) + ", listening " +
         std::to_string(static_cast<int>(options.listening.kind)) + ", clock " +
         std::to_string(static_cast<int>(options.clock)) + ", mini-batch " +
         std::to_string(options.learner.mini_batch);
}

// Small limits, so that rows come and go.
std::vector<EngineOptions> all_options() {
  std::vector<EngineOptions> all;
  for (const Method method : {Method::kPmf, Method::kBpr, Method::kGeoMf, Method::kGeoBpr}) {
    for (const auto kind :
         {ListeningKind::kRatio, ListeningKind::kBeta, ListeningKind::kForgetting}) {
      for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
        EngineOptions options;
        if (all.size() % 4 == 3) options.learner = bare_learner(method);
        options.learner.method = method;
        options.learner.rank = 5;
        options.learner.past = 6;
        options.learner.mini_batch = all.size() % 3 == 1 ? 7 : 1;
        options.learner.negatives = 1 + static_cast<unsigned>(all.size() % 3);
        options.listening.kind = kind;
        options.listening.half_life = std::chrono::hours(5);
        options.clock = clock;
        options.most_users = all.size() % 2 == 0 ? 40 : 1000;
        options.most_items = all.size() % 4 == 0 ? 10 : 1000;
        options.seen_ids = 600;
        options.lists.visited = static_cast<Visited>(all.size() % 3);
        options.lists.most_km = all.size() % 2 == 0 ? 1.0F : 0.0F;
        options.lists.ignored = std::chrono::minutes(20);
        options.refresh.every = std::chrono::minutes(all.size() % 2 == 0 ? 0 : 12);
        options.refresh.in_a_row = 1 + static_cast<std::uint32_t>(all.size() % 3);
        // Often, so that usage is refreshed in the middle of batches; exact and estimated.
        options.pressure.alpha = all.size() % 5 == 4 ? 1.0F : 0.3F;
        options.pressure.every = 15;
        options.pressure.share = 0.99F;
        options.pressure.active = std::chrono::hours(3);
        options.pressure.usage.sample = 16;
        options.pressure.usage.most_exact = all.size() % 2 == 0 ? 0 : 10'000'000;
        // Solves at once and beside the stream, entering later than checkpoints are made.
        options.allot.policy = all.size() % 6 == 5 ? Policy::kCutoff : Policy::kPrice;
        options.allot.holding = all.size() % 3 == 0 ? Holding::kWhole : Holding::kChoice;
        options.pricing.every = std::chrono::minutes(2);
        options.pricing.candidates = 8;
        options.pricing.at_once = all.size() % 2 == 0 ? 1'000'000 : 0;
        options.pricing.entry = std::chrono::minutes(3);
        options.pricing.gathered = 150;  // so that it takes some batches
        options.pricing.certified = all.size() % 4 == 1 ? 3 : 1000;
        all.push_back(options);
      }
    }
  }
  return all;
}

const auto kNothing = [](State&, EventStream&) {};

TEST_CASE("repeat: the same batches give the same bytes on 1, 2 and 5 workers") {
  const auto seed = test::setting("HEADROOM_SEED", 11);
  INFO("HEADROOM_SEED=" << seed);
  for (const EngineOptions& options : all_options()) {
    INFO(words(options));
    const Recorded run = record(seed, 40, options, kNothing);
    CHECK(run.counters.lists > 50);
    CHECK(run.refreshes > 3);
    if (options.allot.policy == Policy::kPrice) CHECK(run.solves > 3);
    for (const std::size_t threads : {1, 2, 5}) {
      Workers workers(threads);
      Engine engine(options, workers);
      go_on(engine, run);
    }
  }
}

TEST_CASE("repeat: an engine loaded from any checkpoint goes on as if it never had stopped") {
  const auto seed = test::setting("HEADROOM_SEED", 12);
  INFO("HEADROOM_SEED=" << seed);
  std::uint64_t evicted = 0;
  int gathering = 0;
  for (const EngineOptions& options : all_options()) {
    INFO(words(options));
    Checkpoints checkpoints;
    const Recorded run = record(seed + evicted, 60, options, std::ref(checkpoints));
    evicted += run.counters.evicted_users + run.counters.evicted_items;
    CHECK(checkpoints.done.size() > 3);
    gathering += checkpoints.gathering;
    for (const Checkpoint& checkpoint : checkpoints.done) {
      INFO("from batch " << checkpoint.rest.batch);
      Workers workers(2);
      Engine engine(options, workers);
      checkpoint.rows.load_into(engine.state(), checkpoint.rest);
      if (StoredRows::all_of(engine.state()) != checkpoint.rows) FAIL("loading changes rows");
      if (engine.state().save_rest().bytes != checkpoint.rest.bytes) FAIL("loading: the rest");
      CHECK(engine.state().watch.changed() == 0);
      go_on(engine, run);
    }
  }
  CHECK(evicted > 100);
  CHECK(gathering > 20);
}

// A new process may stop again and again before it gets far.
TEST_CASE("repeat: an engine that is loaded anew after every batch is the same engine") {
  const auto seed = test::setting("HEADROOM_SEED", 13);
  INFO("HEADROOM_SEED=" << seed);
  for (const EngineOptions& options : all_options()) {
    if (options.listening.kind == ListeningKind::kRatio) continue;
    INFO(words(options));
    const Recorded run = record(seed, 40, options, kNothing);
    Workers workers(1);
    StoredRows rows;
    std::optional<SavedRest> rest;
    for (std::size_t n = 0; n < run.batches.size(); ++n) {
      Engine engine(options, workers);
      if (rest) rows.load_into(engine.state(), *rest);
      if (encoded(engine.step(run.batches[n])) != run.out[n]) FAIL("batch " << n + 1);
      // Only what changed is written.
      State& state = engine.state();
      state.watch.begin([&](RowKey key) { rows.put(state, key); });
      state.watch.copy_some(1'000'000);
      rest = state.save_rest();
    }
    if (rows != run.rows) FAIL("other rows at the end");
    if (rest->bytes != run.rest.bytes) FAIL("another rest at the end");
  }
}

// All requests of the batch at its end, with as many events that say nothing: after all of them, or
// between, so that every request is answered by itself.
Batch with_requests_last(const Batch& batch, bool apart) {
  Batch out = batch;
  const auto is_request = [](const Arrival& arrival) {
    return std::holds_alternative<Request>(arrival.event.what);
  };
  const auto first =
      std::stable_partition(out.arrivals.begin(), out.arrivals.end(), std::not_fn(is_request));
  std::vector<Arrival> requests(first, out.arrivals.end());
  out.arrivals.erase(first, out.arrivals.end());
  std::vector<Arrival> nothing;
  for (const Arrival& request : requests) {
    nothing.push_back(test::arrival(request.event.at, "nothing " + request.event.id,
                                    CheckOut{"nobody", "nowhere"}, request.place));
    if (!apart) out.arrivals.push_back(request);
  }
  for (std::size_t n = 0; n < requests.size(); ++n) {
    if (apart) out.arrivals.push_back(requests[n]);
    out.arrivals.push_back(nothing[n]);
  }
  return out;
}

TEST_CASE("repeat: a list does not depend on who is answered with it") {
  const auto seed = test::setting("HEADROOM_SEED", 14);
  INFO("HEADROOM_SEED=" << seed);
  std::uint64_t lists = 0;
  for (EngineOptions options : all_options()) {
    INFO(words(options));
    options.seen_ids = 100'000;  // in what order they came says which are forgotten first
    EventStream stream(seed, town());
    Workers workers(2);
    Engine together(options, workers), apart(options, workers);
    for (int n = 0; n < 40; ++n) {
      Batch batch = stream.next();
      batch.now = options.clock == ClockKind::kWall ? stream.now() : together.now_for(batch);
      const Outcome outcome = together.step(with_requests_last(batch, false));
      stream.saw(outcome);
      const Outcome other = apart.step(with_requests_last(batch, true));
      if (encoded(other) != encoded(outcome)) FAIL("another outcome of batch " << n + 1);
    }
    lists += together.state().counters.lists;
  }
  CHECK(lists > 5'000);
}

TEST_CASE("repeat: a row or a rest that is cut does not load") {
  EngineOptions options;
  const Recorded run = record(1, 5, options, kNothing);
  Workers workers(1);
  for (std::size_t length = 0; length < run.rest.bytes.size(); length += 7) {
    Engine engine(options, workers);
    SavedRest cut = run.rest;
    cut.bytes.resize(length);
    CHECK_THROWS_AS(run.rows.load_into(engine.state(), cut), Error);
  }
}

}  // namespace
}  // namespace headroom
