#include "headroom/rank/choice_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

constexpr double kMemory = 0.9995;  // half after 1,400 follows
constexpr double kMostWeight = 5.0;

// What speaks for a place: less the further down it stands.
double rank_term(std::size_t place) { return -std::log(static_cast<double>(place + 1)); }

void softmax(std::span<const float> logits, double rank_weight, double logit_weight,
             std::span<float> out) {
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t n = 0; n < logits.size(); ++n) {
    out[n] = static_cast<float>(rank_weight * rank_term(n) +
                                logit_weight * static_cast<double>(logits[n]));
    most = std::max(most, out[n]);
  }
  double sum = 0.0;
  for (float& value : out.first(logits.size())) {
    value = std::exp(value - most);
    sum += static_cast<double>(value);
  }
  for (float& value : out.first(logits.size())) {
    value = static_cast<float>(static_cast<double>(value) / sum);
  }
}

}  // namespace

void ChoiceModel::shares(std::span<const float> logits, std::span<float> out) const {
  softmax(logits, rank_weight(), logit_weight(), out);
}

void ChoiceModel::observe(std::span<const float> logits, std::size_t followed) {
  ++follows_;
  if (logits.size() < 2) return;
  std::vector<float> shares(logits.size());
  softmax(logits, rank_, logit_, shares);
  double m0 = 0.0, m1 = 0.0, a00 = 0.0, a01 = 0.0, a11 = 0.0;
  for (std::size_t n = 0; n < logits.size(); ++n) {
    const double share = static_cast<double>(shares[n]), x0 = rank_term(n);
    const double x1 = static_cast<double>(logits[n]);
    m0 += share * x0;
    m1 += share * x1;
    a00 += share * x0 * x0;
    a01 += share * x0 * x1;
    a11 += share * x1 * x1;
  }
  h00_ = kMemory * h00_ + a00 - m0 * m0;
  h01_ = kMemory * h01_ + a01 - m0 * m1;
  h11_ = kMemory * h11_ + a11 - m1 * m1;
  // One more on the diagonal keeps the step small where nothing is known.
  const double b00 = h00_ + 1.0, b11 = h11_ + 1.0, det = b00 * b11 - h01_ * h01_;
  if (!(det > 0.0)) return;
  const double g0 = rank_term(followed) - m0, g1 = static_cast<double>(logits[followed]) - m1;
  rank_ = std::clamp(rank_ + (b11 * g0 - h01_ * g1) / det, -kMostWeight, kMostWeight);
  logit_ = std::clamp(logit_ + (b00 * g1 - h01_ * g0) / det, -kMostWeight, kMostWeight);
}

void ChoiceModel::save(ByteWriter& to) const {
  for (const double value : {rank_, logit_, h00_, h01_, h11_}) to.put(value);
  to.put(follows_);
}

void ChoiceModel::load(ByteReader& from) {
  for (double* value : {&rank_, &logit_, &h00_, &h01_, &h11_}) {
    *value = from.get<double>();
    if (!std::isfinite(*value)) throw Error("the state store: the model of choices is damaged");
  }
  follows_ = from.get<std::uint64_t>();
}

}  // namespace headroom
