#include "headroom/base/lanes.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

using namespace headroom;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> with_both_signs(std::vector<float> magnitudes) {
  std::vector<float> grid;
  for (const float x : magnitudes) {
    grid.push_back(x);
    grid.push_back(-x);
  }
  return grid;
}

std::vector<float> finite_grid() {
  std::vector<float> grid = with_both_signs(
      {0.0F, 1e-30F, 1e-7F, 1e-3F, 0.34657F, 0.5F, 1.0F, 20.0F, 86.9F, 87.0F, 88.0F, 1e3F, 1e30F});
  for (int step = -4000; step <= 4000; ++step) grid.push_back(static_cast<float>(step) * 0.0213F);
  return grid;
}

std::vector<float> grid_with_infinities() {
  std::vector<float> grid = finite_grid();
  for (const float x : with_both_signs({kInf, std::numeric_limits<float>::max()})) {
    grid.push_back(x);
  }
  return grid;
}

// f of one number, the other lanes holding something else.
template <class Function>
float in_one_lane(const Function& f, float x, int lane, float elsewhere) {
  Lanes lanes = broadcast(elsewhere);
  lanes[lane] = x;
  return f(lanes)[lane];
}

// The error, relative where the number is large and absolute where it is small.
double error_of(double is, double should) {
  return std::fabs(is - should) / std::max(1.0, std::fabs(should));
}

const auto kExp = [](Lanes x) { return exp(x); };
const auto kSigmoid = [](Lanes x) { return sigmoid(x); };
const auto kSoftplus = [](Lanes x) { return softplus(x); };
const auto kRoot = [](Lanes x) { return headroom::sqrt(x); };

double true_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double true_softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

}  // namespace

TEST_CASE("load and store are exact, in order and touch nothing beyond a register") {
  std::vector<float> from(kLanes + 2), to(kLanes + 2, -1.0F);
  for (std::size_t at = 0; at < from.size(); ++at) from[at] = static_cast<float>(at) + 0.5F;
  store(&to[1], load(&from[1]));
  CHECK(to.front() == -1.0F);
  CHECK(to.back() == -1.0F);
  for (std::size_t at = 1; at <= kLanes; ++at) CHECK(to[at] == from[at]);
}

TEST_CASE("the rows that registers are loaded from are aligned to a cache line") {
  for (const std::size_t size : {1, 7, 64, 1000}) {
    const AlignedFloats row(size);
    CHECK(reinterpret_cast<std::uintptr_t>(row.data()) % 64 == 0);
  }
}

TEST_CASE("sum adds every lane once") {
  CHECK(sum(broadcast(1.0F)) == static_cast<float>(kLanes));
  float expected = 0.0F;
  Lanes powers{};
  for (int lane = 0; lane < kLanes; ++lane) {
    powers[lane] = static_cast<float>(1 << lane);
    expected += powers[lane];
    Lanes single{};
    single[lane] = 3.25F;
    CHECK(sum(single) == 3.25F);
  }
  CHECK(sum(powers) == expected);
}

TEST_CASE("exp is e^x to a few ulp near 0 and to 1e-5 at the ends") {
  for (const float x : finite_grid()) {
    if (std::fabs(x) > 87.0F) continue;
    const double truth = std::exp(static_cast<double>(x));
    const double relative = std::fabs(in_one_lane(kExp, x, 0, 0.0F) / truth - 1.0);
    INFO("x = " << x);
    CHECK(relative < (std::fabs(x) <= 1.0F ? 4e-7 : 1e-5));
  }
  CHECK(in_one_lane(kExp, 0.0F, 0, 1.0F) == 1.0F);
  CHECK(in_one_lane(kExp, -0.0F, 0, 1.0F) == 1.0F);
}

TEST_CASE("exp is clamped outside of [-87, 87]: positive, normal and finite") {
  const float low = in_one_lane(kExp, -87.0F, 0, 0.0F), high = in_one_lane(kExp, 87.0F, 0, 0.0F);
  CHECK(std::isnormal(low));
  CHECK(std::isnormal(high));
  for (const float x : {87.5F, 1e30F, std::numeric_limits<float>::max(), kInf}) {
    CHECK(in_one_lane(kExp, x, 0, 0.0F) == Approx(high));
    CHECK(in_one_lane(kExp, -x, 0, 0.0F) / low == Approx(1.0));
  }
}

TEST_CASE("sigmoid is 1 / (1 + e^-x) to 1e-6 everywhere, infinities included") {
  for (const float x : grid_with_infinities()) {
    INFO("x = " << x);
    const double truth = true_sigmoid(static_cast<double>(x));
    const float lanes = in_one_lane(kSigmoid, x, 0, 0.0F);
    CHECK(std::fabs(static_cast<double>(lanes) - truth) < 1e-6);
    CHECK(std::fabs(static_cast<double>(sigmoid(x)) - truth) < 1e-6);
    CHECK(lanes >= 0.0F);
    CHECK(lanes <= 1.0F + 2e-7F);
  }
}

TEST_CASE("sigmoid keeps its relative precision where it is small") {
  for (float x = 0.0F; x < 80.0F; x += 0.37F) {
    const double relative =
        in_one_lane(kSigmoid, -x, 0, 0.0F) / true_sigmoid(-static_cast<double>(x)) - 1.0;
    INFO("x = " << -x);
    CHECK(std::fabs(relative) < 1e-5);
  }
}

TEST_CASE("softplus is log(1 + e^x) to 1e-6, and x itself where it would overflow") {
  for (const float x : grid_with_infinities()) {
    INFO("x = " << x);
    const double truth = true_softplus(static_cast<double>(x));
    for (const float is : {in_one_lane(kSoftplus, x, 0, 0.0F), softplus(x)}) {
      if (std::isinf(truth)) {
        CHECK(is == truth);
      } else {
        CHECK(error_of(static_cast<double>(is), truth) < 1e-6);
      }
    }
  }
}

TEST_CASE("softplus keeps its relative precision where it is small") {
  for (float x = 1.0F; x < 80.0F; x += 0.37F) {
    const double relative =
        in_one_lane(kSoftplus, -x, 0, 0.0F) / true_softplus(-static_cast<double>(x)) - 1.0;
    INFO("x = " << -x);
    CHECK(std::fabs(relative) < 1e-5);
  }
}

TEST_CASE("a square root in lanes is std::sqrt") {
  for (const float x : {0.0F, 1e-30F, 2.0F, 9.0F, 1e30F, kInf}) {
    CHECK(in_one_lane(kRoot, x, 0, 1.0F) == std::sqrt(x));
    CHECK(headroom::sqrt(x) == std::sqrt(x));
  }
}

TEST_CASE("NaN stays NaN") {
  for (int lane = 0; lane < kLanes; ++lane) {
    CHECK(std::isnan(in_one_lane(kExp, kNan, lane, 1.0F)));
    CHECK(std::isnan(in_one_lane(kSigmoid, kNan, lane, 1.0F)));
    CHECK(std::isnan(in_one_lane(kSoftplus, kNan, lane, 1.0F)));
    CHECK(std::isnan(in_one_lane(kRoot, kNan, lane, 1.0F)));
  }
  CHECK(std::isnan(sigmoid(kNan)));
  CHECK(std::isnan(softplus(kNan)));
}

TEST_CASE("what is in one lane does not change another") {
  const auto check = [](const auto& f) {
    for (const float x : {-3.0F, 0.0F, 0.7F, 50.0F}) {
      const float alone = in_one_lane(f, x, 0, x);
      for (int lane = 0; lane < kLanes; ++lane) {
        for (const float elsewhere : {0.0F, -87.0F, 1e30F, kInf, -kInf, kNan}) {
          CHECK(in_one_lane(f, x, lane, elsewhere) == alone);
        }
      }
    }
  };
  check(kExp);
  check(kSigmoid);
  check(kSoftplus);
}
