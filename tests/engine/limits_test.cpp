#include "support/catch.hpp"
#include "support/event_stream.hpp"
#include "support/setting.hpp"

// Who leaves at the limit, found by looking at every row.

namespace headroom {
namespace {

using test::EventStream;

template <class Ix, class MayLeave>
std::optional<Ix> longest_unseen(const Roster<Ix>& roster, const Recency<Ix>& recency,
                                 const MayLeave& may_leave) {
  std::optional<Ix> oldest;
  for (std::uint32_t row = 0; row < roster.rows(); ++row) {
    const Ix ix{row};
    if (!roster.has(ix) || !may_leave(ix)) continue;
    if (!oldest || recency.sight(ix) < recency.sight(*oldest)) oldest = ix;
  }
  return oldest;
}

TEST_CASE("limits: who leaves next is the longest unseen of all that may") {
  const auto seed = test::setting("HEADROOM_SEED", 21);
  INFO("HEADROOM_SEED=" << seed);
  for (const ClockKind clock : {ClockKind::kWall, ClockKind::kEvent}) {
    EventStream::Shape shape;
    shape.most_in_batch = 5;
    shape.items = 40;
    shape.pace = std::chrono::seconds(90);
    EventStream stream(seed, shape);
    EngineOptions options;
    options.clock = clock;
    options.learner.rank = 2;
    options.most_users = 35;
    options.most_items = 34;
    Workers workers(1);
    Engine engine(options, workers);
    State& state = engine.state();
    int none = 0;
    for (int n = 0; n < 4000; ++n) {
      Batch batch = stream.next();
      batch.now = clock == ClockKind::kWall ? stream.now() : engine.now_for(batch);
      stream.saw(engine.step(batch));
      const auto user = longest_unseen(state.users, state.user_recency,
                                       [&](UserIx ix) { return state.ledger.idle(ix); });
      const auto item = longest_unseen(state.items, state.item_recency,
                                       [&](ItemIx ix) { return state.may_leave(ix); });
      if (state.leaving_user() != user) FAIL("another user leaves after batch " << n + 1);
      if (state.leaving_item() != item) FAIL("another item leaves after batch " << n + 1);
      none += user && item ? 0 : 1;
    }
    CHECK(state.counters.evicted_users > 50);
    CHECK(state.counters.evicted_items > 10);
    CHECK(none > 50);
  }
}

TEST_CASE("limits: the last names of removed items are known, each until it is taken") {
  RemovedNames names;
  const auto count = static_cast<int>(RemovedNames::kMost);
  for (int n = 0; n < count + 10; ++n) names.add(test::numbered("i", n), n);
  ByteWriter bytes;
  names.save(bytes);
  CHECK(bytes.bytes().size() < 70'000);
  ByteReader from(bytes.bytes());
  RemovedNames loaded;
  loaded.load(from);
  CHECK_FALSE(loaded.take("i9"));
  for (int n = 10; n < count + 10; ++n) {
    const auto removed = loaded.take(test::numbered("i", n));
    if (!removed || removed->sold != n) FAIL("number " << n);
  }
  CHECK_FALSE(loaded.take("i10"));
}

}  // namespace
}  // namespace headroom
