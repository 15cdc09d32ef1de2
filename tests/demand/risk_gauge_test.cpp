#include "headroom/demand/risk_gauge.hpp"

#include <cmath>

#include "headroom/base/random.hpp"
#include "headroom/demand/normal.hpp"
#include "support/catch.hpp"

namespace headroom {
namespace {

TEST_CASE("normal: the inverse undoes the share") {
  for (const double z : {-4.0, -1.6449, -0.3, 0.0, 2.5}) {
    CHECK(normal_inverse(normal_share(z)) == Approx(z).margin(1e-9));
  }
  CHECK(normal_share(1.959964) == Approx(0.975).margin(1e-7));
}

TEST_CASE("risk gauge: chances on its grid, the nearest to what is asked") {
  for (const double chance : {0.5, 0.2, 0.05, 0.01, 0.001}) {
    const double near = RiskGauge::chance(RiskGauge::nearest(normal_inverse(chance)));
    CHECK(std::abs(normal_inverse(near) - normal_inverse(chance)) <= 0.025 + 1e-9);
  }
  CHECK(RiskGauge::nearest(-6.0) == RiskGauge::kAims - 1);  // as far as the grid goes
  CHECK(RiskGauge::level_of(0.0F) == 0);
  CHECK(RiskGauge::level_of(1.0F) == RiskGauge::kLevels - 1);
}

// A place where quantiles are off by so much: what is aimed at comes as another chance.
double realised(RiskGauge& gauge, const RiskGauge::Item& item, double risk, double off,
                std::uint64_t seed) {
  Draws draws(seed, Purpose::kWorld, 1);
  int looks = 0, over = 0;
  for (int n = 0; n < 60'000; ++n) {
    if (n % 15 == 0) gauge.pass(1);
    const RiskGauge::Aim aim = gauge.aim(item, normal_inverse(risk));
    const double chance = normal_share(normal_inverse(RiskGauge::chance(aim)) + off);
    const bool is_over = draws.uniform() < chance;
    gauge.observe(item, aim, is_over);
    if (n < 20'000) continue;  // it has learned by then
    ++looks;
    over += is_over ? 1 : 0;
  }
  return static_cast<double>(over) / looks;
}

TEST_CASE("risk gauge: the configured risk comes true, however wrong the rooms are") {
  for (const double off : {0.0, 0.4, 0.8}) {
    for (const double risk : {0.01, 0.05, 0.2}) {
      RiskGauge gauge;
      CAPTURE(off, risk);
      CHECK(realised(gauge, {20.0, 3}, risk, off, 1) == Approx(risk).epsilon(0.15));
    }
  }
}

TEST_CASE("risk gauge: what it corrects has bounds") {
  RiskGauge gauge;
  for (int n = 0; n < 10'000; ++n)
    gauge.observe({2.0, 0}, gauge.aim({2.0, 0}, normal_inverse(0.05)), false);
  CHECK(RiskGauge::chance(gauge.aim({2.0, 0}, normal_inverse(0.05))) < 0.09);
  for (int n = 0; n < 10'000; ++n)
    gauge.observe({2.0, 0}, gauge.aim({2.0, 0}, normal_inverse(0.05)), true);
  CHECK(RiskGauge::chance(gauge.aim({2.0, 0}, normal_inverse(0.05))) > 0.001);
}

TEST_CASE("risk gauge: loaded it goes on as it was, and what is damaged is refused") {
  RiskGauge gauge, loaded;
  for (int n = 0; n < 100; ++n)
    gauge.observe({5.0, 1}, gauge.aim({5.0, 1}, normal_inverse(0.1)), n % 3 == 0);
  ByteWriter out;
  gauge.save(out);
  ByteReader in(out.bytes());
  loaded.load(in);
  CHECK(loaded.aim({5.0, 1}, normal_inverse(0.1)) == gauge.aim({5.0, 1}, normal_inverse(0.1)));
  std::string bytes(out.bytes());
  const double broken = std::nan("");
  std::copy_n(reinterpret_cast<const char*>(&broken), sizeof broken, bytes.begin());
  ByteReader bad(bytes);
  CHECK_THROWS(loaded.load(bad));
}

}  // namespace
}  // namespace headroom
