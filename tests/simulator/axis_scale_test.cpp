#include "simulator/axis_scale.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using headroom::sim::AxisRange;
using headroom::sim::AxisScale;
using headroom::sim::drawable;
using Ticks = std::vector<double>;

TEST_CASE("ticks are 1, 2 or 5 times a power of ten") {
  CHECK(AxisScale({0, 10}, false).ticks() == Ticks{0, 2, 4, 6, 8, 10});
  CHECK(AxisScale({3, 47}, false).ticks() == Ticks{0, 10, 20, 30, 40, 50});
  CHECK(AxisScale({-1, 1.2}, false).ticks() == Ticks{-1, -0.5, 0, 0.5, 1, 1.5});
  CHECK(AxisScale({1, 1000}, true).ticks() == Ticks{1, 10, 100, 1000});
  CHECK(AxisScale({3, 30}, true).ticks() == Ticks{2, 5, 10, 20, 50});
}

TEST_CASE("ticks cover the data and are few, whatever the range") {
  const double sizes[] = {1e-150, 1e-9, 0.07, 1, 3.3, 99.9, 12345, 8e22, 1e150};
  for (const bool log : {false, true}) {
    for (const double low : sizes) {
      for (const double high : sizes) {
        if (low > high) continue;
        const AxisScale scale({log ? low : -low, high}, log);
        CAPTURE(log, low, high);
        REQUIRE(scale.ticks().size() >= 2);
        CHECK(scale.ticks().size() <= 12);
        CHECK(scale.at(log ? low : -low) >= -1e-6);
        CHECK(scale.at(high) <= 1 + 1e-6);
        CHECK(scale.at(scale.ticks().front()) == Approx(0).margin(1e-12));
        CHECK(scale.at(scale.ticks().back()) == Approx(1));
      }
    }
  }
}

TEST_CASE("a range without width still makes a scale about its value") {
  for (const double value : {0.0, 5.0, -3e7, 1e-200}) {
    const AxisScale scale({value, value}, false);
    CAPTURE(value);
    CHECK(scale.ticks().size() >= 2);
    CHECK(scale.at(value) >= 0);
    CHECK(scale.at(value) <= 1);
  }
  CHECK(AxisScale({10, 10}, true).ticks() == Ticks{5, 10, 20});
  CHECK(AxisScale(AxisRange{}, false).ticks().size() >= 2);
  CHECK(AxisScale(AxisRange{}, true).ticks().size() >= 2);
}

TEST_CASE("a scale may end where the range does") {
  const AxisScale scale({3, 47}, false, AxisScale::Ends::kAsGiven);
  CHECK(scale.ticks() == Ticks{10, 20, 30, 40});
  CHECK(scale.at(3) == 0);
  CHECK(scale.at(47) == 1);
}

TEST_CASE("only finite values, above zero on a log axis, are drawable") {
  CHECK(drawable(-1, false));
  CHECK(drawable(0, false));
  CHECK_FALSE(drawable(0, true));
  CHECK_FALSE(drawable(-1, true));
  CHECK_FALSE(drawable(std::nan(""), false));
  CHECK_FALSE(drawable(std::numeric_limits<double>::infinity(), true));
}
