#include "simulator/contenders.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

#include "headroom/base/error.hpp"
#include "simulator/cpu_clock.hpp"
#include "simulator/event_stream.hpp"

namespace headroom::sim {
namespace {

EngineOptions roomy(EngineOptions options, const Dataset& data, ClockKind clock) {
  options.clock = clock;
  options.most_users = std::max(options.most_users, data.users.size());
  options.most_items = std::max(options.most_items, data.items.size());
  return options;
}

}  // namespace

EngineContender::EngineContender(const Dataset& data, EngineOptions options, Workers& workers,
                                 std::span<const float> capacity, ClockKind clock, KafkaRoad* road)
    : data_(data),
      road_(road),
      engine_(roomy(std::move(options), data, clock), workers),
      rows_(data.users.size(), kNobody) {
  step(batch_of_items(capacity));
}

Batch EngineContender::batch_of_items(std::span<const float> capacity) const {
  Batch batch;
  for (std::size_t j = 0; j < data_.items.size(); ++j) {
    ItemUpdate item;
    item.item = data_.items[j];
    if (!data_.places.empty() && std::isfinite(data_.places[j].lat) &&
        std::isfinite(data_.places[j].lon)) {
      item.position = Position{data_.places[j].lat, data_.places[j].lon};
    }
    if (!capacity.empty() && std::isfinite(capacity[j])) {
      item.capacity = Capacity{CapacityKind::kSeats, capacity[j], {}};
    }
    batch.arrivals.push_back(
        {{Topic::kItems, 0, j},
         {Time{}, std::string("i-").append(std::to_string(j)), std::move(item)},
         {}});
  }
  batch.bounds = {{Topic::kItems, 0, 0, data_.items.size()}};
  return batch;
}

Batch EngineContender::batch_of(std::span<const Interaction> events) {
  Batch batch;
  batch.number = ++batches_;
  batch.now = events.back().at;
  batch.bounds = {{Topic::kEvents, 0, events_, events_ + events.size()}};
  for (const Interaction& event : events) {
    CheckIn what;
    what.user = data_.users[index(event.user)];
    what.item = data_.items[index(event.item)];
    add_to(batch, event.at, std::move(what));
  }
  return batch;
}

Batch EngineContender::batch_of_visit(const Interaction& event, std::size_t places, bool stays) {
  Batch batch;
  batch.number = ++batches_;
  batch.now = event.at;
  const std::uint64_t first = events_;
  const std::string& user = data_.users[index(event.user)];
  const std::string& item = data_.items[index(event.item)];
  add_to(batch, event.at, Request{user, static_cast<std::uint16_t>(places), 1, std::nullopt});
  add_to(batch, event.at, CheckIn{user, item, 1.0F, std::nullopt});
  if (!stays) add_to(batch, event.at, CheckOut{user, item});
  batch.bounds = {{Topic::kEvents, 0, first, events_}};
  return batch;
}

template <class What>
void EngineContender::add_to(Batch& batch, Time at, What what) {
  batch.arrivals.push_back(
      {{Topic::kEvents, 0, events_},
       {at, std::string("e-").append(std::to_string(events_)), std::move(what)},
       {}});
  ++events_;
}

Outcome EngineContender::step(const Batch& batch) {
  Outcome outcome = road_ != nullptr ? step_through_kafka(batch) : engine_.step(batch);
  if (!outcome.letters.empty()) {
    throw Error("the engine does not take an event: " +
                outcome.letters.front().reject.reason.words);
  }
  return outcome;
}

Outcome EngineContender::step_through_kafka(const Batch& batch) {
  for (const Arrival& arrival : batch.arrivals) road_->send(arrival.event);
  road_->flush();
  Batch arrived = road_->take(batch.arrivals.size());
  arrived.number = batch.number;
  arrived.now = batch.now;
  put_in_order(arrived);
  Outcome outcome = engine_.step(arrived);
  road_->deliver(outcome, arrived);
  outcome.lists = road_->lists();
  return outcome;
}

void EngineContender::learn(std::span<const Interaction> batch) {
  step(batch_of(batch));
  engine_.state().learner.line_up();  // whole catalogues are scored next
  const State& state = engine_.state();
  for (const Interaction& event : batch) {
    UserIx& row = rows_[index(event.user)];
    if (row == kNobody) row = state.users.find(data_.users[index(event.user)]).value();
    assert(state.items.find(data_.items[index(event.item)]) == event.item);
  }
}

float EngineContender::score(UserIx user, ItemIx item) const {
  return engine_.state().learner.score(rows_[index(user)], item);
}

void EngineContender::score_all(UserIx user, std::span<float> by_item) const {
  engine_.state().learner.score_all(rows_[index(user)], by_item);
}

void CountContender::score_all(UserIx /*user*/, std::span<float> by_item) const {
  std::copy(counts_.begin(), counts_.end(), by_item.begin());
}

void CountContender::learn(std::span<const Interaction> batch) {
  for (const Interaction& event : batch) counts_[index(event.item)] += 1.0F;
}

// Batches are made outside the time, many at once: to read the clock of the CPU takes as long as to
// learn from an event.
LearningTime time_learning(const Dataset& data, std::span<const Interaction> stream,
                           double batch_seconds, const EngineOptions& options, Workers& workers,
                           std::span<const float> capacity) {
  constexpr std::size_t kAtOnce = 10'000;
  EngineContender contender(data, options, workers, capacity);
  LearningTime out;
  std::vector<Batch> batches;
  while (!stream.empty()) {
    batches.clear();
    for (std::size_t events = 0; events < kAtOnce && !stream.empty();) {
      const std::size_t count = next_batch(stream, batch_seconds);
      batches.push_back(contender.batch_of(stream.first(count)));
      stream = stream.subspan(count);
      events += count;
    }
    const auto began = std::chrono::steady_clock::now();
    const double cpu_began = process_cpu_seconds();
    for (const Batch& batch : batches) contender.step(batch);
    out.cpu_seconds += process_cpu_seconds() - cpu_began;
    out.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  return out;
}

}  // namespace headroom::sim
