#pragma once

#include <cstdint>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "simulator/kafka_road.hpp"
#include "simulator/quality.hpp"

namespace headroom::sim {

// The engine as it runs live: first one batch of records of all items, then the events as
// check-ins. By default under the clock of the events; under the clock `wall` it is told the
// events' times, and a silence of weeks is no reason to mistrust them.
class EngineContender : public Contender {
 public:
  // Holds on to the data set. Limits below its size are raised: nobody leaves. `capacity`: by item,
  // or empty. `road`: what all batches and lists take to the engine and back; none: they are here.
  EngineContender(const Dataset& data, EngineOptions options, Workers& workers,
                  std::span<const float> capacity = {}, ClockKind clock = ClockKind::kEvent,
                  KafkaRoad* road = nullptr);

  float score(UserIx user, ItemIx item) const override;
  void score_all(UserIx user, std::span<float> by_item) const override;
  float chance(float score) const override { return engine_.state().calibration.chance(score); }
  void learn(std::span<const Interaction> batch) override;

  Batch batch_of(std::span<const Interaction> events);  // the next one
  // The next one: a request for so many places, and the event; who does not stay is gone at once.
  Batch batch_of_visit(const Interaction& event, std::size_t places, bool stays);
  Outcome step(const Batch& batch);
  Engine& engine() { return engine_; }
  const Engine& engine() const { return engine_; }

 private:
  Batch batch_of_items(std::span<const float> capacity) const;
  Outcome step_through_kafka(const Batch& batch);
  template <class What>
  void add_to(Batch& batch, Time at, What what);

  const Dataset& data_;
  KafkaRoad* road_;
  Engine engine_;
  std::uint64_t batches_ = 0, events_ = 0;  // made so far
  std::vector<UserIx> rows_;                // by the data set's user; an item's row is its number
};

// What is popular is liked: an item's score is the number of its events so far.
class CountContender : public Contender {
 public:
  explicit CountContender(std::size_t items) : counts_(items) {}

  float score(UserIx /*user*/, ItemIx item) const override { return counts_[index(item)]; }
  void score_all(UserIx user, std::span<float> by_item) const override;
  void learn(std::span<const Interaction> batch) override;

 private:
  std::vector<float> counts_;  // exact up to 16 million
};

// How long the engine takes for the stream, in the same batches, with nothing else in between.
struct LearningTime {
  double seconds = 0.0;
  double cpu_seconds = 0.0;  // of all threads
};
LearningTime time_learning(const Dataset& data, std::span<const Interaction> stream,
                           double batch_seconds, const EngineOptions& options, Workers& workers,
                           std::span<const float> capacity = {});

}  // namespace headroom::sim
