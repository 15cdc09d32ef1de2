#include "headroom/engine/pressure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headroom {
namespace {

// What an outcome costs to learn, in (user, item) pairs scored: measured at rank 16, where a pair
// takes about 1 ns. A function of the options alone, so that refreshes come at the same outcomes
// whatever the machine.
double work_of_outcome(unsigned negatives) { return 600.0 + 200.0 * negatives; }

// Below this an item does not press: at the logistic, 7 people less than its capacity.
constexpr float kLeastSlope = 1e-3F;

UsageInput usage_input(const PressureInput& input, const Learner& learner) {
  UsageInput usage;
  usage.users = learner.users();
  usage.items = learner.items();
  usage.rank = learner.options().rank;
  usage.listen = input.listen;
  usage.score_all = [&](UserIx user, std::span<float> out) { learner.score_all(user, out); };
  usage.score_some = [&](UserIx user, std::span<const ItemIx> items, std::span<float> out) {
    learner.score_some(user, items, out);
  };
  usage.user_vector = [&](UserIx user) {
    return learner.knows(user) ? learner.vector(user) : nullptr;
  };
  usage.item_vector = [&](ItemIx item) {
    return learner.has(item) ? learner.factors(item).data() : nullptr;
  };
  usage.item_bias = [&](ItemIx item) { return learner.bias(item); };
  return usage;
}

}  // namespace

bool Pressure::count() {
  ++since_;
  return acts() && since_ >= std::max<std::uint64_t>(due_, options_.every);
}

void Pressure::expect(const PressureInput& input, const Learner& learner, Workers& workers) {
  const UsageKey key{input.seed, refreshes_};
  usage_ =
      refresh_usage(usage_input(input, learner), options_.usage, usage_.next_sample, key, workers);
  const double square = static_cast<double>(usage_.error) * static_cast<double>(usage_.error);
  const bool first = error_squares_ == 0.0 || usage_.how == UsageHow::kExact;
  error_squares_ = first ? square : 0.8 * error_squares_ + 0.2 * square;
  double raw = 0.0, people = 0.0;
  for (std::size_t j = 0; j < usage_.values.size(); ++j) {
    if (j >= input.capacity.size() || std::isinf(input.capacity[j])) continue;
    raw += static_cast<double>(usage_.values[j]);
    if (j < input.taken.size()) people += static_cast<double>(input.taken[j]);
  }
  kappa_ = input.taken.empty() ? 1.0 : raw > 0.0 ? people / raw : 0.0;
  for (float& value : usage_.values) value *= static_cast<float>(kappa_);
}

void Pressure::refresh(const PressureInput& input, Learner& learner, Workers& workers) {
  if (std::all_of(input.capacity.begin(), input.capacity.end(),
                  [](float c) { return std::isinf(c); })) {
    since_ = 0;  // nothing can press
    return;
  }
  ++refreshes_;
  learner.line_up();
  expect(input, learner, workers);
  const auto wanted = static_cast<std::size_t>(std::max(
      1.0, std::round(static_cast<double>(options_.sampled) * static_cast<double>(since_))));
  const std::vector<UserIx> users = draw_users(input, wanted);
  learner.ease(users, pressed(input, users.size()));
  const double step_work = 3.0 * static_cast<double>(users.size() * learner.items());
  const double share = options_.share;
  due_ = static_cast<std::uint64_t>(
      std::ceil((usage_.work + step_work) * (1.0 - share) / (share * work_of_outcome(negatives_))));
  since_ = 0;
}

// dLoss/dr_ij of the sampled users, but for the slope of sigmoid. The paper weighs the mean loss
// over items by alpha against the mean over outcomes by 1 - alpha; an outcome is learned unscaled,
// with each of its negatives. So per outcome the capacity term counts alpha K / (1 - alpha), times
// the outcomes since the last refresh, times all listeners over those sampled.
std::vector<Learner::Pressed> Pressure::pressed(const PressureInput& input,
                                                std::size_t users) const {
  std::vector<Learner::Pressed> out;
  if (users == 0) return out;
  double listeners = 0.0, limited = 0.0;
  for (const float p : input.listen) listeners += static_cast<double>(p);
  for (const float c : input.capacity) limited += std::isinf(c) ? 0.0 : 1.0;
  const double k = std::max(1U, negatives_), alpha = options_.alpha;
  const double weight = learns_taste() ? alpha * k / (1.0 - alpha) : k;
  const double factor = weight * kappa_ * static_cast<double>(since_) * listeners /
                        (static_cast<double>(users) * limited);
  for (std::size_t j = 0; j < usage_.values.size() && j < input.capacity.size(); ++j) {
    if (std::isinf(input.capacity[j])) continue;
    const float at =
        slope(options_.loss, usage_.values[j] - input.capacity[j], options_.temperature);
    if (at * options_.temperature < kLeastSlope) continue;
    out.push_back({ItemIx{static_cast<std::uint32_t>(j)}, static_cast<float>(factor) * at});
  }
  return out;
}

// Systematic sampling: equal steps through the sum of p from a drawn start, so that nobody is drawn
// much more or less often than p says.
std::vector<UserIx> Pressure::draw_users(const PressureInput& input, std::size_t count) const {
  std::vector<UserIx> users;
  const double total = std::accumulate(input.listen.begin(), input.listen.end(), 0.0);
  if (total <= 0.0) return users;
  Draws draws(input.seed, Purpose::kPressure, refreshes_);
  const double step = total / static_cast<double>(count);
  double next = step * draws.uniform(), sum = 0.0;
  for (std::uint32_t i = 0; i < input.listen.size(); ++i) {
    sum += static_cast<double>(input.listen[i]);
    while (next < sum && users.size() < count) {
      users.push_back(UserIx{i});
      next += step;
    }
  }
  return users;
}

double Pressure::error() const { return std::sqrt(error_squares_); }

double Pressure::capacity_loss(std::span<const float> capacity) const {
  double total = 0.0;
  std::size_t items = 0;
  for (std::size_t j = 0; j < usage_.values.size() && j < capacity.size(); ++j) {
    if (std::isinf(capacity[j])) continue;
    total += static_cast<double>(
        loss(options_.loss, usage_.values[j] - capacity[j], options_.temperature));
    ++items;
  }
  return items > 0 ? total / static_cast<double>(items) : 0.0;
}

void Pressure::save(ByteWriter& to) const {
  to.put(since_);
  to.put(due_);
  to.put(refreshes_);
  to.put(kappa_);
  to.put(error_squares_);
  to.put(static_cast<std::uint64_t>(usage_.sample));
  to.put(static_cast<std::uint64_t>(usage_.next_sample));
  to.put(usage_.how == UsageHow::kEstimated);
  to.put(usage_.error);
  to.put(usage_.work);
  to.put_all(std::span<const float>(usage_.values));
}

void Pressure::load(ByteReader& from) {
  since_ = from.get<std::uint64_t>();
  due_ = from.get<std::uint64_t>();
  refreshes_ = from.get<std::uint64_t>();
  kappa_ = from.get<double>();
  error_squares_ = from.get<double>();
  usage_.sample = from.get<std::uint64_t>();
  usage_.next_sample = from.get<std::uint64_t>();
  usage_.how = from.get<bool>() ? UsageHow::kEstimated : UsageHow::kExact;
  usage_.error = from.get<float>();
  usage_.work = from.get<double>();
  usage_.values = from.get_all<float>();
}

}  // namespace headroom
