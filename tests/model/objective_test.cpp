#include "headroom/model/objective.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace headroom;

// One contract for every objective: a new one joins this list.
#define EVERY_OBJECTIVE Squared, Bpr

namespace {

struct Point {
  float score, other, target;
};

// Points on a grid that binary fractions hold exactly, so that a difference quotient is clean.
std::vector<Point> points() {
  std::vector<Point> out;
  for (const float score : {-4.0F, -1.25F, 0.0F, 0.5F, 3.0F}) {
    for (const float other : {-3.0F, 0.0F, 0.5F, 2.25F}) {
      for (const float target : {-1.0F, 0.0F, 1.0F}) out.push_back({score, other, target});
    }
  }
  return out;
}

template <class O>
double slope_by_score(const Point& at, float h) {
  return (static_cast<double>(O::loss(at.score + h, at.other, at.target)) -
          static_cast<double>(O::loss(at.score - h, at.other, at.target))) /
         (2.0 * h);
}

template <class O>
double slope_by_other(const Point& at, float h) {
  return (static_cast<double>(O::loss(at.score, at.other + h, at.target)) -
          static_cast<double>(O::loss(at.score, at.other - h, at.target))) /
         (2.0 * h);
}

constexpr float kStep = 0x1.0p-6F;

}  // namespace

TEMPLATE_TEST_CASE("an objective's pulls are the slopes of its loss", "", EVERY_OBJECTIVE) {
  for (const Point& at : points()) {
    const Pull<float> pull = TestType::pull(at.score, at.other, at.target);
    INFO("score " << at.score << ", other " << at.other << ", target " << at.target);
    CHECK(std::fabs(pull.score - slope_by_score<TestType>(at, kStep)) < 2e-4);
    CHECK(std::fabs(pull.other - slope_by_other<TestType>(at, kStep)) < 2e-4);
  }
}

TEMPLATE_TEST_CASE("an objective looks at what it says: a pair of scores or a target", "",
                   EVERY_OBJECTIVE) {
  for (const Point& at : points()) {
    const Point another = TestType::kPairs ? Point{at.score, at.other, at.target + 1.5F}
                                           : Point{at.score, at.other + 1.5F, at.target};
    CHECK(TestType::loss(at.score, at.other, at.target) ==
          TestType::loss(another.score, another.other, another.target));
    CHECK(TestType::pull(at.score, at.other, at.target).score ==
          TestType::pull(another.score, another.other, another.target).score);
    const float other = TestType::pull(at.score, at.other, at.target).other;
    CHECK((other != 0.0F) == TestType::kPairs);
  }
}

TEMPLATE_TEST_CASE("an objective is never negative and never wants what it punishes", "",
                   EVERY_OBJECTIVE) {
  for (const Point& at : points()) {
    const float here = TestType::loss(at.score, at.other, at.target);
    CHECK(here >= 0.0F);
    const Pull<float> pull = TestType::pull(at.score, at.other, at.target);
    const float there =
        TestType::loss(at.score - 1e-2F * pull.score, at.other - 1e-2F * pull.other, at.target);
    CHECK(there <= here);
  }
}

TEMPLATE_TEST_CASE("an objective is the same in a register as in a float", "", EVERY_OBJECTIVE) {
  const std::vector<Point> all = points();
  for (std::size_t first = 0; first + kLanes <= all.size(); ++first) {
    Lanes score, other, target;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Point& at = all[first + static_cast<std::size_t>(lane)];
      score[lane] = at.score;
      other[lane] = at.other;
      target[lane] = at.target;
    }
    const Lanes loss = TestType::loss(score, other, target);
    const Pull<Lanes> pull = TestType::pull(score, other, target);
    for (int lane = 0; lane < kLanes; ++lane) {
      const Point& at = all[first + static_cast<std::size_t>(lane)];
      const Pull<float> alone = TestType::pull(at.score, at.other, at.target);
      CHECK(loss[lane] == Approx(TestType::loss(at.score, at.other, at.target)).margin(1e-6));
      CHECK(pull.score[lane] == Approx(alone.score).margin(1e-6));
      CHECK(pull.other[lane] == Approx(alone.other).margin(1e-6));
    }
  }
}

TEMPLATE_TEST_CASE("an objective stays finite at extreme scores", "", EVERY_OBJECTIVE) {
  const std::vector<float> extremes = {-1e15F, -1e6F, -100.0F, 0.0F, 100.0F, 1e6F, 1e15F};
  for (const float score : extremes) {
    for (const float other : extremes) {
      INFO("score " << score << ", other " << other);
      CHECK(std::isfinite(TestType::loss(score, other, 1.0F)));
      const Pull<float> pull = TestType::pull(score, other, 1.0F);
      CHECK(std::isfinite(pull.score));
      CHECK(std::isfinite(pull.other));
      const Pull<Lanes> lanes = TestType::pull(broadcast(score), broadcast(other), broadcast(1.0F));
      CHECK(std::isfinite(sum(TestType::loss(broadcast(score), broadcast(other), Lanes{}))));
      CHECK(std::isfinite(sum(lanes.score)));
      CHECK(std::isfinite(sum(lanes.other)));
    }
  }
}

TEST_CASE("the squared error and its pull by hand") {
  CHECK(Squared::loss(3.0F, 9.0F, 1.0F) == 4.0F);
  CHECK(Squared::pull(3.0F, 9.0F, 1.0F).score == 4.0F);
  CHECK(Squared::pull(1.0F, 9.0F, 1.0F).score == 0.0F);
}

TEST_CASE("BPR wants the liked score above the other, and equal scores cost log 2") {
  CHECK(Bpr::loss(0.7F, 0.7F, 0.0F) == Approx(std::log(2.0)));
  CHECK(Bpr::pull(0.7F, 0.7F, 0.0F).score == Approx(-0.5));
  CHECK(Bpr::pull(0.7F, 0.7F, 0.0F).other == Approx(0.5));
  CHECK(Bpr::loss(2.0F, 1.0F, 0.0F) == Approx(std::log1p(std::exp(-1.0))));
  CHECK(Bpr::loss(2.0F, 1.0F, 0.0F) < Bpr::loss(1.0F, 2.0F, 0.0F));
}
