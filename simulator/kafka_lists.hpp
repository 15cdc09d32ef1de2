#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "headroom/io/kafka.hpp"
#include "headroom/wire/codec.hpp"
#include "simulator/list_makers.hpp"

namespace headroom::sim {

// Topics of one run alone, under a name that no other has: made here, and gone with it, however it
// ends. Its group and its producer have the same name.
class OwnTopics {
 public:
  // Waits for the broker for a few seconds. Throws Error if it does not answer.
  OwnTopics(KafkaConnection broker, const std::string& run, bool keep);
  ~OwnTopics();  // says on standard error if they can't be deleted
  OwnTopics(const OwnTopics&) = delete;
  OwnTopics& operator=(const OwnTopics&) = delete;

  const std::string& name() const { return name_; }
  const KafkaConnection& connection() const { return connection_; }
  // Likewise, but throws Error if they can't be deleted.
  void remove();

 private:
  std::string name_;
  KafkaConnection connection_;
  bool keep_;
};

// The engine in this process, but every event gets to it and every list from it through Kafka: in
// the wire format, by Headroom's own source and sink. The batches are those of EngineLists: one
// partition keeps the order, and who says how many records a batch has knows when it is whole.
class KafkaLists : public EngineLists {
 public:
  KafkaLists(const EngineOptions& options, const LifeOptions& life, Workers& workers,
             const KafkaConnection& connection, ListWitness witness = nullptr);

  std::size_t events() const { return events_; }
  std::size_t lists() const { return lists_; }

 private:
  // What was said until then, on its way through the broker.
  struct Said {
    Time now;
    std::size_t records;
  };

  std::vector<RankedList> carry(std::vector<Event> events, Time now) override;
  void send(const Event& event);
  Batch read_batch(std::size_t records);
  std::size_t deliver(const Said& said);
  std::vector<RankedList> read_lists(std::size_t count);
  void await(const char* what, std::size_t count,
             const std::function<std::size_t(std::size_t left)>& some) const;

  KafkaConnection connection_;
  KafkaWriter writer_;
  KafkaLog log_;
  KafkaSink sink_;
  KafkaTail tail_;
  OutputDecoder decoder_;
  std::string line_;
  std::vector<Said> said_;
  std::size_t waiting_ = 0;  // records of `said_`
  bool asked_ = false;       // by anybody so far
  std::size_t events_ = 0, lists_ = 0;
};

}  // namespace headroom::sim
