#include <limits>

#include "headroom/model/learner.hpp"
#include "support/catch.hpp"
#include "support/naive_learner.hpp"

using namespace headroom;
using test::NaiveLearner;

namespace {

constexpr std::uint32_t kUsers = 3, kItems = 14;

// Items on a small part of the map, some of them nowhere.
std::optional<Position> position_of(std::uint32_t item) {
  if (item % 5 == 4) return std::nullopt;
  return Position{1.30 + 0.008 * (item % 3), 103.80 + 0.011 * (item / 3)};
}

void populate(Learner& learner) {
  for (std::uint32_t i = 0; i < kUsers; ++i) learner.add(UserIx{i});
  for (std::uint32_t j = 0; j < kItems; ++j) {
    learner.add(ItemIx{j});
    learner.place(ItemIx{j}, position_of(j));
  }
}

struct Outcome {
  std::uint32_t user, item;
  float value, weight;
};

Outcome outcome(std::uint64_t n) {
  Draws draws(5, Purpose::kWorld, n);
  constexpr float kValues[] = {1.0F, 1.0F, 0.5F, -1.0F, -0.3F, 0.0F};
  const auto user = draws.below(kUsers), item = draws.below(kItems);
  return {user, item, kValues[draws.below(6)], 0.25F + static_cast<float>(draws.uniform())};
}

void check_row(const NaiveLearner::Row& found, const NaiveLearner::Row& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    CHECK(found[k].value == Approx(expected[k].value).epsilon(1e-3).margin(1e-5));
    CHECK(found[k].squares == Approx(expected[k].squares).epsilon(1e-3).margin(1e-5));
  }
}

void check_same(const Learner& learner, const NaiveLearner& naive) {
  for (std::uint32_t i = 0; i < kUsers; ++i) {
    check_row(NaiveLearner::row_of(learner, UserIx{i}), naive.u[i]);
    if (!learner.knows(UserIx{i})) continue;
    for (std::uint32_t j = 0; j < kItems; ++j) {
      CHECK(learner.score(UserIx{i}, ItemIx{j}) ==
            Approx(naive.score(i, j)).epsilon(1e-3).margin(1e-5));
    }
  }
  for (std::uint32_t j = 0; j < kItems; ++j) {
    check_row(NaiveLearner::row_of(learner, ItemIx{j}), naive.v[j]);
  }
}

void check_against_naive(const LearnerOptions& options, std::uint64_t events) {
  INFO("method " << static_cast<int>(options.method) << ", mini-batch " << options.mini_batch
                 << ", negatives " << options.negatives << ", rank " << options.rank << ", "
                 << events << " events");
  RowWatch watch;
  Learner learner(options, watch);
  populate(learner);
  NaiveLearner naive(learner, options);
  if (options.method == Method::kGeoMf || options.method == Method::kGeoBpr) {
    for (std::uint32_t j = 0; j < kItems; ++j) {
      const auto position = position_of(j);
      if (!position) continue;
      const Tile tile = tile_of(position->lat, position->lon, options.level_of_detail);
      naive.cells[j] = {tile.x, tile.y};
    }
  }
  for (std::uint64_t n = 0; n < events; ++n) {
    const auto [user, item, value, weight] = outcome(n);
    learner.like(UserIx{user}, ItemIx{item}, value, weight, n);
    naive.like(user, item, value, weight, n);
  }
  learner.flush();
  naive.flush();
  check_same(learner, naive);
  CHECK(learner.rejected_steps() == 0);
}

constexpr Method kMethods[] = {Method::kPmf, Method::kBpr, Method::kGeoMf, Method::kGeoBpr};

}  // namespace

TEST_CASE("steps are those of the formulas, for every method, event by event and in mini-batches") {
  for (const Method method : kMethods) {
    for (const unsigned mini_batch : {1U, 4U}) {
      for (const unsigned negatives : {0U, 1U, 3U}) {
        LearnerOptions options{.method = method, .negatives = negatives, .mini_batch = mini_batch};
        options.start_deviation = 0.5F;  // so that a wrong factor shows
        for (const std::uint64_t events : {1, 4, 40}) check_against_naive(options, events);
      }
    }
  }
}

TEST_CASE("ranks between the registers' widths, wide ones and other kernels") {
  for (const std::size_t rank : {1, 3, 5, 10, 17, 40}) {
    check_against_naive({.method = Method::kGeoBpr, .rank = rank, .start_deviation = 0.5F}, 30);
  }
  for (const float width : {0.7F, 2.0F}) {
    LearnerOptions options{.method = Method::kGeoMf, .start_deviation = 0.5F};
    options.kernel_width = width;
    options.kernel_cut = 2.0F;
    check_against_naive(options, 30);
  }
}

TEST_CASE("a mini-batch of one event is the event") {
  for (const Method method : kMethods) {
    LearnerOptions options{.method = method, .negatives = 2};
    RowWatch watch;
    Learner direct(options, watch);
    options.mini_batch = 100;
    Learner gathered(options, watch);
    populate(direct);
    populate(gathered);
    for (std::uint64_t n = 0; n < 50; ++n) {
      const auto [user, item, value, weight] = outcome(n);
      direct.like(UserIx{user}, ItemIx{item}, value, weight, n);
      gathered.like(UserIx{user}, ItemIx{item}, value, weight, n);
      gathered.flush();
    }
    for (std::uint32_t i = 0; i < kUsers; ++i) {
      for (std::uint32_t j = 0; j < kItems; ++j) {
        CHECK(direct.score(UserIx{i}, ItemIx{j}) ==
              Approx(gathered.score(UserIx{i}, ItemIx{j})).epsilon(1e-4).margin(1e-6));
      }
    }
  }
}

TEST_CASE("what is not finite is refused and counted, and the state stays finite") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kMost = std::numeric_limits<float>::max();
  for (const Method method : kMethods) {
    for (const unsigned mini_batch : {1U, 3U}) {
      RowWatch watch;
      Learner learner({.method = method, .mini_batch = mini_batch}, watch);
      populate(learner);
      std::uint64_t place = 0;
      for (const float value : {kNan, kInf, -kInf, 1.0F}) {
        for (const float weight : {kNan, kInf, -1.0F}) {
          learner.like(UserIx{0}, ItemIx{0}, value, weight, ++place);
        }
      }
      CHECK(learner.rejected_steps() == 12);
      CHECK_FALSE(learner.knows(UserIx{0}));
      for (int round = 0; round < 4; ++round) {
        for (const float value : {1.0F, -1.0F, kMost, -kMost}) {
          for (const float weight : {1.0F, 1e30F, kMost}) {
            learner.like(UserIx{1}, ItemIx{2}, value, weight, ++place);
          }
        }
      }
      learner.flush();
      CHECK(learner.rejected_steps() > 12);
      std::vector<float> scores(kItems);
      learner.score_all(UserIx{1}, scores);
      for (const float score : scores) CHECK(std::isfinite(score));
      for (const auto& weight : NaiveLearner::row_of(learner, UserIx{1})) {
        CHECK(std::isfinite(weight.value));
        CHECK(std::isfinite(weight.squares));
      }
    }
  }
}
