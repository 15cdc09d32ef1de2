#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "headroom/io/kafka.hpp"
#include "headroom/wire/codec.hpp"
#include "simulator/pacer.hpp"

namespace headroom::sim {

// At which pace runs go, and which way events and lists go.
struct RunWay {
  double speed = 0.0;  // of simulated time over real time; 0: as fast as it goes
  // The broker that all of the engine's events and lists go through.
  std::optional<KafkaConnection> kafka;
  bool keep_topics = false;
};

// Lets the time of a run pass. Throws Stopped if a stop is asked for.
class Passing {
 public:
  explicit Passing(const RunWay& way)
      : stop_(way.kafka ? way.kafka->stop : nullptr), pacer_(way.speed, stop_) {}
  void wait(Time at) {
    pacer_.wait(at);
    if (stop_ && stop_()) throw Stopped("stopped by a signal before the end");
  }

 private:
  StopAsked stop_;
  Pacer pacer_;
};

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
  // Deletes them now. Throws Error if that can't be done.
  void remove();

 private:
  std::string name_;
  KafkaConnection connection_;
  bool keep_;
};

// Of topics that are kept, by OwnTopics::name().
inline std::string kept_words(const std::string& name) {
  return name + ".events, .items, .lists, .dead-letters";
}

// To an engine in this process and back through Kafka: events and lists in the wire format, by
// Headroom's own source and sink. One partition keeps the order, and who says how many records a
// batch has knows when it is whole; so batches are what they are without a broker. One thread.
class KafkaRoad {
 public:
  explicit KafkaRoad(const KafkaConnection& connection);

  void send(const Event& event);
  // Everything sent is at the broker on return.
  void flush() { writer_.flush(); }
  // The next so many records. Of what is there, items come before events: flush these later.
  Batch take(std::size_t records);
  // As `headroom serve` does with a batch.
  void deliver(const Outcome& outcome, const Batch& batch);
  // The lists delivered since the last call, as everybody reads them.
  std::vector<RankedList> lists();

  std::size_t events_sent() const { return sent_; }
  std::size_t lists_delivered() const { return delivered_; }

 private:
  void await(const char* what, std::size_t count,
             const std::function<std::size_t(std::size_t left)>& some) const;

  KafkaConnection connection_;
  KafkaWriter writer_;
  KafkaLog log_;
  KafkaSink sink_;
  KafkaTail tail_;
  OutputDecoder decoder_;
  std::string line_;
  std::size_t sent_ = 0, delivered_ = 0, read_ = 0;
};

}  // namespace headroom::sim
