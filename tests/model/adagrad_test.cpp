#include "headroom/model/adagrad.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace headroom;

TEST_CASE("the first step has the step's length, whatever the gradient, and goes down it") {
  for (const float gradient : {-1e6F, -2.0F, -1e-3F, 1e-3F, 2.0F, 1e6F}) {
    float weight = 5.0F, squares = 0.0F;
    Adagrad{.step = 0.5F}.move(weight, squares, gradient);
    CHECK(weight == Approx(5.0F - std::copysign(0.5F, gradient)).epsilon(1e-4));
    CHECK(squares == Approx(gradient * gradient));
  }
}

TEST_CASE("steps follow the formula: step g / (sqrt(sum of squares) + floor)") {
  const Adagrad adagrad{.step = 0.3F, .floor = 0.25F};
  float weight = 1.0F, squares = 0.0F;
  double expected = 1.0, total = 0.0;
  for (const float gradient : {3.0F, -1.0F, 0.5F, 0.0F, 4.0F}) {
    adagrad.move(weight, squares, gradient);
    const double g = gradient;
    total += g * g;
    expected -= 0.3 * g / (std::sqrt(total) + 0.25);
    CHECK(weight == Approx(expected));
    CHECK(squares == Approx(total));
  }
}

TEST_CASE("a coordinate that never had a gradient stays where it is") {
  float weight = 0.75F, squares = 0.0F;
  for (int n = 0; n < 3; ++n) Adagrad{}.move(weight, squares, 0.0F);
  CHECK(weight == 0.75F);
  CHECK(squares == 0.0F);
}

TEST_CASE("a gradient too small to square moves by no more than a step") {
  float weight = 0.0F, squares = 0.0F;
  Adagrad{}.move(weight, squares, 1e-30F);
  CHECK(std::fabs(weight) <= 1.0F);
  CHECK(std::isfinite(weight));
}

TEST_CASE("a register of weights moves as its floats do, each by its own squares") {
  const Adagrad adagrad{.step = 0.1F};
  Lanes weights{}, squares{}, gradients{};
  std::vector<float> weight(kLanes), square(kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    weights[lane] = weight[at] = static_cast<float>(lane);
    squares[lane] = square[at] = static_cast<float>(lane % 3);
    gradients[lane] = static_cast<float>(lane) - 1.5F;
    adagrad.move(weight[at], square[at], gradients[lane]);
  }
  adagrad.move(weights, squares, gradients);
  for (int lane = 0; lane < kLanes; ++lane) {
    CHECK(weights[lane] == Approx(weight[static_cast<std::size_t>(lane)]));
    CHECK(squares[lane] == Approx(square[static_cast<std::size_t>(lane)]));
  }
}

TEST_CASE("it finds the least of a badly scaled bowl") {
  float x = 3.0F, y = -2.0F, x_squares = 0.0F, y_squares = 0.0F;
  for (int n = 0; n < 2000; ++n) {
    Adagrad{}.move(x, x_squares, 2e3F * (x - 1.0F));
    Adagrad{}.move(y, y_squares, 2e-3F * (y - 4.0F));
  }
  CHECK(x == Approx(1.0).margin(1e-3));
  CHECK(y == Approx(4.0).margin(1e-3));
}
