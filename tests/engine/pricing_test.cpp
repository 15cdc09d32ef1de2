#include "headroom/engine/pricing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "support/catch.hpp"
#include "support/setting.hpp"
#include "support/world.hpp"

namespace headroom {
namespace {

using std::chrono::minutes;
using test::at_clock;
using test::numbered;
using test::seats;
using test::World;

UserIx user(std::uint32_t row) { return UserIx{row}; }

struct Book {
  RowWatch watch;
  PricingOptions options;
  Pricing pricing{options, minutes(30), watch};
};

TEST_CASE("pricing: who asked counts once, the newest first, as often as in one window") {
  Book book;
  const Time start = at_clock("12:00");
  for (int n = 0; n < 60; ++n) {
    book.pricing.asked(user(static_cast<std::uint32_t>(n % 3)), 10, 1, start + minutes(n));
  }
  const auto askers = book.pricing.askers(start + minutes(60));
  REQUIRE(askers.size() == 3);
  CHECK(askers[0].user == user(2));  // asked last
  float lists = 0.0F;
  for (const auto& asker : askers) lists += asker.lists;
  CHECK(lists == Approx(30.0));  // one a minute
  // Who asked too long ago does not count, nor more users than may.
  CHECK(book.pricing.askers(start + std::chrono::hours(4)).empty());
  book.options.users = 2;
  Pricing few(book.options, minutes(30), book.watch);
  for (std::uint32_t n = 0; n < 9; ++n) few.asked(user(n), 10, 1, start);
  CHECK(few.askers(start).size() == 2);
}

Demand demand_for(std::initializer_list<float> chances) {
  Demand demand;
  for (const float chance : chances) {
    demand.askers.push_back({1.0F, 1.0F, 1, demand.items.size(), demand.items.size() + 1});
    demand.items.push_back(ItemIx{0});
    demand.chances.push_back(chance);
  }
  return demand;
}

TEST_CASE("pricing: a solve that does not converge changes nothing and says so") {
  Book book;
  Workers workers(1);
  book.pricing.solve(demand_for({0.9F, 0.5F, 0.3F}), {1.0F}, at_clock("12:00"), workers);
  CHECK(book.pricing.solves() == 1);
  const float price = book.pricing.prices()[0];
  CHECK(price > 0.4F);
  CHECK(price <= 0.9F);
  Demand endless = demand_for({0.9F, 0.5F, 0.3F});
  endless.askers[0].lists = std::numeric_limits<float>::infinity();
  book.pricing.solve(std::move(endless), {1.0F}, at_clock("12:10"), workers);
  CHECK(book.pricing.solves() == 1);
  CHECK(book.pricing.failed_solves() == 1);
  CHECK(book.pricing.prices()[0] == price);
}

TEST_CASE("pricing: what is solved beside the stream enters at its time, saved or not") {
  Book book;
  book.options.at_once = 0;
  book.options.entry = minutes(1);
  Workers workers(1);
  Pricing pricing(book.options, minutes(30), book.watch);
  pricing.asked(user(1), 1, 1, at_clock("11:50"));
  REQUIRE(pricing.is_due(at_clock("12:00")));
  pricing.solve(demand_for({0.9F, 0.5F, 0.3F}), {1.0F}, at_clock("12:00"), workers);
  CHECK_FALSE(pricing.is_due(at_clock("13:00")));  // one at a time
  ByteWriter to;
  pricing.save(to);
  CHECK_FALSE(pricing.is_working());
  Pricing loaded(book.options, minutes(30), book.watch);
  ByteReader from(to.bytes());
  loaded.load(from);
  CHECK(from.empty());
  for (Pricing* one : {&pricing, &loaded}) {
    one->enter_if_due(at_clock("12:00:59"));
    CHECK(one->prices().empty());
    one->enter_if_due(at_clock("12:01"));
    REQUIRE(one->prices().size() == 1);
    CHECK(one->prices()[0] > 0.4F);
  }
  CHECK(pricing.prices()[0] == loaded.prices()[0]);
}

TEST_CASE("pricing: candidates are gathered step by step, saved or not") {
  Book book;
  book.options.at_once = 0;
  book.options.gathered = 200;
  Pricing pricing(book.options, minutes(30), book.watch);
  std::vector<Pricing::Asker> askers;
  for (std::uint32_t n = 0; n < 7; ++n) askers.push_back({user(n), 1, 2, 0.5F, 0.25F});
  pricing.asked(user(1), 1, 1, at_clock("11:50"));
  pricing.begin_gathering(askers, at_clock("12:00"));
  CHECK(pricing.is_working());
  CHECK_FALSE(pricing.is_due(at_clock("13:00")));
  const auto rows = [](const std::vector<Pricing::Asker>& some) {
    std::vector<std::uint32_t> all;
    for (const auto& asker : some) all.push_back(static_cast<std::uint32_t>(asker.user));
    return all;
  };
  using Rows = std::vector<std::uint32_t>;
  CHECK(rows(pricing.next_to_gather(100, 0)) == Rows{0, 1});
  pricing.add_gathered(demand_for({0.9F, 0.5F}));
  CHECK(rows(pricing.next_to_gather(1'000, 0)) == Rows{2});  // one at least
  pricing.add_gathered(demand_for({0.3F}));
  ByteWriter to;
  pricing.save(to);
  Pricing loaded(book.options, minutes(30), book.watch);
  ByteReader from(to.bytes());
  loaded.load(from);
  CHECK(from.empty());
  for (Pricing* one : {&pricing, &loaded}) {
    REQUIRE(one->is_gathering());
    const auto last = one->next_to_gather(100, 1'000);  // more after a batch that takes longer
    CHECK(rows(last) == Rows{3, 4, 5, 6});
    CHECK((last[0].n == 1 && last[0].party == 2 && last[0].apart == 0.25F));
    REQUIRE(one->all_gathered());
    const Demand demand = one->take_gathered();
    CHECK_FALSE(one->is_gathering());
    REQUIRE(demand.askers.size() == 3);
    for (std::size_t n = 0; n < 3; ++n) {
      CHECK((demand.askers[n].begin == n && demand.askers[n].end == n + 1));
    }
    CHECK(demand.chances == std::vector<float>{0.9F, 0.5F, 0.3F});
    CHECK(demand.items.size() == 3);
  }
}

// Forty ask for ten items with two seats each: 400 pairs, no more than five steps.
TEST_CASE("pricing: what takes long is gathered over batches, and enters after that") {
  auto options = test::story_options();
  options.allot.policy = Policy::kPrice;
  options.allot.holding = Holding::kChoice;
  options.pricing.every = minutes(5);
  options.pricing.entry = minutes(2);
  for (const bool in_steps : {false, true}) {
    options.pricing.gathered = 100;
    options.pricing.at_once = in_steps ? 0 : 1'000'000;
    World world(options);
    world.at("12:00");
    for (int j = 0; j < 10; ++j) world.item(numbered("i", j), seats(2));
    for (int u = 0; u < 40; ++u) {
      for (int n = 0; n < 3; ++n) world.check_in(numbered("u", u), numbered("i", u * n % 10));
    }
    world.at("+1 12:00");
    for (int u = 0; u < 40; ++u) world.request(numbered("u", u), 3);
    world.at("+1 12:06");
    world.request("u0", 3);
    const auto solves = [&] { return world.state().pricing.solves(); };
    CHECK(solves() == (in_steps ? 0 : 1));
    if (in_steps) {
      REQUIRE(world.state().pricing.is_gathering());
      int steps = 0;
      for (; world.state().pricing.is_gathering(); ++steps) world.request("u0", 3);
      CHECK(steps == 4);  // ten of those 40
      CHECK(solves() == 0);
      world.at("+1 12:07");
      world.request("u0", 3);
      CHECK(solves() == 0);
      world.at("+1 12:09");
      world.request("u0", 3);
      CHECK(solves() == 1);
    }
    const auto prices = world.state().pricing.prices();
    CHECK(std::any_of(prices.begin(), prices.end(), [](float price) { return price > 0.0F; }));
  }
}

TEST_CASE("pricing: a certificate of every list, and of every eighth where that costs too much") {
  Book book;
  for (const bool all : {true, false}) {
    Pricing pricing(book.options, minutes(30), book.watch);
    Workers workers(1);
    pricing.solve(demand_for({0.9F, 0.5F, 0.3F}), {1.0F}, at_clock("12:00"), workers);
    const double worth = 200.0 * static_cast<double>(pricing.prices()[0]);
    pricing.asked(user(1), 10, 1, at_clock("12:00"));
    for (std::uint64_t n = 0; n < 800; ++n) {
      std::optional<Pricing::Most> most;
      if (pricing.certifies(n, all ? 100 : 1'000'000)) most = {n % 16 == 0 ? 2.0 : 1.0, 3.0};
      pricing.made(0.75, most);
    }
    CHECK_FALSE(pricing.is_over(at_clock("12:29")));
    CHECK_FALSE(pricing.certificate());
    REQUIRE(pricing.is_over(at_clock("12:30")));
    pricing.close(at_clock("12:30"), std::vector<float>{200.0F});
    REQUIRE(pricing.certificate());
    const Certificate done = *pricing.certificate();
    CHECK(done.lists == 800);
    CHECK(done.value == Approx(600.0));
    if (all) {
      CHECK(done.bound == Approx(800.0 + 50.0 + worth));
      CHECK(done.deviation == 0.0);
    } else {
      CHECK(done.deviation > 0.0);  // one of eight: the sample has too many of the twos
      CHECK(done.bound == Approx(800.0 * 1.5 + worth));
    }
    CHECK(done.gap() == Approx(1.0 - done.value / done.bound));
  }
}

// A town of 60 people and 40 places, where everyone knows the first few and some like others more.
// What its lists are worth, once prices have been solved a few times.
struct Evening {
  double value = 0.0, bound = 0.0;
  std::uint64_t solves = 0;
};

Evening evening(Policy policy, Holding holding, std::uint64_t seed) {
  auto options = test::story_options();
  options.allot.policy = policy;
  options.allot.holding = holding;
  options.pricing.every = minutes(2);
  options.ledger.window = minutes(12);
  options.learner.revisits = false;
  options.pressure.alpha = 0.0F;               // taste does not give way: prices alone
  options.listening.prior_strength = 1000.0F;  // everyone listens to every second list
  World world(options);
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
  world.at("00:00");
  for (int j = 0; j < 40; ++j) {
    world.item(numbered("i", j), [](ItemUpdate& image) { image.capacity = seats(3); });
  }
  for (int round = 0; round < 40; ++round) {
    world.at("+" + std::to_string(round / 12) + " " + std::to_string(round % 12 * 2) + ":00");
    for (int u = 0; u < 60; ++u) {
      // Half of the time one of the five that all know, else one of the few of one's own.
      const int own = 5 + (u * 7 + below(4)) % 35;
      world.check_in(numbered("u", u), numbered("i", below(2) == 0 ? below(5) : own));
    }
  }
  Evening evening;
  Time last{};
  for (int minute = 0; minute < 180; ++minute) {
    world.at("+6 " + std::to_string(10 + minute / 60) + ":" + (minute % 60 < 10 ? "0" : "") +
             std::to_string(minute % 60));
    for (int n = 0; n < 4; ++n) world.request(numbered("u", below(60)), 3);
    const auto& certificate = world.state().pricing.certificate();
    if (minute < 60 || !certificate || certificate->to == last) continue;
    last = certificate->to;
    evening.value += certificate->value;
    evening.bound += certificate->bound;
  }
  evening.solves = world.state().pricing.solves();
  return evening;
}

TEST_CASE("pricing: lists under prices are worth more than the best for who asks first") {
  const auto seed = test::setting("HEADROOM_SEED", 1);
  INFO("HEADROOM_SEED=" << seed);
  const Evening greedy = evening(Policy::kGreedy, Holding::kWhole, seed);
  const Evening price = evening(Policy::kPrice, Holding::kWhole, seed);
  CHECK(greedy.solves == 0);
  CHECK(price.solves > 50);
  CAPTURE(greedy.value, greedy.bound, price.value, price.bound);
  CHECK(price.value > 1.01 * greedy.value);
  CHECK(price.value <= price.bound);
  CHECK(price.value > 0.9 * price.bound);
  CHECK(greedy.value <= greedy.bound);
}

TEST_CASE("pricing: a cutoff shows an item to no more of those who ask than it holds") {
  auto options = test::story_options();
  options.allot.policy = Policy::kCutoff;
  options.pricing.every = minutes(1);
  World world(options);
  world.at("12:00");
  world.item("small", [](ItemUpdate& image) { image.capacity = seats(3); });
  for (int j = 0; j < 5; ++j) world.item(numbered("i", j));
  for (int u = 0; u < 20; ++u) {
    for (int n = 0; n <= u % 5; ++n) world.check_in(numbered("u", u), numbered("i", n));
    world.check_in(numbered("u", u), "small");
  }
  const auto shown = [&] {
    int count = 0;
    for (int u = 0; u < 20; ++u) {
      const auto names = test::names(world.request(numbered("u", u), 6));
      count += static_cast<int>(std::count(names.begin(), names.end(), "small"));
    }
    return count;
  };
  CHECK(shown() == 20);  // nobody has asked yet: there is nothing to compare with
  world.at("12:05");
  world.request("u0", 6);
  CHECK(world.state().pricing.cutoffs().size() == 6);
  const int later = shown();
  CHECK(later >= 1);
  CHECK(later <= 3);
}

}  // namespace
}  // namespace headroom
