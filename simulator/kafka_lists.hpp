#pragma once

#include "simulator/kafka_road.hpp"
#include "simulator/list_makers.hpp"

namespace headroom::sim {

// The engine in this process, but every event gets to it and every list from it through Kafka. The
// batches are those of EngineLists.
class KafkaLists : public EngineLists {
 public:
  KafkaLists(const EngineOptions& options, const LifeOptions& life, Workers& workers,
             const KafkaConnection& connection, ListWitness witness = nullptr)
      : EngineLists(options, life, workers, std::move(witness)), road_(connection) {}

  const KafkaRoad& road() const { return road_; }

 private:
  // What was said until then, on its way through the broker.
  struct Said {
    Time now;
    std::size_t records;
  };
  std::vector<RankedList> carry(std::vector<Event> events, Time now) override;

  KafkaRoad road_;
  std::vector<Said> said_;
  std::size_t waiting_ = 0;  // records of `said_`
  bool asked_ = false;       // by anybody so far
};

}  // namespace headroom::sim
