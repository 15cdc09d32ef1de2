#include "simulator/batch_training.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "support/catch.hpp"
#include "support/naive.hpp"
#include "support/problem.hpp"

using namespace headroom;
using namespace headroom::sim;
using headroom::test::Naive;
using headroom::test::small_problem;
using headroom::test::SmallProblem;

namespace {

// With a floor far above every gradient Adagrad steps by (step / floor) times the gradient, so that
// one iteration lays the gradient open.
BatchSettings gradient_settings() {
  BatchSettings settings;
  settings.rank = 5;
  settings.iterations = 1;
  settings.tolerance = 0.0;
  settings.step = settings.floor = 1e7F;
  settings.start_deviation = 0.5F;
  return settings;
}

template <class Weight>
double slope_at(const Naive& naive, Weight& weight) {
  constexpr double kStep = 1e-5;
  const double kept = weight;
  weight = kept + kStep;
  const double above = naive.objective();
  weight = kept - kStep;
  const double below = naive.objective();
  weight = kept;
  return (above - below) / (2.0 * kStep);
}

// One iteration moves U at (U, V, X), V at (U', V, X) and X at (U', V', X): each move is compared
// with the slopes of the naive objective at that very point.
void check_gradients(const Problem& problem, const BatchSettings& settings) {
  Workers workers(2);
  BatchSettings none = settings;
  none.iterations = 0;
  const Factors before = train(problem, none, workers).factors;
  const Factors after = train(problem, settings, workers).factors;
  const Naive moved(problem, settings, after);
  Naive naive(problem, settings, before);
  // X is held only where the user's observations reach.
  const auto held = [&](std::size_t user, std::size_t tile) {
    const auto tiles = std::span(after.activity_tile)
                           .subspan(after.activity_start[user],
                                    after.activity_start[user + 1] - after.activity_start[user]);
    return std::binary_search(tiles.begin(), tiles.end(), tile);
  };
  const auto check = [&](Naive::Matrix& now, const Naive::Matrix& then, const char* what) {
    double worst = 0.0, largest = 0.0;
    for (std::size_t row = 0; row < now.size(); ++row) {
      for (std::size_t k = 0; k < now[row].size(); ++k) {
        if (&now == &naive.x && !held(row, k)) continue;
        const double slope = slope_at(naive, now[row][k]);
        largest = std::max(largest, std::fabs(slope));
        worst = std::max(worst, std::fabs((now[row][k] - then[row][k]) - slope));
      }
    }
    INFO(what << ": worst " << worst << " of " << largest);
    CHECK(largest > 1e-4);
    CHECK(worst < 1e-6 + 1e-4 * largest);
    now = then;
  };
  check(naive.u, moved.u, "U");
  check(naive.v, moved.v, "V");
  if (problem.geography != nullptr) check(naive.x, moved.x, "X");
}

// Full-gradient alternating Adagrad with finite differences for gradients.
void train_naively(Naive& naive, std::size_t iterations) {
  Naive::Matrix squares[2];
  Naive::Matrix* weights[2] = {&naive.u, &naive.v};
  for (int side = 0; side < 2; ++side) {
    squares[side] = *weights[side];
    for (auto& row : squares[side]) std::fill(row.begin(), row.end(), 0.0);
  }
  for (std::size_t done = 0; done < iterations; ++done) {
    for (int side = 0; side < 2; ++side) {
      Naive::Matrix gradient = *weights[side];
      for (std::size_t row = 0; row < gradient.size(); ++row) {
        for (std::size_t k = 0; k < gradient[row].size(); ++k) {
          gradient[row][k] = slope_at(naive, (*weights[side])[row][k]);
        }
      }
      for (std::size_t row = 0; row < gradient.size(); ++row) {
        for (std::size_t k = 0; k < gradient[row].size(); ++k) {
          squares[side][row][k] += gradient[row][k] * gradient[row][k];
          (*weights[side])[row][k] -= gradient[row][k] / (std::sqrt(squares[side][row][k]) + 1e-8);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("every gradient of every method and surrogate agrees with finite differences") {
  const SmallProblem small = small_problem(37, 11, 3);
  BatchSettings settings = gradient_settings();
  for (const bool geography : {false, true}) {
    for (const bool pairs : {false, true}) {
      for (const float alpha : {0.0F, 0.3F, 1.0F}) {
        for (const CapacityLoss loss :
             {CapacityLoss::kLogistic, CapacityLoss::kExponential, CapacityLoss::kHinge}) {
          for (const float temperature : {1.0F, 4.0F}) {
            // X has no slope where nothing presses: the same settings at alpha 0 say nothing new.
            if (alpha == 0.0F && (loss != CapacityLoss::kLogistic || temperature != 1.0F)) continue;
            settings.pairs = pairs;
            settings.alpha = alpha;
            settings.loss = loss;
            settings.temperature = temperature;
            INFO("geography " << geography << " pairs " << pairs << " alpha " << alpha << " loss "
                              << static_cast<int>(loss) << " temperature " << temperature);
            check_gradients(geography ? small.with_geography() : small.without_geography(),
                            settings);
          }
        }
      }
    }
  }
}

TEST_CASE("alpha 0 is PMF and BPR: the same as a naive training to 1e-5") {
  const SmallProblem small = small_problem(21, 13, 5);
  const Problem problem = small.without_geography();
  Workers workers(1);
  for (const bool pairs : {false, true}) {
    BatchSettings settings;
    settings.pairs = pairs;
    settings.alpha = 0.0F;
    settings.rank = 3;
    settings.tolerance = 0.0;
    settings.iterations = 0;
    Naive naive(problem, settings, train(problem, settings, workers).factors);
    settings.iterations = 25;
    const Trained trained = train(problem, settings, workers);
    train_naively(naive, settings.iterations);
    double worst = 0.0;
    for (std::uint32_t i = 0; i < 21; ++i) {
      for (std::uint32_t j = 0; j < 13; ++j) {
        const double score = trained.factors.score(UserIx{i}, ItemIx{j});
        worst = std::max(worst, std::fabs(score - naive.score(i, j)));
      }
    }
    INFO("pairs " << pairs << ", worst score " << worst);
    CHECK(worst < 1e-5);
    CHECK(trained.objective.back() == Approx(naive.objective()).margin(1e-5));
  }
}

TEST_CASE("a checkerboard is learned: the hidden square comes first") {
  constexpr std::uint32_t kSide = 24;
  ObservationSet set;
  set.users = set.items = kSide;
  set.start.push_back(0);
  const auto liked = [](std::uint32_t i, std::uint32_t j) { return (i / 4 + j / 4) % 2 == 0; };
  for (std::uint32_t i = 0; i < kSide; ++i) {
    const std::uint32_t hidden = (i / 4 % 2) * 4 + i % 4;  // one liked item of each user
    for (const bool want : {true, false}) {
      for (std::uint32_t j = 0; j < kSide; ++j) {
        if (liked(i, j) != want || j == hidden) continue;
        set.item.push_back(j);
        set.target.push_back(want ? 1.0F : 0.0F);
      }
      if (want) set.liked.push_back(static_cast<std::uint32_t>(set.item.size()) - set.start.back());
    }
    set.start.push_back(static_cast<std::uint32_t>(set.item.size()));
  }
  const std::vector<float> p(kSide, 0.2F), c(kSide, 100.0F);
  Workers workers(2);
  for (const bool pairs : {false, true}) {
    BatchSettings settings;
    settings.pairs = pairs;
    settings.alpha = 0.2F;
    settings.rank = 4;
    settings.iterations = 300;
    const Factors factors = train({set, p, c}, settings, workers).factors;
    for (std::uint32_t i = 0; i < kSide; ++i) {
      const std::uint32_t hidden = (i / 4 % 2) * 4 + i % 4;
      REQUIRE(liked(i, hidden));
      for (std::uint32_t j = 0; j < kSide; ++j) {
        if (liked(i, j)) continue;
        INFO("pairs " << pairs << " user " << i << " item " << j);
        CHECK(factors.score(UserIx{i}, ItemIx{hidden}) > factors.score(UserIx{i}, ItemIx{j}));
      }
    }
  }
}

TEST_CASE("the result is the same, bit for bit, on any number of threads") {
  const SmallProblem small = small_problem(700, 300, 9);  // several chunks and ranges
  for (const bool pairs : {false, true}) {
    BatchSettings settings;
    settings.pairs = pairs;
    settings.iterations = 15;
    settings.tolerance = 0.0;
    Workers one(1), two(2), five(5);
    const Trained alone = train(small.with_geography(), settings, one);
    for (Workers* crew : {&two, &five}) {
      const Trained together = train(small.with_geography(), settings, *crew);
      CHECK(together.objective == alone.objective);
      CHECK(together.factors.users == alone.factors.users);
      CHECK(together.factors.items == alone.factors.items);
      CHECK(together.factors.activity == alone.factors.activity);
      CHECK(expected_usage(together.factors, small.propensity, *crew) ==
            expected_usage(alone.factors, small.propensity, one));
    }
  }
}

TEST_CASE("every rank trains, also those that no kernel is made for") {
  const SmallProblem small = small_problem(40, 30, 2);
  Workers workers(1);
  for (const std::size_t rank : {1U, 3U, 4U, 7U, 10U, 11U, 16U, 17U, 32U, 33U, 64U}) {
    BatchSettings settings;
    settings.rank = rank;
    settings.iterations = 60;
    const Trained trained = train(small.with_geography(), settings, workers);
    INFO("rank " << rank);
    CHECK(trained.factors.users.size() == 40 * rank);
    CHECK(trained.objective.back() < 0.9 * trained.objective.front());
  }
}

TEST_CASE("training stops when the objective rests, and only then") {
  const SmallProblem small = small_problem(60, 40, 4);
  Workers workers(1);
  BatchSettings settings;
  const Trained rested = train(small.without_geography(), settings, workers);
  REQUIRE(rested.objective.size() > 6);
  CHECK(rested.objective.size() - 1 < settings.iterations);
  for (std::size_t back = 1; back <= 5; ++back) {
    const std::size_t at = rested.objective.size() - back;
    CHECK(std::fabs(rested.objective[at] - rested.objective[at - 1]) < settings.tolerance);
  }
  settings.tolerance = 0.0;
  settings.iterations = 7;
  CHECK(train(small.without_geography(), settings, workers).objective.size() == 8);
}

TEST_CASE("a higher alpha buys a lower capacity loss") {
  const SmallProblem small = small_problem(200, 60, 8);
  Workers workers(2);
  double last = 1e9;
  for (const float alpha : {0.0F, 0.2F, 0.8F}) {
    BatchSettings settings;
    settings.alpha = alpha;
    settings.iterations = 200;
    const Factors factors = train(small.without_geography(), settings, workers).factors;
    const std::vector<float> usage = expected_usage(factors, small.propensity, workers);
    double total = 0.0;
    for (std::size_t j = 0; j < usage.size(); ++j) {
      total += loss(CapacityLoss::kLogistic, usage[j] - small.capacity[j]);
    }
    INFO("alpha " << alpha);
    CHECK(total < last);
    last = total;
  }
}

TEST_CASE("extreme excess stays finite with every surrogate") {
  SmallProblem small = small_problem(900, 20, 6);
  std::fill(small.propensity.begin(), small.propensity.end(), 1.0F);
  std::fill(small.capacity.begin(), small.capacity.end(), 0.01F);
  Workers workers(2);
  for (const CapacityLoss loss :
       {CapacityLoss::kLogistic, CapacityLoss::kExponential, CapacityLoss::kHinge}) {
    BatchSettings settings;
    settings.loss = loss;
    settings.iterations = 30;
    for (const double objective : train(small.with_geography(), settings, workers).objective) {
      CHECK(std::isfinite(objective));
    }
  }
}

TEST_CASE("every seed and every repeat starts elsewhere") {
  const SmallProblem small = small_problem(20, 12, 1);
  Workers workers(1);
  const auto start = [&](std::uint64_t seed, std::uint64_t repeat) {
    BatchSettings settings;
    settings.iterations = 0;
    settings.seed = seed;
    settings.repeat = repeat;
    return train(small.without_geography(), settings, workers).factors.users;
  };
  CHECK(start(1, 0) == start(1, 0));
  CHECK(start(1, 0) != start(1, 1));
  CHECK(start(1, 0) != start((1ULL << 48) + 1, 0));
  CHECK(start(1, 1) != start(2, 0));
}
