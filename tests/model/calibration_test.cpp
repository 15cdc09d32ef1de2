#include "headroom/model/calibration.hpp"

#include <cmath>
#include <vector>

#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

namespace {

// Lists of ten scores of which one is chosen, by the softmax of `slope` times the score.
std::vector<float> list_of(std::uint64_t n, double slope, double spread) {
  Draws draws(7, Purpose::kWorld, n);
  std::vector<float> scores(10);
  std::vector<double> weights(10);
  double total = 0.0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    scores[k] = static_cast<float>(spread * draws.normal());
    total += weights[k] = std::exp(slope * scores[k]);
  }
  double at = total * draws.uniform();
  std::size_t chosen = 0;
  while (chosen + 1 < scores.size() && at >= weights[chosen]) at -= weights[chosen++];
  std::swap(scores[0], scores[chosen]);
  return scores;
}

// The largest distance between chance and share chosen, over five bins of the score.
double worst_bin(const Calibration& calibration, double slope, double spread, std::uint64_t from) {
  struct Bin {
    double chance = 0.0, chosen = 0.0, count = 0.0;
  };
  std::vector<Bin> bins(5);
  for (std::uint64_t n = from; n < from + 20'000; ++n) {
    const auto scores = list_of(n, slope, spread);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const double z = scores[k] / spread;
      Bin& bin = bins[z < -1.0 ? 0 : z < -0.3 ? 1 : z < 0.3 ? 2 : z < 1.0 ? 3 : 4];
      bin.chance += calibration.chance(scores[k]);
      bin.chosen += k == 0 ? 1.0 : 0.0;
      ++bin.count;
    }
  }
  double worst = 0.0;
  for (const Bin& bin : bins)
    worst = std::max(worst, std::fabs(bin.chance - bin.chosen) / bin.count);
  return worst;
}

}  // namespace

TEST_CASE("chances come to be the shares that are chosen, and follow scores that grow") {
  Calibration calibration;
  for (std::uint64_t n = 0; n < 5'000; ++n) calibration.observe(list_of(n, 1.0, 1.0), 1.0F);
  CHECK(worst_bin(calibration, 1.0, 1.0, 100'000) < 0.02);
  // The same choices on scores three times as large.
  for (std::uint64_t n = 0; n < 8'000; ++n) calibration.observe(list_of(n, 1.0 / 3, 3.0), 1.0F);
  CHECK(worst_bin(calibration, 1.0 / 3, 3.0, 100'000) < 0.02);
}

TEST_CASE("a higher score is never the lower chance, and no score leaves the range") {
  Calibration calibration;
  for (std::uint64_t n = 0; n < 3'000; ++n) calibration.observe(list_of(n, -2.0, 1.0), 1.0F);
  float before = 0.0F;
  for (const float score : {-1e30F, -50.0F, -1.0F, 0.0F, 1.0F, 50.0F, 1e30F}) {
    const float chance = calibration.chance(score);
    CHECK(chance >= before);
    CHECK((chance > 0.0F && chance < 1.0F));
    before = chance;
  }
}

TEST_CASE("stand-ins count until 1,000 lists were followed, and give way over the next 1,000") {
  Calibration calibration;
  CHECK(calibration.stand_in_weight() == 1.0F);
  const float before = calibration.chance(1.0F);
  for (std::uint64_t n = 0; n < 1'000; ++n) calibration.observe_followed(list_of(n, 1.0, 1.0));
  CHECK(calibration.chance(1.0F) == before);
  CHECK(calibration.stand_in_weight() == 1.0F);
  for (std::uint64_t n = 0; n < 500; ++n) calibration.observe_followed(list_of(n, 1.0, 1.0));
  CHECK(calibration.stand_in_weight() == Approx(0.5));
  CHECK(calibration.chance(1.0F) != before);
  for (std::uint64_t n = 0; n < 500; ++n) calibration.observe_followed(list_of(n, 1.0, 1.0));
  CHECK(calibration.stand_in_weight() == 0.0F);
  const float after = calibration.chance(1.0F);
  calibration.observe(list_of(1, 1.0, 1.0), calibration.stand_in_weight());
  CHECK(calibration.chance(1.0F) == after);
}

TEST_CASE("a calibration that is saved and loaded goes on, bit for bit; a damaged one is refused") {
  Calibration one, other;
  for (std::uint64_t n = 0; n < 500; ++n) one.observe(list_of(n, 1.0, 1.0), 1.0F);
  ByteWriter bytes;
  one.save(bytes);
  ByteReader reader(bytes.bytes());
  other.load(reader);
  for (std::uint64_t n = 500; n < 600; ++n) {
    one.observe(list_of(n, 1.0, 1.0), 1.0F);
    other.observe(list_of(n, 1.0, 1.0), 1.0F);
  }
  CHECK(one.chance(0.3F) == other.chance(0.3F));
  std::string damaged = bytes.bytes();
  damaged.replace(8, 8, 8, '\xFF');
  ByteReader bad(damaged);
  CHECK_THROWS(other.load(bad));
}

TEST_CASE("the cheap bound of a chance is never below it, and not far above") {
  for (const double slope : {0.3, 1.0, 4.0}) {
    Calibration calibration;
    for (std::uint64_t n = 0; n < 3'000; ++n) calibration.observe(list_of(n, slope, 1.0), 1.0F);
    for (int n = -40'000; n <= 40'000; ++n) {
      const float score = 0.001F * static_cast<float>(n);
      const float chance = calibration.chance(score), most = calibration.most_chance(score);
      if (!(chance <= most)) FAIL("below the chance at " << score);
      if (std::fabs(calibration.logit(score)) > 15.0F) continue;
      if (!(most <= 1.04F * chance)) FAIL("far above the chance at " << score);
    }
    for (const float score : {-INFINITY, INFINITY, -1e30F, 1e30F}) {
      CHECK(calibration.chance(score) <= calibration.most_chance(score));
    }
  }
}

TEST_CASE("up to the score below a chance no chance reaches it, whichever way it is found") {
  for (const double slope : {0.05, 0.3, 1.0, 4.0}) {
    Calibration calibration;
    for (std::uint64_t n = 0; n < 3'000; ++n) calibration.observe(list_of(n, slope, 1.0), 1.0F);
    for (int n = -400; n <= 400; ++n) {
      const float score = 0.1F * static_cast<float>(n), chance = calibration.chance(score);
      for (const float below :
           {calibration.score_below(chance), calibration.score_below(chance, score)}) {
        CAPTURE(slope, score, chance, below);
        if (below > -30.0F && !(calibration.chance(below) < chance)) FAIL("too high");
        if (std::fabs(calibration.logit(score)) > 6.0F || std::fabs(score) > 29.0F) continue;
        if (!(calibration.chance(below) > 0.99F * chance)) FAIL("too low");
      }
    }
  }
}

TEST_CASE("what is worth a chance in spite of a price has a score as much higher") {
  for (const double slope : {0.3, 1.0, 4.0}) {
    Calibration calibration;
    for (std::uint64_t n = 0; n < 3'000; ++n) calibration.observe(list_of(n, slope, 1.0), 1.0F);
    for (float chance = 0.001F; chance < 1.0F; chance += 0.001F) {
      const float from = calibration.score_below(chance), rise = calibration.rise_above(chance);
      for (const float price : {1e-6F, 1e-3F, 0.02F, 0.3F, 0.9F, 3.0F}) {
        if (!(calibration.chance(from + rise * price) - price < chance)) {
          FAIL("chance " << chance << ", price " << price << ", slope " << slope);
        }
      }
    }
  }
}
