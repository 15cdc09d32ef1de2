#include "simulator/quality.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include "simulator/contenders.hpp"
#include "simulator/event_stream.hpp"
#include "support/catch.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

Interaction event(std::uint32_t user, std::uint32_t item, std::int64_t second) {
  return {UserIx{user}, ItemIx{item}, 1.0F, Time(std::chrono::seconds(second))};
}

Dataset town(std::size_t users, std::size_t items, std::vector<Interaction> events = {}) {
  Dataset data;
  data.name = "test";
  data.has_time = true;
  for (std::size_t i = 0; i < users; ++i)
    data.users.push_back(std::string("u").append(std::to_string(i)));
  for (std::size_t j = 0; j < items; ++j)
    data.items.push_back(std::string("i").append(std::to_string(j)));
  data.interactions = std::move(events);
  return data;
}

// Scores that are said beforehand; notes the batches that it is given.
class Told : public Contender {
 public:
  using Scores = std::function<float(UserIx, ItemIx)>;
  explicit Told(Scores scores) : scores_(std::move(scores)) {}
  float score(UserIx user, ItemIx item) const override { return scores_(user, item); }
  void score_all(UserIx user, std::span<float> by_item) const override {
    for (std::uint32_t j = 0; j < by_item.size(); ++j) by_item[j] = scores_(user, ItemIx{j});
  }
  void learn(std::span<const Interaction> batch) override { batches.push_back(batch.size()); }
  std::vector<std::size_t> batches;

 private:
  Scores scores_;
};

Quality judge_by(const Dataset& data, Contender& contender, const Protocol& protocol = {}) {
  Workers workers(1);
  Contender* const contenders[] = {&contender};
  return judge(data, data.interactions, contenders, protocol, workers);
}

bool same(const Quality& a, const Quality& b) {
  const auto equal = [](const Judged& x, const Judged& y) {
    return x.auc == y.auc && x.hr10 == y.hr10;
  };
  if (a.events != b.events || a.early_events != b.early_events || a.of.size() != b.of.size()) {
    return false;
  }
  for (std::size_t k = 0; k < a.of.size(); ++k) {
    if (!equal(a.of[k].all, b.of[k].all) || !equal(a.of[k].early, b.of[k].early) ||
        !equal(a.of[k].second_half, b.of[k].second_half)) {
      return false;
    }
  }
  return true;
}

constexpr auto kOne = UserIx{0};

}  // namespace

TEST_CASE("a pair is won, lost or tied") {
  CHECK(pair_won(2.0F, 1.0F) == 1.0);
  CHECK(pair_won(1.0F, 2.0F) == 0.0);
  CHECK(pair_won(1.0F, 1.0F) == 0.5);
}

TEST_CASE("a hit is a place among the best, and ties share the places there are") {
  const std::vector<float> scores = {5, 4, 3, 3, 3, 1};
  CHECK(hit_chance(scores, ItemIx{0}, {}, 1) == 1.0);
  CHECK(hit_chance(scores, ItemIx{1}, {}, 1) == 0.0);
  CHECK(hit_chance(scores, ItemIx{1}, {}, 2) == 1.0);
  CHECK(hit_chance(scores, ItemIx{2}, {}, 2) == 0.0);
  CHECK(hit_chance(scores, ItemIx{2}, {}, 3) == 1.0 / 3.0);
  CHECK(hit_chance(scores, ItemIx{3}, {}, 4) == 2.0 / 3.0);
  CHECK(hit_chance(scores, ItemIx{5}, {}, 5) == 0.0);
  CHECK(hit_chance(scores, ItemIx{5}, {}, 10) == 1.0);
  const std::vector<ItemIx> past = {ItemIx{0}, ItemIx{3}};
  CHECK(hit_chance(scores, ItemIx{1}, past, 1) == 1.0);
  CHECK(hit_chance(scores, ItemIx{2}, past, 2) == 0.5);
}

TEST_CASE("who knows the answers is always right, and who has them upside down never") {
  const Dataset data = town(1, 30, {event(0, 3, 0), event(0, 4, 10), event(0, 5, 20)});
  // 3 before 4 before 5 before all others: the user comes to them in this order.
  const auto rightly = [](ItemIx item) {
    return index(item) >= 3 && index(item) <= 5 ? 10.0F - static_cast<float>(index(item)) : 0.0F;
  };
  Told right([=](UserIx, ItemIx item) { return rightly(item); });
  const Quality best = judge_by(data, right);
  CHECK(best.of[0].all.auc == 1.0);
  CHECK(best.of[0].all.hr10 == 1.0);
  Told wrong([=](UserIx, ItemIx item) { return -rightly(item); });
  const Quality worst = judge_by(data, wrong);
  CHECK(worst.of[0].all.auc == 0.0);
  CHECK(worst.of[0].all.hr10 == 0.0);
  Told blind([](UserIx, ItemIx) { return 0.0F; });
  const Quality none = judge_by(data, blind);
  CHECK(none.of[0].all.auc == 0.5);
  CHECK(none.of[0].all.hr10 == Approx((10.0 / 30 + 10.0 / 29 + 10.0 / 28) / 3));
}

TEST_CASE("halves go by the place in the stream, early events by the user's own") {
  // User 0 has events 1, 2, 3, 5, 6, 8 of the stream, user 1 events 4 and 7.
  const Dataset data =
      town(2, 40,
           {event(0, 10, 0), event(0, 11, 10), event(0, 12, 20), event(1, 13, 30), event(0, 14, 40),
            event(0, 15, 50), event(1, 16, 60), event(0, 17, 70)});
  // In the stream's order only items 11, 14 and 16 are hit; nothing else that is drawn matters.
  Told told([](UserIx, ItemIx item) {
    if (index(item) == 11 || index(item) == 14 || index(item) == 16) return 2.0F;
    return index(item) < 10 || index(item) >= 18 ? 1.0F : 0.0F;
  });
  const Quality q = judge_by(data, told);
  CHECK(q.events == 8);
  CHECK(q.users == 2);
  CHECK(q.of[0].all.hr10 == 3.0 / 8);
  CHECK(q.of[0].second_half.hr10 == 2.0 / 4);
  // Of user 0: 11, 12, 14, 15; of user 1: 16.
  CHECK(q.early_events == 5);
  CHECK(q.of[0].early.hr10 == 3.0 / 5);
}

TEST_CASE("the past is left out of the ranking, except for a revisit") {
  // Twelve items are better than item 12; ten of them are in the past when it comes.
  std::vector<Interaction> events;
  for (std::uint32_t j = 0; j < 10; ++j) events.push_back(event(0, j, 10 * j));
  events.push_back(event(0, 12, 200));
  events.push_back(event(0, 12, 300));  // now all of them count again
  const Dataset data = town(1, 20, events);
  Told told([](UserIx, ItemIx item) { return 20.0F - static_cast<float>(index(item)); });
  Workers workers(1);
  Contender* const contenders[] = {&told};
  CHECK(judge(data, data.interactions, contenders, {}, workers).of[0].all.hr10 == 11.0 / 12);
  const auto first = event_stream(data, {.first_visits = true});
  CHECK(first.size() == 11);
  CHECK(judge(data, first, contenders, {}, workers).of[0].all.hr10 == 1.0);
}

TEST_CASE("a negative is never one that the user has had, nor the item itself") {
  // Of three items the user has two: each later event has one item to be set against.
  const Dataset data = town(1, 3, {event(0, 0, 0), event(0, 1, 10), event(0, 0, 20)});
  Told told([](UserIx, ItemIx item) { return static_cast<float>(index(item)); });
  const Quality q = judge_by(data, told);
  // 0 loses to both; 1 can only meet 2; 0 again can only meet 2.
  CHECK(q.of[0].all.auc == 0.0);
  // When nothing is left to draw, the event is not counted.
  const Dataset all = town(1, 2, {event(0, 0, 0), event(0, 1, 10)});
  CHECK(judge_by(all, told).of[0].all.auc == 0.0);
  CHECK(std::isnan(judge_by(all, told).of[0].second_half.auc));
}

TEST_CASE("a batch is judged before any of it is learned") {
  // Users 0, 1 and 2 come to item 1 in the same second, user 3 two seconds later.
  const Dataset data =
      town(4, 12, {event(0, 1, 100), event(1, 1, 100), event(2, 1, 101), event(3, 1, 102)});
  const auto hits = [&](double seconds) {
    CountContender count(data.items.size());
    return judge_by(data, count, {.batch_seconds = seconds}).of[0].all.hr10;
  };
  const double unknown = 10.0 / 12;  // all twelve items are tied
  CHECK(hits(0.0) == Approx((unknown + 3) / 4));
  CHECK(hits(0.5) == Approx((2 * unknown + 2) / 4));
  CHECK(hits(1.0) == Approx((3 * unknown + 1) / 4));
  CHECK(hits(2.0) == Approx(unknown));
  Told told([](UserIx, ItemIx) { return 0.0F; });
  judge_by(data, told, {.batch_seconds = 1.0});
  CHECK(told.batches == std::vector<std::size_t>{3, 1});
}

TEST_CASE("the running count counts events") {
  CountContender count(3);
  count.learn(std::vector{event(0, 1, 0), event(1, 1, 0), event(1, 2, 0)});
  std::vector<float> scores(3);
  count.score_all(kOne, scores);
  CHECK(scores == std::vector<float>{0, 2, 1});
  CHECK(count.score(kOne, ItemIx{1}) == 2.0F);
}

TEST_CASE("a stream ends at the limit, and without a calendar its order is its time") {
  Dataset data = town(2, 3, {event(0, 0, 0), event(0, 0, 0), event(0, 1, 0), event(1, 2, 0)});
  CHECK(event_stream(data, {.limit = 3}).size() == 3);
  CHECK(event_stream(data, {.first_visits = true, .limit = 3}).back().item == ItemIx{2});
  data.has_time = false;
  const auto stream = event_stream(data, {});
  CHECK(stream.back().at - stream.front().at == std::chrono::seconds(3));
}

TEST_CASE("rare users and items go, with their events, names and places") {
  Dataset data = town(3, 4,
                      {event(0, 1, 0), event(0, 1, 1), event(0, 3, 2), event(1, 1, 3),
                       event(1, 3, 4), event(2, 3, 5), event(1, 0, 6)});
  data.places = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  const Dataset kept = keep_frequent(data, 2);
  CHECK(kept.users == std::vector<std::string>{"u0", "u1"});
  CHECK(kept.items == std::vector<std::string>{"i1", "i3"});
  CHECK(kept.interactions.size() == 5);
  CHECK(kept.places[1].lat == 3.0);
  CHECK(kept.interactions[2].item == ItemIx{1});
}

TEST_CASE("the engine gives the same figures on any number of threads") {
  // 400 events in a second and 1,000 items: enough for judge() to call the crew.
  std::vector<Interaction> events;
  for (std::uint32_t n = 0; n < 1200; ++n) {
    events.push_back(event(n % 90, n * n % 997, 100 * (n / 400)));
  }
  const Dataset data = town(90, 1000, events);
  const auto run = [&](std::size_t threads, double seconds) {
    Workers workers(threads);
    EngineContender engine(data, {}, workers);
    CountContender count(data.items.size());
    Contender* const contenders[] = {&engine, &count};
    return judge(data, data.interactions, contenders, {.batch_seconds = seconds}, workers);
  };
  for (const double seconds : {0.0, 1.0, 1000.0}) {
    const Quality one = run(1, seconds);
    CHECK(same(one, run(2, seconds)));
    CHECK(same(one, run(5, seconds)));
    CHECK(one.events == 1200);
  }
  CHECK_FALSE(same(run(1, 0.0), run(1, 1.0)));
}

TEST_CASE("the engine learns every event, whatever the gaps in time") {
  constexpr std::int64_t kMonth = 30 * 86'400;
  const Dataset data = town(3, 25, {event(0, 1, 0), event(1, 1, kMonth), event(2, 2, 5 * kMonth)});
  Workers workers(1);
  EngineContender engine(data, {}, workers);
  CHECK(judge_by(data, engine).events == 3);
  CHECK(engine.engine().state().counters.learned == 3);
  CHECK(engine.engine().state().items.size() == 25);
  CHECK(time_learning(data, data.interactions, 1.0, {}, workers).seconds > 0.0);
}
