#include "support/catch.hpp"
#include "support/event_stream.hpp"
#include "support/seat_observer.hpp"
#include "support/setting.hpp"

// The hard rule, from outside: no list books more on an item than its room. Replay a failure with
// HEADROOM_SEED and HEADROOM_EVENTS.

namespace headroom {
namespace {

using test::EventStream;
using test::SeatObserver;

// A batch for each moment: under the event clock time passes within a batch, in which the tables of
// the rule `ahead` may change again and again. One moment has one table, and from outside only
// those of a batch's end are seen.
std::vector<Batch> by_moment(Batch batch) {
  std::vector<Batch> moments;
  for (Arrival& arrival : batch.arrivals) {
    const auto at = arrival.event.at;
    if (moments.empty() || moments.back().arrivals.back().event.at != at) moments.emplace_back();
    moments.back().arrivals.push_back(std::move(arrival));
  }
  return moments;
}

SeatObserver::Tally run(std::uint64_t seed, std::uint64_t events, const EngineOptions& options,
                        const EventStream::Shape& shape = {}) {
  INFO("rule " << static_cast<int>(options.ledger.rule) << " HEADROOM_SEED=" << seed
               << " HEADROOM_EVENTS=" << events);
  EventStream stream(seed, shape);
  SeatObserver observer(options, shape.items);
  Workers workers(1);
  Engine engine(options, workers);
  std::uint64_t batches = 0;
  const auto take = [&](Batch batch) {
    batch.number = ++batches;
    batch.now = options.clock == ClockKind::kWall ? stream.now() : engine.now_for(batch);
    const Outcome outcome = engine.step(batch);
    observer.watch(batch, outcome, engine.state());
    stream.saw(outcome);
  };
  if (options.clock == ClockKind::kEvent) {  // begins with records that are wrong
    Batch wrong;
    const Time future = stream.now() + std::chrono::days(27000);
    ItemUpdate item;
    item.item = "i0";
    item.capacity = Capacity{CapacityKind::kSeats, 3, {}};
    wrong.arrivals.push_back(test::arrival(future, "wrong-0", item));
    wrong.arrivals.push_back(test::arrival(future, "wrong-1", CheckIn{"u1", "i0", 1.0F, {}}));
    wrong.arrivals.push_back(test::arrival(future, "wrong-2", Request{"u0", 5, 1, {}}));
    take(std::move(wrong));
  }
  const bool cut = options.clock == ClockKind::kEvent && options.ledger.rule == RoomRule::kAhead;
  while (observer.tally().events < events && observer.tally().disagreements == 0) {
    Batch batch = stream.next();
    if (!cut) {
      take(std::move(batch));
      continue;
    }
    for (Batch& moment : by_moment(std::move(batch))) take(std::move(moment));
  }
  if (options.most_items < static_cast<std::size_t>(shape.items)) {
    CHECK(engine.state().counters.evicted_items > events / 500);
  }
  const auto& tally = observer.tally();
  CAPTURE(tally.first, tally.worst, tally.lists, tally.places, tally.full);
  CHECK(tally.violations == 0);
  CHECK(tally.disagreements == 0);
  // It was crowded: lists were made, and could not always be filled.
  CHECK(tally.lists > events / 5);
  CHECK(tally.places > events / 4);
  const Policy policy = options.allot.policy;
  if (policy == Policy::kGreedy || policy == Policy::kPrice) CHECK(tally.full > events / 10);
  CHECK(tally.refreshes > events / 100);
  return tally;
}

EngineOptions options_of(ClockKind clock, RoomRule rule = RoomRule::kAhead) {
  EngineOptions options;
  options.clock = clock;
  options.ledger.rule = rule;
  options.learner.rank = 4;
  options.allot.policy = Policy::kGreedy;
  options.allot.holding = Holding::kWhole;
  options.pricing.every = std::chrono::minutes(2);
  // The observer judges seats: whatever has room is listed.
  options.lists.ignored = std::chrono::milliseconds(0);
  options.lists.visited = Visited::kShow;
  return options;
}

TEST_CASE("the hard rule holds through random events, as seen from outside") {
  const auto events = test::setting("HEADROOM_EVENTS", 30000);
  for (const RoomRule rule : {RoomRule::kNow, RoomRule::kAhead}) {
    for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
      run(test::setting("HEADROOM_SEED", 1), events / 4, options_of(clock, rule));
    }
  }
}

void run_under(Policy policy, Holding holding, RoomRule rule) {
  for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
    EngineOptions options = options_of(clock, rule);
    options.allot.policy = policy;
    options.allot.holding = holding;
    CAPTURE(to_string(policy), holding == Holding::kWhole);
    run(test::setting("HEADROOM_SEED", 7), 4000, options);
  }
}

TEST_CASE("the hard rule holds under every policy, whatever a place holds") {
  for (const Holding holding : {Holding::kChoice, Holding::kWhole}) {
    for (const Policy policy : {Policy::kNone, Policy::kCutoff, Policy::kGreedy, Policy::kPrice}) {
      for (const RoomRule rule : {RoomRule::kNow, RoomRule::kAhead}) {
        run_under(policy, holding, rule);
      }
    }
  }
}

TEST_CASE("the hard rule holds where more come than may be known") {
  for (const RoomRule rule : {RoomRule::kNow, RoomRule::kAhead}) {
    for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
      EngineOptions options = options_of(clock, rule);
      options.most_users = 40;
      const auto tally = run(test::setting("HEADROOM_SEED", 3), 10000, options);
      CHECK(tally.strangers > 100);
    }
  }
}

void run_where_items_leave(std::uint64_t seed, std::uint64_t events, ClockKind clock,
                           RoomRule rule) {
  EngineOptions options = options_of(clock, rule);
  options.most_items = 20;
  EventStream::Shape shape;
  shape.items = 30;
  shape.limited = 0.5;
  shape.removed = 0.3;
  run(seed, events, options, shape);
}

TEST_CASE("the hard rule holds where items leave and come back") {
  for (const RoomRule rule : {RoomRule::kNow, RoomRule::kAhead}) {
    for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
      run_where_items_leave(test::setting("HEADROOM_SEED", 5), 10000, clock, rule);
    }
  }
}

TEST_CASE("the hard rule holds through a million random events", "[.long]") {
  const auto events = test::setting("HEADROOM_EVENTS", 1'000'000);
  for (const RoomRule rule : {RoomRule::kNow, RoomRule::kAhead}) {
    for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
      EngineOptions options = options_of(clock, rule);
      const auto tally = run(test::setting("HEADROOM_SEED", 2), events / 4, options);
      options.allot = {};
      run(test::setting("HEADROOM_SEED", 2), events / 4, options);
      run_where_items_leave(test::setting("HEADROOM_SEED", 6), events / 10, clock, rule);
      WARN((rule == RoomRule::kNow ? "now: " : "ahead: ")
           << tally.events << " events, " << tally.places << " places on " << tally.lists
           << " lists, " << tally.violations << " violations, rooms agree within " << tally.worst);
    }
  }
}

}  // namespace
}  // namespace headroom
