#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "headroom/engine/engine.hpp"

namespace headroom {
namespace {

// Stand-ins for followed lists are plenty: each of the others would cost a tenth of an outcome.
constexpr std::uint64_t kCalibrateEvery = 4;

}  // namespace

void Engine::learn(Walk& walk, UserIx user, ItemIx item, float value, float weight,
                   std::uint32_t part) {
  if (weight == 0.0F) return;
  const std::uint64_t place = (walk.batch.number << 20U) | walk.position;
  if (value > 0.0F && state_.counters.learned % kCalibrateEvery == 0) {
    calibrate_by_draws(user, item, place);
  }
  if (state_.pressure.learns_taste()) {
    state_.learner.like(user, item, value, weight, place, part);
  } else {
    state_.learner.meet(user, item, value, weight, place);
  }
  ++state_.counters.learned;
  if (value <= 0.0F || !state_.pressure.count()) return;
  const auto capacity = capacities();
  // Where nothing has a capacity nothing can press, and nobody needs to be counted.
  const bool limited =
      std::any_of(capacity.begin(), capacity.end(), [](float limit) { return !std::isinf(limit); });
  const auto listen = limited ? listeners() : std::vector<float>();
  const auto taken = limited ? people() : std::vector<float>();
  state_.pressure.refresh({listen, capacity, taken, options_.learner.seed}, state_.learner,
                          workers_);
}

void Engine::expect_usage() {
  const auto listen = listeners(), capacity = capacities(), taken = people();
  state_.learner.line_up();
  state_.pressure.expect({listen, capacity, taken, options_.learner.seed}, state_.learner,
                         workers_);
}

// A list was followed: what the chances were worth, and what its ranks.
void Engine::learn_choice(UserIx user, const OutputId& list, ItemIx followed) {
  std::vector<ItemIx> items;
  for (const ShownPlace& place : state_.ledger.places(user, list)) items.push_back(place.item);
  std::vector<float> scores(items.size());
  state_.learner.score_some(user, items, scores);
  const auto at = std::find(items.begin(), items.end(), followed);
  if (at == items.end()) return;
  const auto place = static_cast<std::size_t>(at - items.begin());
  std::vector<float> logits;
  for (const float score : scores) logits.push_back(state_.calibration.logit(score));
  state_.choice.observe(logits, place);
  std::swap(scores[0], scores[place]);
  state_.calibration.observe_followed(scores);
}

void Engine::calibrate_by_draws(UserIx user, ItemIx item, std::uint64_t place) {
  const float weight = state_.calibration.stand_in_weight();
  if (weight == 0.0F) return;
  auto items =
      state_.learner.draw_unseen(user, item, Calibration::kListed - 1,
                                 Draws(options_.learner.seed, Purpose::kCalibration, place));
  items.insert(items.begin(), item);
  std::array<float, Calibration::kListed> scores;
  const std::span of(scores.data(), items.size());
  state_.learner.score_some(user, items, of);
  state_.calibration.observe(of, weight);
}

std::vector<float> Engine::listeners() const {
  std::vector<float> listen(state_.learner.users());
  const Time now = state_.ledger.now();
  for (std::uint32_t row = 0; row < listen.size(); ++row) {
    const UserIx user{row};
    if (!state_.learner.knows(user)) continue;
    if (options_.given_listening) {
      listen[row] = options_.given_listening(state_.users.name(user));
    } else if (state_.seen_at(user) + options_.pressure.active >= now) {
      listen[row] = state_.listening.mean(user, now);
    }
  }
  return listen;
}

std::vector<float> Engine::capacities() const {
  std::vector<float> out(state_.learner.items(), std::numeric_limits<float>::infinity());
  for (std::uint32_t row = 0; row < out.size(); ++row) {
    if (!state_.items.has(ItemIx{row})) continue;
    const ItemUpdate& image = state_.catalogue.image(ItemIx{row});
    if (image.capacity && !image.removed) out[row] = static_cast<float>(image.capacity->limit);
  }
  return out;
}

std::vector<float> Engine::people() const {
  if (options_.given_listening) return {};
  std::vector<float> out(state_.learner.items());
  for (std::uint32_t row = 0; row < out.size(); ++row) {
    if (!state_.items.has(ItemIx{row})) continue;
    out[row] = static_cast<float>(state_.ledger.taken(ItemIx{row}));
  }
  return out;
}

}  // namespace headroom
