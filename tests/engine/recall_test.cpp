#include "support/catch.hpp"
#include "support/event_stream.hpp"

// A store that was lost is made again from events and from the lists that were delivered.

namespace headroom {
namespace {

using test::EventStream;

Party party_of(const Batch& batch) {
  const auto* const request = std::get_if<Request>(&batch.arrivals.front().event.what);
  return request != nullptr ? request->party : Party{1};
}

Batch one_of(const Batch& batch, std::size_t n, std::uint64_t number) {
  Batch one;
  one.number = number;
  one.arrivals.push_back(batch.arrivals[n]);
  return one;
}

}  // namespace

TEST_CASE("lists that are recalled hold what they held, and are answered as they were") {
  EngineOptions options;
  options.clock = ClockKind::kEvent;
  options.learner.rank = 4;
  options.pressure.alpha = 0.0F;
  // What nobody asked for is recalled as if somebody had: it holds its seats longer.
  options.refresh.per_second = 0;
  // The tables of `ahead` are fitted at moments that recalled lists come a little later than.
  options.ledger.rule = RoomRule::kNow;
  EngineOptions again = options;
  again.answers = false;
  Workers workers(1);
  Engine lived(options, workers), rebuilt(again, workers);
  EventStream stream(3, {});
  std::uint64_t number = 0, lists = 0, full = 0;
  while (lists < 3000) {
    const Batch batch = stream.next();
    for (std::size_t n = 0; n < batch.arrivals.size(); ++n) {
      Batch one = one_of(batch, n, ++number);
      one.now = lived.now_for(one);
      const Outcome outcome = lived.step(one);
      stream.saw(outcome);
      REQUIRE(rebuilt.now_for(one) == one.now);
      REQUIRE(rebuilt.step(one).lists.empty());
      for (const RankedList& list : outcome.lists) {
        rebuilt.recall(list, party_of(one));
        ++lists;
        full += list.reason.empty() ? 0 : 1;
      }
      const auto rooms = lived.state().ledger.rooms(), found = rebuilt.state().ledger.rooms();
      REQUIRE(rooms.size() == found.size());
      for (std::size_t j = 0; j < rooms.size(); ++j) REQUIRE(rooms[j] == found[j]);
    }
  }
  CHECK(full > lists / 10);
  REQUIRE(lived.state().users.rows() == rebuilt.state().users.rows());
  std::size_t listened = 0;
  const Time now = lived.state().ledger.now();
  for (std::uint32_t row = 0; row < lived.state().users.rows(); ++row) {
    const UserIx user{row};
    if (!lived.state().users.has(user)) continue;
    CHECK(lived.state().listening.mean(user, now) == rebuilt.state().listening.mean(user, now));
    CHECK(lived.state().ledger.open_list(user) == rebuilt.state().ledger.open_list(user));
    ++listened;
  }
  CHECK(listened > 20);
}

}  // namespace headroom
