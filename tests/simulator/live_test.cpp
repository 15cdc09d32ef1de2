#include "simulator/live.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "simulator/life_settings.hpp"
#include "simulator/list_makers.hpp"
#include "simulator/live_files.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

LifeOptions small_life() {
  LifeOptions life;
  life.users = 400;
  life.items = 40;
  life.history_days = 3;
  life.days = 2;
  life.warm_days = 1;
  return life;
}

// Looks at what its lists are asked and told, and passes it on.
class Watching : public PopularLists {
 public:
  explicit Watching(const LifePlan& plan) : PopularLists(plan), plan_(plan) {}

  void ask(std::uint32_t user, Time at) override {
    asks.emplace_back(user, at);
    PopularLists::ask(user, at);
  }
  void follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) override {
    ++follows;
    const auto known = offers.find(list);
    listed += known != offers.end() && std::find(known->second.begin(), known->second.end(),
                                                 item) != known->second.end()
                  ? 1
                  : 0;
    PopularLists::follow(user, list, item, at);
  }
  void ignore(std::uint32_t user, const OutputId& list, Time at) override {
    ++ignores;
    PopularLists::ignore(user, list, at);
  }
  void check_in(std::uint32_t user, std::uint32_t item, Time at) override {
    if (at >= plan_.live_from()) {
      const int here = ++present[item];
      if (plan_.capacity(item).kind == CapacityKind::kSeats)
        most = std::max(most, here - limit(item));
      if (plan_.capacity(item).kind == CapacityKind::kStock)
        sold = std::max(sold, here - limit(item));
    }
    PopularLists::check_in(user, item, at);
  }
  void check_out(std::uint32_t user, std::uint32_t item, Time at) override {
    if (plan_.capacity(item).kind != CapacityKind::kStock) --present[item];
    PopularLists::check_out(user, item, at);
  }
  std::vector<Served> settle(Time now) override {
    auto served = PopularLists::settle(now);
    for (const Served& one : served) offers[one.list] = one.items;
    return served;
  }

  std::vector<std::pair<std::uint32_t, Time>> asks;
  std::map<OutputId, std::vector<std::uint32_t>> offers;
  std::map<std::uint32_t, int> present;
  int follows = 0, listed = 0, ignores = 0;
  int most = -1000, sold = -1000;  // people beyond the seats, copies beyond the stock

 private:
  int limit(std::uint32_t item) const { return static_cast<int>(plan_.capacity(item).limit); }
  const LifePlan& plan_;
};

double seated(const LifeSeen& seen) { return seen.all().seated; }

}  // namespace

TEST_CASE("a truth of listening is what it is called") {
  const Time noon(std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + std::chrono::hours(12));
  const auto mean = [](const ListeningTruth& truth, Time at) {
    double sum = 0.0;
    for (std::uint32_t user = 0; user < 2000; ++user) sum += truth.chance(user, at);
    return sum / 2000.0;
  };
  const auto moved = [](const ListeningTruth& truth, Time a, Time b) {
    int count = 0;
    for (std::uint32_t user = 0; user < 2000; ++user) {
      count += std::abs(truth.chance(user, a) - truth.chance(user, b)) > 0.02 ? 1 : 0;
    }
    return count;
  };
  const Time dinner = noon + std::chrono::hours(7), later = noon + std::chrono::days(7);
  const ListeningTruth constant(TruthKind::kConstant, 2000, 1);
  CHECK(mean(constant, noon) == Approx(0.3).margin(0.02));
  CHECK(moved(constant, noon, later) == 0);
  const ListeningTruth hour(TruthKind::kHour, 2000, 1);
  CHECK(mean(hour, dinner) > mean(hour, noon) + 0.15);
  CHECK(moved(hour, noon, later) == 0);
  const ListeningTruth drift(TruthKind::kDrift, 2000, 1);
  CHECK(moved(drift, noon, later) > 1000);
  CHECK(moved(drift, noon, noon + std::chrono::minutes(5)) == 0);
  const ListeningTruth jump(TruthKind::kJump, 2000, 1);
  const int by_day = moved(jump, noon, noon + std::chrono::days(1));
  CHECK(by_day > 300);  // a quarter of all jump on a day
  CHECK(by_day < 700);
  ListeningTruth experience(TruthKind::kExperience, 2000, 1);
  const double before = experience.chance(7, noon);
  experience.met_full(7, noon);
  CHECK(experience.chance(7, noon) < 0.8 * before);
  CHECK(experience.chance(7, noon + std::chrono::days(60)) == Approx(before).epsilon(0.01));
  const ListeningTruth groups(TruthKind::kGroups, 2000, 1);
  int never = 0;
  for (std::uint32_t user = 0; user < 2000; ++user) never += groups.chance(user, noon) < 0.03;
  CHECK(never == Approx(600).margin(80));
  for (const char* const name : {"constant", "hour", "drift", "jump", "experience", "groups"}) {
    CHECK(to_string(parse_truth(name)) == name);
  }
  CHECK(contains(error_of([] { parse_truth("always"); }), "constant, hour"));
}

TEST_CASE("a plan has the overload that was asked for, and trips in order that do not overlap") {
  for (const double wanted : {0.2, 0.5}) {
    LifeOptions life = small_life();
    life.users = 3000;
    life.overload = wanted;
    const LifePlan plan(life);
    CHECK(plan.unconstrained_overload() == Approx(wanted).margin(0.05));
    std::vector<Time> last(life.users);
    Time before{};
    for (const LifePlan::Trip& trip : plan.trips()) {
      REQUIRE(trip.at >= before);
      before = trip.at;
      REQUIRE(trip.at >= last[trip.user] + std::chrono::hours(4));
      last[trip.user] = trip.at;
      REQUIRE(plan.city().is_open(trip.own, trip.at));
    }
  }
}

TEST_CASE("nobody has a seat that there is not, and all who came are accounted for") {
  LifeOptions life = small_life();
  life.checkouts = 1.0;
  life.warm_days = 0;
  const LifePlan plan(life);
  Watching lists(plan);
  const LifeSeen seen = live(plan, lists);
  CHECK(lists.most == 0);  // a place was full, and none held more
  CHECK(lists.sold <= 0);
  const Crowd all = seen.all();
  CHECK(all.seated > 200);
  CHECK(all.turned_away > 0);
  CHECK(all.gave_up > 0);
  CHECK(all.met_full >= all.turned_away + all.gave_up);
  CHECK(all.waited > 0);
  CHECK(all.value > 0.2 * all.seated);
  CHECK(all.value < all.seated);
  const double waiting = all.went - all.seated - all.turned_away - all.gave_up;
  CHECK(waiting >= 0.0);  // when the last day ended
  CHECK(waiting < 10.0);
  CHECK(lists.follows == lists.listed);
  CHECK(lists.follows == static_cast<int>(seen.followed));
  CHECK(static_cast<double>(lists.ignores) ==
        Approx(life.ignores * (seen.listed - seen.followed)).epsilon(0.2));
  double by_slice = 0.0;
  for (const LifeSlice& slice : seen.curve) by_slice += slice.seated;
  CHECK(by_slice == all.seated);
}

TEST_CASE("feedback is lost, told twice and wrong as configured") {
  const auto told = [](double lost, double twice, double wrong) {
    LifeOptions life = small_life();
    life.warm_days = 0;
    life.ignores = 0.0;
    life.lost = lost;
    life.twice = twice;
    life.wrong = wrong;
    const LifePlan plan(life);
    Watching lists(plan);
    const LifeSeen seen = live(plan, lists);
    return lists.follows / seen.followed;
  };
  CHECK(told(0.0, 0.0, 0.0) == Approx(1.0));
  CHECK(told(0.4, 0.0, 0.0) == Approx(0.6).margin(0.1));
  CHECK(told(0.0, 0.5, 0.0) == Approx(1.5).margin(0.1));
  CHECK(told(1.0, 0.0, 0.0) == 0.0);
}

TEST_CASE("the same people ask whoever makes the lists, and do the same with the same lists") {
  const LifePlan plan(small_life());
  Watching one(plan), other(plan);
  const LifeSeen a = live(plan, one), b = live(plan, other);
  CHECK(one.asks == other.asks);
  CHECK(seated(a) == seated(b));
  CHECK(a.all().value == b.all().value);
  RandomLists random(plan);
  const LifeSeen c = live(plan, random);
  CHECK(c.asked == a.asked);
  CHECK(c.shown != a.shown);
}

TEST_CASE("runs are the same on any number of threads and differ by seed") {
  LifeOptions life = small_life();
  const EngineOptions engine;
  const auto policies = live_policies(engine, {0.2F});
  const auto figures = [&](std::size_t threads, std::uint64_t seed) {
    Workers workers(threads);
    life.seed = seed;
    return live_json(run_live(life, engine, policies, 2, workers)).dump();
  };
  const std::string once = figures(1, 1);
  CHECK(once == figures(2, 1));
  CHECK(once != figures(1, 5));
}

TEST_CASE("lists that mind what is full send fewer people to full places") {
  LifeOptions life = small_life();
  life.users = 2000;
  EngineOptions engine;
  Workers workers(2);
  const LiveRuns runs = run_live(life, engine, live_policies(engine, {}), 1, workers);
  const auto of = [&](const char* name, double (*what)(const LifeSeen&)) {
    for (std::size_t p = 0; p < runs.policies.size(); ++p) {
      if (runs.policies[p].name == name) return what(runs.at(p, 0));
    }
    FAIL("there is no policy " << name);
    return 0.0;
  };
  const auto full = [](const LifeSeen& seen) { return seen.by_list.met_full / seen.by_list.went; };
  CHECK(of("greedy", full) < 0.5 * of("unconstrained", full));
  CHECK(of("price", full) < 0.5 * of("unconstrained", full));
  CHECK(of("unconstrained", full) > 0.15);
  CHECK(of("price", seated) > of("unconstrained", seated));
  CHECK(of("greedy", seated) > of("popularity", seated));
  const auto value = [](const LifeSeen& seen) { return seen.all().value; };
  CHECK(of("unconstrained", value) > of("random", value));
}

TEST_CASE("a batch model retrained each night knows more than the count of visits") {
  LifeOptions life = small_life();
  life.users = 1000;
  life.history_days = 14;
  life.visits = 1.0;
  const LifePlan plan(life);
  BatchLists batch(plan);
  PopularLists popular(plan);
  RandomLists random(plan);
  const auto glad = [&](ListMaker& lists) {
    const LifeSeen seen = live(plan, lists);
    return seen.by_list.value / seen.by_list.seated;
  };
  const double by_batch = glad(batch);
  CHECK(by_batch > 1.02 * glad(popular));
  CHECK(by_batch > 1.1 * glad(random));
}

TEST_CASE("an interval is Student's; the default is marked, and one alone has no interval") {
  const Interval some = interval_of({1.0, 2.0, 3.0});
  CHECK(some.mean == Approx(2.0));
  CHECK(some.high - some.mean == Approx(4.303 / std::sqrt(3.0)).epsilon(1e-3));
  CHECK(std::isnan(interval_of({5.0}).low));
  EngineOptions engine;
  engine.allot.policy = Policy::kGreedy;
  engine.pressure.alpha = 0.5F;
  const auto policies = live_policies(engine, {0.2F});
  CHECK(policies.front().is_default);
  CHECK(policies.front().name == "greedy 0.5");
  CHECK(std::count_if(policies.begin(), policies.end(), [](auto& p) { return p.is_default; }) == 1);
}

TEST_CASE("a World file is read by its keys, and what contradicts itself is refused") {
  const TempDir dir;
  const auto read = [&](const char* text) {
    LifeOptions life = small_life();
    read_settings(dir.write("world.yaml", text), life_settings(life));
    check_life(life);
    return life;
  };
  const LifeOptions life = read("users: 50\nlistening: jump\nlate: 0.25\n");
  CHECK(life.users == 50);
  CHECK(life.listening == TruthKind::kJump);
  CHECK(life.late == 0.25);
  const std::pair<const char*, const char*> bad[] = {
      {"users: many\n", "world.yaml:1: users: a whole number from 2"},
      {"rush: 1.5\n", "world.yaml:1: rush: a number from 0 to 1"},
      {"days: 2\nwarm_days: 2\n", "no day is left"},
      {"way_from: 20\nway_to: 10\n", "way_from"},
      {"lost: 1\nlate: 0.5\n", "all feedback is lost"},
      {"asks: 0\n", "nobody asks"},
      {"items: 20\nplaces: 30\n", "places"},
      {"people: 5\n", "there is no such key"},
      {"kafka: {}\n", "there is no such key"},
      {"users: 5\nusers: 6\n", "twice"}};
  for (const auto& [text, words] : bad) {
    INFO(text);
    CHECK(contains(error_of([&, t = text] { read(t); }), words));
  }
}
