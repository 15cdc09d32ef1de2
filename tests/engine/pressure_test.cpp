#include "headroom/engine/pressure.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/world.hpp"

using namespace headroom;

namespace {

constexpr float kUnlimited = std::numeric_limits<float>::infinity();

// Everybody likes item 0 most.
struct Town {
  static constexpr std::uint32_t kUsers = 40, kItems = 12;

  explicit Town(const PressureOptions& pressure_options)
      : learner(LearnerOptions{}, watch),
        pressure(pressure_options, learner.options().negatives),
        listen(kUsers, 0.5F),
        capacity(kItems, kUnlimited) {
    for (std::uint32_t i = 0; i < kUsers; ++i) learner.add(UserIx{i});
    for (std::uint32_t j = 0; j < kItems; ++j) learner.add(ItemIx{j});
    for (int round = 0; round < 5; ++round) meet();
    for (std::uint64_t n = 0; n < 100; ++n) pressure.count();
  }
  void meet() {
    for (std::uint32_t i = 0; i < kUsers; ++i) {
      learner.like(UserIx{i}, ItemIx{0}, 1.0F, 1.0F, ++place);
      learner.like(UserIx{i}, ItemIx{1 + i % (kItems - 1)}, 1.0F, 1.0F, ++place);
    }
  }
  PressureInput input() const { return {listen, capacity, taken, 1}; }
  double expected(std::uint32_t item) const {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < kUsers; ++i) {
      sum += listen[i] / (1.0 + std::exp(-double{learner.score(UserIx{i}, ItemIx{item})}));
    }
    return sum;
  }

  RowWatch watch;
  Learner learner;
  Pressure pressure;
  Workers workers{1};
  std::vector<float> listen, capacity, taken;
  std::uint64_t place = 0;
};

PressureOptions options_with(float alpha) {
  PressureOptions options;
  options.alpha = alpha;
  options.every = 100;
  return options;
}

}  // namespace

TEST_CASE("expected usage is its definition, and in people where people were measured") {
  Town town(options_with(0.2F));
  town.pressure.expect(town.input(), town.learner, town.workers);
  for (std::uint32_t j = 0; j < Town::kItems; ++j) {
    CHECK(town.pressure.usage()[j] == Approx(town.expected(j)).epsilon(1e-4));
  }
  CHECK(town.pressure.kappa() == 1.0);

  // Items 0 and 3 have a capacity and 6 people between them; the others don't count.
  town.capacity[0] = town.capacity[3] = 10.0F;
  town.taken.assign(Town::kItems, 100.0F);
  town.taken[0] = 4.0F;
  town.taken[3] = 2.0F;
  town.pressure.expect(town.input(), town.learner, town.workers);
  const double kappa = 6.0 / (town.expected(0) + town.expected(3));
  CHECK(town.pressure.kappa() == Approx(kappa).epsilon(1e-4));
  CHECK(town.pressure.usage()[3] == Approx(kappa * town.expected(3)).epsilon(1e-4));
}

TEST_CASE("an item that is expected beyond its capacity gives way, and the loss falls") {
  for (const CapacityLoss loss :
       {CapacityLoss::kLogistic, CapacityLoss::kExponential, CapacityLoss::kHinge}) {
    PressureOptions options = options_with(0.5F);
    options.loss = loss;
    Town town(options);
    town.capacity.assign(Town::kItems, 100.0F);
    town.capacity[0] = 5.0F;
    town.pressure.expect(town.input(), town.learner, town.workers);
    const float before = town.pressure.usage()[0];
    const double loss_before = town.pressure.capacity_loss(town.capacity);
    REQUIRE(before > 10.0F);
    for (int step = 0; step < 30; ++step) {
      for (std::uint64_t n = 0; n < 100; ++n) town.pressure.count();
      town.pressure.refresh(town.input(), town.learner, town.workers);
    }
    town.pressure.expect(town.input(), town.learner, town.workers);
    CHECK(town.pressure.usage()[0] < 0.8F * before);
    CHECK(town.pressure.capacity_loss(town.capacity) < 0.8 * loss_before);
  }
}

TEST_CASE("where nothing presses nothing changes") {
  Town town(options_with(0.5F));
  const float before = town.learner.score(UserIx{3}, ItemIx{0});
  town.pressure.refresh(town.input(), town.learner, town.workers);  // no capacity at all
  CHECK(town.learner.score(UserIx{3}, ItemIx{0}) == before);
  town.capacity[0] = 1000.0F;
  town.pressure.refresh(town.input(), town.learner, town.workers);
  CHECK(town.learner.score(UserIx{3}, ItemIx{0}) == before);
  std::fill(town.listen.begin(), town.listen.end(), 0.0F);  // nobody listens
  town.capacity[0] = 0.001F;
  town.pressure.refresh(town.input(), town.learner, town.workers);
  CHECK(town.learner.score(UserIx{3}, ItemIx{0}) == before);
}

TEST_CASE("refreshes come after so many outcomes, later where they cost more, never at alpha 0") {
  PressureOptions options = options_with(0.2F);
  Pressure counted(options, 8);
  for (int n = 0; n < 99; ++n) CHECK_FALSE(counted.count());
  CHECK(counted.count());

  options.share = 0.001F;
  Town town(options);
  town.capacity[0] = 5.0F;
  town.pressure.refresh(town.input(), town.learner, town.workers);
  int outcomes = 1;
  while (!town.pressure.count()) ++outcomes;
  CHECK(outcomes > 100);

  Pressure none(options_with(0.0F), 8);
  for (int n = 0; n < 1000; ++n) CHECK_FALSE(none.count());
}

TEST_CASE("what is saved and loaded goes on, bit for bit") {
  Town town(options_with(0.5F));
  town.capacity[0] = 5.0F;
  town.pressure.refresh(town.input(), town.learner, town.workers);
  ByteWriter bytes, again;
  town.pressure.save(bytes);
  Pressure other(options_with(0.5F), town.learner.options().negatives);
  ByteReader reader(bytes.bytes());
  other.load(reader);
  CHECK(reader.empty());
  other.save(again);
  CHECK(again.bytes() == bytes.bytes());
}

TEST_CASE("story: a place that is full of people pushes taste away from it") {
  EngineOptions options = test::story_options();
  options.pressure.every = 20;
  options.pressure.share = 0.99F;
  const auto score_after = [&](float alpha) {
    options.pressure.alpha = alpha;
    test::World world(options);
    world.item("full", Capacity{CapacityKind::kSeats, 2.0, {}});
    world.item("wide", Capacity{CapacityKind::kSeats, 500.0, {}});
    for (int n = 0; n < 300; ++n) {
      const auto user = test::numbered("u", n % 60);
      world.check_in(user, n % 3 == 0 ? "wide" : "full");
    }
    return world.score("u1", "full");
  };
  CHECK(score_after(0.5F) < score_after(0.0F) - 0.1F);
}
