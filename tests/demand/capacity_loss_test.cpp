#include "headroom/demand/capacity_loss.hpp"

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace headroom;

namespace {

constexpr CapacityLoss kAll[] = {CapacityLoss::kLogistic, CapacityLoss::kExponential,
                                 CapacityLoss::kHinge};
constexpr float kTemperatures[] = {0.25F, 1.0F, 8.0F};

// Excesses from -12 to 12 temperatures, an exact binary fraction apart, without 0.
std::vector<float> excesses(float temperature) {
  std::vector<float> out;
  for (int n = -48; n <= 48; ++n) {
    if (n != 0) out.push_back(0.25F * static_cast<float>(n) * temperature);
  }
  return out;
}

std::string words(CapacityLoss kind, float excess, float temperature) {
  std::ostringstream out;
  out << "loss " << static_cast<int>(kind) << ", excess " << excess << ", temperature "
      << temperature;
  return out.str();
}

double indicator(float excess) { return excess >= 0.0F ? 1.0 : 0.0; }

}  // namespace

TEST_CASE("the slope of a surrogate is the difference quotient of its loss") {
  for (const CapacityLoss kind : kAll) {
    for (const float t : kTemperatures) {
      for (const float x : excesses(t)) {
        const float h = t * 0x1.0p-7F;
        const double quotient = (static_cast<double>(loss(kind, x + h, t)) -
                                 static_cast<double>(loss(kind, x - h, t))) /
                                (2.0 * h);
        INFO(words(kind, x, t));
        CHECK(slope(kind, x, t) == Approx(quotient).epsilon(2e-3).margin(1e-4 / t));
      }
    }
  }
}

TEST_CASE("a surrogate is never negative, monotone and convex") {
  for (const CapacityLoss kind : kAll) {
    for (const float t : kTemperatures) {
      const std::vector<float> xs = excesses(t);
      for (std::size_t n = 0; n + 1 < xs.size(); ++n) {
        INFO(words(kind, xs[n], t));
        CHECK(loss(kind, xs[n], t) >= 0.0F);
        CHECK(slope(kind, xs[n], t) >= 0.0F);
        CHECK(loss(kind, xs[n], t) <= loss(kind, xs[n + 1], t));
        CHECK(slope(kind, xs[n], t) <= slope(kind, xs[n + 1], t));
        const float middle = 0.5F * (xs[n] + xs[n + 1]);
        const double chord = 0.5 * (static_cast<double>(loss(kind, xs[n], t)) +
                                    static_cast<double>(loss(kind, xs[n + 1], t)));
        CHECK(loss(kind, middle, t) <= chord * (1.0 + 1e-6) + 1e-7);
      }
    }
  }
}

TEST_CASE(
    "the exponential bounds the indicator of an overload from above, the logistic over log 2") {
  for (const float t : kTemperatures) {
    std::vector<float> xs = excesses(t);
    xs.push_back(0.0F);
    for (const float x : xs) {
      INFO("excess " << x << ", temperature " << t);
      CHECK(loss(CapacityLoss::kExponential, x, t) >= indicator(x));
      CHECK(loss(CapacityLoss::kLogistic, x, t) / std::log(2.0) >= indicator(x) - 1e-6);
    }
  }
  // Neither without the constant, nor the hinge at all, which is 0 where the item is just full.
  CHECK(loss(CapacityLoss::kLogistic, 0.0F) < 1.0F);
  CHECK(loss(CapacityLoss::kHinge, 0.0F) == 0.0F);
  CHECK(loss(CapacityLoss::kHinge, 0.5F) < 1.0F);
}

TEST_CASE("hinge <= logistic <= exponential, and the logistic tends to the hinge") {
  for (const float t : kTemperatures) {
    for (const float x : excesses(t)) {
      INFO("excess " << x << ", temperature " << t);
      CHECK(loss(CapacityLoss::kHinge, x, t) <= loss(CapacityLoss::kLogistic, x, t));
      CHECK(loss(CapacityLoss::kLogistic, x, t) <= loss(CapacityLoss::kExponential, x, t));
    }
    CHECK(t * loss(CapacityLoss::kLogistic, 20.0F * t, t) == Approx(20.0F * t).epsilon(1e-6));
  }
}

TEST_CASE("the surrogates by hand") {
  CHECK(loss(CapacityLoss::kLogistic, 0.0F) == Approx(std::log(2.0)));
  CHECK(slope(CapacityLoss::kLogistic, 0.0F) == Approx(0.5));
  CHECK(loss(CapacityLoss::kLogistic, 3.0F) == Approx(3.0485873516));
  CHECK(loss(CapacityLoss::kExponential, 0.0F) == 1.0F);
  CHECK(loss(CapacityLoss::kExponential, -2.0F) == Approx(0.1353352832));
  CHECK(loss(CapacityLoss::kHinge, 3.0F) == 3.0F);
  CHECK(loss(CapacityLoss::kHinge, -3.0F) == 0.0F);
  CHECK(slope(CapacityLoss::kHinge, 3.0F) == 1.0F);
  CHECK(slope(CapacityLoss::kHinge, -3.0F) == 0.0F);
}

TEST_CASE("a temperature divides the excess: 20 people at 10 count as 2 at 1") {
  for (const CapacityLoss kind : kAll) {
    CHECK(loss(kind, 20.0F, 10.0F) == loss(kind, 2.0F));
    CHECK(slope(kind, 20.0F, 10.0F) == Approx(slope(kind, 2.0F) / 10.0F));
  }
}

TEST_CASE(
    "surrogates and their squared slopes are finite a million people off, at any temperature") {
  for (const CapacityLoss kind : kAll) {
    for (const float t : {1e-3F, 0.25F, 1.0F, 1e6F}) {
      for (const float x : {-1e6F, -1e3F, 0.0F, 1e3F, 1e6F}) {
        INFO(words(kind, x, t));
        CHECK(std::isfinite(loss(kind, x, t)));
        CHECK(std::isfinite(slope(kind, x, t) * slope(kind, x, t)));
      }
    }
  }
}

TEST_CASE("the exponential goes on as a straight line where it would overflow, without a step") {
  const float limit = kExponentialLimit;
  const auto at = [](float x) { return loss(CapacityLoss::kExponential, x); };
  CHECK(at(limit) == Approx(std::exp(limit)));
  CHECK(at(limit + 1e-3F) == Approx(at(limit)).epsilon(2e-3));
  CHECK(at(limit + 1.0F) == Approx(2.0 * std::exp(limit)));
  CHECK(at(limit + 2.0F) == Approx(3.0 * std::exp(limit)));
  CHECK(slope(CapacityLoss::kExponential, limit + 50.0F) == Approx(std::exp(limit)));
}
