#include "headroom/rank/choice_model.hpp"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace headroom {
namespace {

std::vector<float> shares(const ChoiceModel& model, const std::vector<float>& logits) {
  std::vector<float> out(logits.size());
  model.shares(logits, out);
  return out;
}

TEST_CASE("choice: by rank alone at first") {
  const ChoiceModel model;
  const auto out = shares(model, {-3.0F, 5.0F, 0.0F});
  const double norm = 1.0 + std::pow(2.0, -1.1) + std::pow(3.0, -1.1);
  CHECK(static_cast<double>(out[0]) == Approx(1.0 / norm));
  CHECK(static_cast<double>(out[2]) == Approx(std::pow(3.0, -1.1) / norm));
  CHECK(shares(model, {7.0F}) == std::vector<float>{1.0F});
  CHECK(shares(model, {}).empty());
}

// People choose by known weights; the model finds them, and its shares are theirs.
TEST_CASE("choice: learns what rank and chance are worth") {
  for (const auto& [rank, logit] :
       {std::pair(0.4, 1.0), std::pair(1.8, 0.3), std::pair(0.0, 0.0)}) {
    std::mt19937_64 random(5);
    std::normal_distribution<float> spread(0.0F, 1.0F);
    ChoiceModel model;
    for (int n = 0; n < 20000; ++n) {
      std::vector<float> logits(10);
      for (float& value : logits) value = spread(random);
      std::vector<double> weights;
      for (std::size_t at = 0; at < 10; ++at) {
        weights.push_back(std::pow(static_cast<double>(at + 1), -rank) *
                          std::exp(logit * static_cast<double>(logits[at])));
      }
      model.observe(
          logits, std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random));
    }
    CAPTURE(rank, logit);
    CHECK(model.rank_weight() == Approx(rank).margin(0.12));
    CHECK(model.logit_weight() == Approx(logit).margin(0.12));
  }
}

TEST_CASE("choice: saved and loaded it goes on as it was; what is damaged is refused") {
  ChoiceModel model;
  for (int n = 0; n < 150; ++n) model.observe(std::vector<float>{1.0F, 0.5F, 0.1F}, n % 2);
  ByteWriter to;
  model.save(to);
  ChoiceModel again;
  ByteReader from(to.bytes());
  again.load(from);
  CHECK(from.empty());
  CHECK(shares(again, {2.0F, 1.0F}) == shares(model, {2.0F, 1.0F}));
  std::string damaged(to.bytes());
  const double nan = std::nan("");
  damaged.replace(0, sizeof nan, reinterpret_cast<const char*>(&nan), sizeof nan);
  ByteReader bad(damaged);
  CHECK_THROWS_WITH(again.load(bad), "the state store: the model of choices is damaged");
}

}  // namespace
}  // namespace headroom
