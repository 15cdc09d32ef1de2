#include "simulator/replay.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"
#include "simulator/event_stream.hpp"
#include "simulator/generated.hpp"
#include "simulator/replay_report.hpp"
#include "simulator/seat_judge.hpp"
#include "support/catch.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace std::chrono_literals;

namespace {

Time at(std::int64_t second) { return Time(std::chrono::seconds(second)); }

constexpr ItemIx kFirst{0}, kSecond{1};
constexpr UserIx kAnna{0}, kBert{1};

// Two hours of a small town: so dense that lists get in each other's way.
Dataset town() {
  Dataset data = generate_city({80, 40, 7});
  std::int64_t second = 0;
  for (Interaction& event : data.interactions) event.at = at(1'000'000 + 30 * second++);
  return data;
}

ReplayWorld world_of(const Dataset& data) {
  ReplayWorld world{data, event_stream(data, {}), {}, 1.0};
  world.given.capacity.assign(data.items.size(), 3.0F);
  for (const std::string& user : data.users) world.given.propensity[user] = 0.1F;
  return world;
}

ReplayOptions short_holds() {
  ReplayOptions options;
  options.hold = 60min;
  options.period = {{}, 100};
  options.engine.allot.holding = Holding::kWhole;
  options.engine.ledger.rule = RoomRule::kNow;
  options.engine.refresh.per_second = 0;
  options.engine.pricing.every = 10min;
  options.engine.pricing.memory = 6h;
  return options;
}

struct Ran {
  ListTrace trace;
  ReplayRun run;
};
Ran run_of(const Dataset& data, ReplayPolicy policy, std::size_t threads = 1) {
  const ReplayWorld world = world_of(data);
  const ReplayOptions options = short_holds();
  Workers workers(threads);
  ListTrace trace = trace_unconstrained(world, options, workers);
  ReplayRun run = replay(world, options, policy, 1.0, trace, workers);
  return {std::move(trace), std::move(run)};
}

bool same(const ReplayFigures& a, const ReplayFigures& b) {
  const auto names = replay_figure_names();
  return a.from == b.from && a.to == b.to &&
         std::all_of(names.begin(), names.end(), [&](const ReplayFigureName& name) {
           const double x = a.*name.of, y = b.*name.of;
           return x == y || (std::isnan(x) && std::isnan(y));
         });
}

}  // namespace

TEST_CASE(
    "a place brings its people until the user's next list, an answer or the end of the hold") {
  const std::array<float, 2> capacity = {1.0F, 0.25F};
  SeatJudge judge(capacity, 2, 100s, 0ms);
  std::array<double, 2> fits{};
  const std::array items = {kFirst, kSecond};
  const std::array<float, 2> half = {0.5F, 0.5F};

  judge.advance(at(0));
  judge.show(kAnna, items, half, fits);
  CHECK(fits == std::array{1.0, 0.5});
  judge.advance(at(10));
  judge.show(kBert, items, half, fits);
  CHECK(fits == std::array{1.0, 0.0});
  judge.advance(at(20));
  judge.show(kAnna, items, half, fits);  // in the place of the one before
  CHECK(fits == std::array{1.0, 0.0});
  judge.answer(kAnna);
  judge.advance(at(1000));  // the other one's ended at 110

  const SeatJudge::Sums sums = judge.sums();
  CHECK(sums.overloaded == Approx(110.0));   // the second item's, from 0 on
  CHECK(sums.full == Approx(110.0 + 10.0));  // and the first one's, from 10 to 20
  CHECK(sums.beyond == Approx(10 * 0.25 + 10 * 0.75 + 90 * 0.25));
  CHECK(sums.people == Approx(10 * 1.0 + 10 * 2.0 + 90 * 1.0));
}

TEST_CASE("a visit takes a whole seat for as long as it stays, and one person is at one place") {
  const std::array<float, 2> capacity = {1.0F, 1.0F};
  SeatJudge judge(capacity, 2, 100s, 50s);
  std::array<double, 1> fits{};
  judge.advance(at(0));
  judge.visit(kAnna, kFirst);
  judge.show(kBert, std::array{kFirst}, std::array{0.5F}, fits);
  CHECK(fits[0] == 0.0);
  judge.advance(at(10));
  judge.visit(kAnna, kSecond);
  judge.show(kBert, std::array{kFirst}, std::array{0.5F}, fits);
  CHECK(fits[0] == 1.0);
  judge.advance(at(60));
  judge.show(kBert, std::array{kSecond}, std::array{1.0F}, fits);
  CHECK(fits[0] == 1.0);
}

TEST_CASE("what comes later changes nothing before it") {
  const Dataset data = town();
  Dataset other = data;
  const std::size_t half = data.interactions.size() / 2;
  std::vector<Interaction> later(other.interactions.begin() + static_cast<std::ptrdiff_t>(half),
                                 other.interactions.end());
  Draws(5, Purpose::kOrder, 0).shuffle_first(std::span(later), later.size());
  for (std::size_t n = 0; n < later.size(); ++n) {
    other.interactions[half + n].user = later[n].user;
    other.interactions[half + n].item = later[n].item;
  }
  const auto policy = GENERATE(ReplayPolicy::kNone, ReplayPolicy::kCutoff, ReplayPolicy::kCap,
                               ReplayPolicy::kGreedy, ReplayPolicy::kPrice, ReplayPolicy::kBoth,
                               ReplayPolicy::kPopularity, ReplayPolicy::kRandom);
  INFO(to_string(policy));
  const Ran a = run_of(data, policy), b = run_of(other, policy);
  REQUIRE(std::equal(a.trace.listen.begin(), a.trace.listen.begin() + static_cast<long>(half),
                     b.trace.listen.begin()));
  const std::size_t whole = half / 100;  // periods before the half
  REQUIRE(whole >= 3);
  for (std::size_t n = 0; n < whole; ++n) CHECK(same(a.run.periods[n], b.run.periods[n]));
  CHECK_FALSE(same(a.run.total, b.run.total));
}

TEST_CASE("a replay is the same on any number of threads") {
  const Dataset data = town();
  const auto policy = GENERATE(ReplayPolicy::kPrice, ReplayPolicy::kBoth);
  const Ran a = run_of(data, policy, 1), b = run_of(data, policy, 2);
  CHECK(a.trace.items == b.trace.items);
  CHECK(same(a.run.total, b.run.total));
}

TEST_CASE("greedy lists and prices send nobody beyond the seats, lists without them do") {
  const Dataset data = town();
  const ReplayRun none = run_of(data, ReplayPolicy::kNone).run;
  CHECK(none.total.overload_people > 0.05);
  CHECK(none.total.overload_time > 0.05);
  CHECK(none.total.turned_away > 0.0);
  for (const auto policy : {ReplayPolicy::kGreedy, ReplayPolicy::kPrice}) {
    const ReplayRun run = run_of(data, policy).run;
    CHECK(run.total.overload_people == 0.0);
    CHECK(run.total.overload_time == 0.0);
    CHECK(run.total.events == none.total.events);
  }
}

TEST_CASE("periods add up to the whole, but for what warms up") {
  const Dataset data = town();
  const ReplayWorld world = world_of(data);
  ReplayOptions options = short_holds();
  options.warm = 0.25;
  Workers workers(1);
  const ListTrace trace = trace_unconstrained(world, options, workers);
  const ReplayRun run = replay(world, options, ReplayPolicy::kNone, 1.0, trace, workers);
  const auto warm = static_cast<std::size_t>(0.25 * static_cast<double>(world.stream.size()));
  double events = 0.0, sent = 0.0;
  for (const ReplayFigures& period : run.periods) {
    if (period.from < run.total.from) continue;
    events += period.events;
    sent += period.people_sent;
  }
  CHECK(events == static_cast<double>(world.stream.size() - warm));
  CHECK(run.total.events == events);
  CHECK(run.total.people_sent == Approx(sent));
}

TEST_CASE("capacities are scaled to the overload that is asked for") {
  const Dataset data = town();
  const ReplayWorld world = world_of(data);
  const ReplayOptions options = short_holds();
  Workers workers(1);
  const ListTrace trace = trace_unconstrained(world, options, workers);
  const double scale = capacity_scale(world, options, trace, 0.3);
  const ReplayRun run = replay(world, options, ReplayPolicy::kNone, scale, trace, workers);
  CHECK(run.total.overload_people == Approx(0.3).margin(0.002));
}

TEST_CASE("the most visited come first, less what the user has had") {
  Dataset data;
  data.users = {"a", "b"};
  data.items = {"i", "j", "k"};
  ServerOptions options;
  options.places = 2;
  options.hide_visited = true;
  PopularServer server(data, options);
  const auto serve = [&](UserIx user, ItemIx item) { return server.serve({user, item}).items; };
  serve(kAnna, ItemIx{2});
  serve(kBert, ItemIx{2});
  CHECK(serve(kAnna, ItemIx{1}) == std::vector{ItemIx{1}, ItemIx{0}});
  CHECK(serve(kBert, ItemIx{1}) == std::vector{ItemIx{1}, ItemIx{0}});
  CHECK(serve(kAnna, ItemIx{0}) == std::vector{ItemIx{0}});
}

TEST_CASE("periods and durations are read from words") {
  CHECK(parse_period("250").events == 250);
  CHECK(parse_period("1.5h").time == 90min);
  CHECK(parse_duration("--hold", "90s") == 90s);
  CHECK(parse_duration("--hold", "1d") == 24h);
  for (const char* words : {"", "d", "-1d", "1w", "1 d", "nan", "1dd", "9999d"}) {
    CHECK_THROWS_AS(parse_duration("--hold", words), Error);
  }
  for (const char* words : {"0", "0d", "-5", "x"}) CHECK_THROWS_AS(parse_period(words), Error);
}

TEST_CASE("intervals are Student's over seeds, and differences are paired") {
  const Interval three = interval_of({1.0, 2.0, 3.0});
  CHECK(three.mean == Approx(2.0));
  CHECK(three.high - three.mean == Approx(4.303 / std::sqrt(3.0)));
  CHECK(std::isnan(interval_of({1.0}).low));

  std::vector<ReplayRun> runs;
  for (std::uint64_t seed : {1, 2, 3}) {
    for (const auto policy : {ReplayPolicy::kNone, ReplayPolicy::kGreedy, ReplayPolicy::kBoth}) {
      ReplayRun run;
      run.policy = policy;
      run.overload = 0.4;
      run.seed = seed;
      const double base = 0.1 * static_cast<double>(seed);  // seeds differ, policies by the same
      run.total.hit_rate = policy == ReplayPolicy::kNone     ? 2 * base
                           : policy == ReplayPolicy::kGreedy ? base
                                                             : base + 0.05;
      runs.push_back(run);
    }
  }
  const ReplayReport report = report_of(runs, {0.5});
  REQUIRE(report.reference == ReplayPolicy::kBoth);
  REQUIRE(report.rows.size() == 3);
  const ReplayRow& greedy = report.rows[1];
  CHECK(greedy.scale == 0.5);
  CHECK(greedy.hits_kept.mean == Approx(0.5));
  CHECK(greedy.hits_kept.high == Approx(0.5));
  const auto hits = static_cast<std::size_t>(1);  // replay_figure_names()[1]
  REQUIRE(replay_figure_names()[hits].name == "hit_rate");
  CHECK(greedy.less_default[hits].mean == Approx(-0.05));
  CHECK(greedy.less_default[hits].high == Approx(-0.05));
}
