#pragma once

#include <cstdint>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "simulator/quality.hpp"

namespace headroom::sim {

// The engine as it runs live, under the clock of the events: first one batch of records of all
// items, then the events as check-ins.
class EngineContender : public Contender {
 public:
  // Holds on to the data set. Limits below its size are raised: nobody leaves.
  EngineContender(const Dataset& data, EngineOptions options, Workers& workers);

  float score(UserIx user, ItemIx item) const override;
  void score_all(UserIx user, std::span<float> by_item) const override;
  void learn(std::span<const Interaction> batch) override;

  Batch batch_of(std::span<const Interaction> events);  // the next one
  void step(const Batch& batch);
  const Engine& engine() const { return engine_; }

 private:
  Batch batch_of_items() const;

  const Dataset& data_;
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
                           double batch_seconds, const EngineOptions& options, Workers& workers);

}  // namespace headroom::sim
