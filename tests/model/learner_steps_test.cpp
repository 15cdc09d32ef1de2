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

void check_same(const Learner& learner, const NaiveLearner& naive, std::size_t rows) {
  for (std::uint32_t i = 0; i < kUsers; ++i) {
    check_row(NaiveLearner::rows_of(learner, UserIx{i}, 1)[0], naive.u[i]);
    if (!learner.knows(UserIx{i})) continue;
    for (std::uint32_t j = 0; j < kItems; ++j) {
      CHECK(learner.score(UserIx{i}, ItemIx{j}) ==
            Approx(naive.score(i, j)).epsilon(1e-3).margin(1e-4));
    }
  }
  for (std::uint32_t j = 0; j < kItems; ++j) {
    const auto found = NaiveLearner::rows_of(learner, ItemIx{j}, rows);
    check_row(found[0], naive.v[j]);
    if (rows == 2) check_row(found[1], naive.w[j]);
  }
}

void check_against_naive(const LearnerOptions& options, std::uint64_t events) {
  INFO("method " << static_cast<int>(options.method) << ", mini-batch " << options.mini_batch
                 << ", negatives " << options.negatives << ", draws " << options.draws << ", rank "
                 << options.rank << ", history " << options.history << ", bias " << options.bias
                 << ", " << events << " events");
  RowWatch watch;
  Learner learner(options, watch);
  populate(learner);
  NaiveLearner naive(learner, options);
  if (uses_geography(options.method)) {
    for (std::uint32_t j = 0; j < kItems; ++j) {
      const auto position = position_of(j);
      if (!position) continue;
      const Tile tile = tile_of(position->lat, position->lon, options.level_of_detail);
      naive.places[j] = {{tile.x, tile.y}, position->lat, position->lon};
    }
  }
  for (std::uint64_t n = 0; n < events; ++n) {
    const auto [user, item, value, weight] = outcome(n);
    learner.like(UserIx{user}, ItemIx{item}, value, weight, n);
    naive.like(user, item, value, weight, n);
  }
  learner.flush();
  naive.flush();
  check_same(learner, naive, options.history > 0 ? 2 : 1);
  CHECK(learner.rejected_steps() == 0);
}

constexpr Method kMethods[] = {Method::kPmf, Method::kBpr, Method::kGeoMf, Method::kGeoBpr};

// So that a wrong factor shows.
LearnerOptions lively(LearnerOptions options) {
  options.start_deviation = 0.5F;
  return options;
}

}  // namespace

TEST_CASE("steps are those of the formulas, for every method, event by event and in mini-batches") {
  for (const Method method : kMethods) {
    for (const unsigned mini_batch : {1U, 4U}) {
      for (const unsigned negatives : {0U, 1U, 3U}) {
        LearnerOptions options = lively(bare_learner(method));
        options.negatives = negatives;
        options.mini_batch = mini_batch;
        for (const std::uint64_t events : {1, 4, 40}) check_against_naive(options, events);
      }
    }
  }
}

TEST_CASE("each part steps as its formula says, alone and with all others") {
  for (const Method method : kMethods) {
    for (const unsigned mini_batch : {1U, 3U}) {
      LearnerOptions bare = lively(bare_learner(method));
      bare.mini_batch = mini_batch;
      LearnerOptions all = lively({.method = method});
      all.mini_batch = mini_batch;
      all.draws = mini_batch == 1 ? 3 : 1;  // of nearly equal scores either may be the hardest
      check_against_naive(all, 30);
      for (auto LearnerOptions::*part :
           {&LearnerOptions::bias, &LearnerOptions::distance, &LearnerOptions::revisits}) {
        LearnerOptions one = bare;
        one.*part = true;
        check_against_naive(one, 30);
      }
      LearnerOptions history = bare;
      history.history = 4;
      check_against_naive(history, 30);
      LearnerOptions cautious = bare;
      cautious.caution = 3.0F;
      check_against_naive(cautious, 30);
      LearnerOptions hard = bare;
      hard.draws = 3;
      check_against_naive(hard, 30);
    }
  }
}

TEST_CASE("every kind of kernel steps as the formulas say") {
  for (const KernelKind kind : runnable_kernels()) {
    use_kernels(kind);
    for (const std::size_t rank : {1, 16, 40}) {
      LearnerOptions options = lively({});
      options.rank = rank;
      check_against_naive(options, 30);
    }
  }
  use_kernels(KernelKind::kBest);
}

TEST_CASE("ranks between the registers' widths, wide ones and other kernels") {
  for (const std::size_t rank : {1, 3, 5, 10, 17, 40}) {
    LearnerOptions options = lively(bare_learner(Method::kGeoBpr));
    options.rank = rank;
    check_against_naive(options, 30);
  }
  for (const float width : {0.7F, 2.0F}) {
    LearnerOptions options = lively(bare_learner(Method::kGeoMf));
    options.kernel_width = width;
    options.kernel_cut = 2.0F;
    check_against_naive(options, 30);
  }
}

TEST_CASE("a mini-batch of one event is the event") {
  for (const Method method : kMethods) {
    LearnerOptions options = bare_learner(method);
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
      LearnerOptions options{.method = method};
      options.mini_batch = mini_batch;
      Learner learner(options, watch);
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
      const auto row = NaiveLearner::rows_of(learner, UserIx{1}, 1)[0];
      for (const auto& weight : row) {
        CHECK(std::isfinite(weight.value));
        CHECK(std::isfinite(weight.squares));
      }
    }
  }
}
