#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headroom/engine/ports.hpp"
#include "headroom/io/local_sink.hpp"
#include "headroom/io/records.hpp"
#include "headroom/io/stop.hpp"

// Apache Kafka behind the ports, through librdkafka. Partitions are assigned, not subscribed: the
// state store knows the positions, and the group's offsets say which batch was delivered last.
namespace headroom {

// librdkafka's own keys and values.
using KafkaProperties = std::vector<std::pair<std::string, std::string>>;

struct KafkaTopics {
  std::string events = "headroom.events";
  std::string items = "headroom.items";
  std::string lists = "headroom.recommendations";
  std::string dead_letters = "headroom.dead-letters";
};

// Hears of trouble that may pass by itself; "" when it is over.
using Notice = std::function<void(const std::string& trouble)>;

struct KafkaConnection {
  KafkaProperties properties;  // as configured, secrets read
  KafkaTopics topics;
  std::uint32_t instance = 0;
  Notice notice;
  StopAsked stop;
  std::optional<std::chrono::milliseconds> patience{};  // of a wait; none: for ever
};

// Nobody answered for longer than the connection's patience.
class KafkaSilent : public Error {
 public:
  using Error::Error;
};

// Throws Error if librdkafka does not take a key or its value, or if it is one that Headroom sets.
void check_kafka(const KafkaProperties& properties);
// Likewise of one key by itself.
void check_kafka_key(const std::string& key, const std::string& value);
// The value of this key is nobody's business.
bool is_kafka_secret(std::string_view key);
// What this build's librdkafka lacks; empty if nothing.
std::string kafka_shortcomings();

// --- Topics ---

struct KafkaTopicPlan {
  std::uint32_t partitions =
      1;  // of the events; all others have one but the lists, which have as many
  std::int16_t replication = -1;  // -1: the cluster's own default
};
// Makes what is not there; says in a line for each topic what was done.
std::vector<std::string> create_topics(const KafkaConnection& connection,
                                       const KafkaTopicPlan& plan);
// Removes those that are there, with all that is in them.
void delete_topics(const KafkaConnection& connection);
// What is wrong with the topics, a line each: none, if all is well.
std::vector<std::string> check_topics(const KafkaConnection& connection);

// --- Events and items in ---

enum class StartAt : std::uint8_t { kEarliest, kLatest, kTime };

struct KafkaLogSettings {
  KafkaConnection connection;
  StartAt start = StartAt::kEarliest;  // of the events, where the store knows no position
  Time start_time;
  std::string known;       // id() when the positions were taken; empty: not known
  bool by_time = false;    // the records' own time is the clock, see take_by_time
  bool until_end = false;  // ends with what is there at the start
  // Goes on at the oldest record where the next one is gone, or the topic is another one.
  bool reset = false;
};

// The topics of events and items as a source. Offsets and lag are records. A record without a value
// removes the item that is its key. Trouble that passes is told and waited for; records that are
// gone, a topic that is another one, or more partitions than before are an Error. One thread.
class KafkaLog final : public EventLog {
 public:
  // Waits for the broker. Throws Error if a topic is not there.
  KafkaLog(KafkaLogSettings settings, Decode decode);
  ~KafkaLog() override;

  Bounds seek(const Bounds& taken) override;
  std::size_t take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) override;
  void read_again(Batch& batch) override;
  void release(const Bounds& taken) override;
  std::uint64_t lag() override;
  bool ended() const override;

  // Where every partition begins now.
  Bounds begins();
  // Names the topics themselves: one that was deleted and made again has another name.
  const std::string& id() const;
  std::uint32_t partitions() const;  // of the events
  // Where every partition begins now, if that has changed since it was last asked: what lies before
  // can't be read again.
  Bounds new_begins();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// --- Lists and dead letters out ---

// One transaction for each batch: its output, the positions of its records, and its number beside
// them. A second process with the same instance ends this one. One thread.
class KafkaSink final : public ListSink {
 public:
  // Waits for the broker; ends the transactions of whoever had this instance before.
  KafkaSink(const KafkaConnection& connection, std::uint32_t epoch, OutputCodec codec);
  ~KafkaSink() override;

  void emit(const RankedList& list) override;
  void emit(const DeadLetter& letter) override;
  void commit(const Batch& batch) override;
  Delivered last() const override;
  // The group's offsets: what was taken by the batches delivered so far.
  const Bounds& positions() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// --- For the command line ---

// Appends records to a topic, each acknowledged by the broker or an Error. Any key decides the
// partition as the producers of other languages do.
class KafkaWriter {
 public:
  explicit KafkaWriter(const KafkaConnection& connection);
  ~KafkaWriter();
  void append(const std::string& topic, std::string_view key, std::string_view value);
  // Returns when all is acknowledged.
  void flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The records of these topics as they come, committed ones only; with `from_begin` all that are
// there first, with `until_end` only these.
struct KafkaTailSettings {
  KafkaConnection connection;
  std::vector<std::string> topics;
  bool from_begin = false, until_end = false;
};
// One thread.
class KafkaTail {
 public:
  using Take = std::function<void(const std::string& topic, std::string_view value)>;

  // Waits for the broker. Throws Error if a topic is not there.
  explicit KafkaTail(const KafkaTailSettings& settings);
  ~KafkaTail();
  // Hands on the next record, if there is one within this time; says whether there was.
  bool next(std::chrono::milliseconds wait, const Take& take);
  // With `until_end`: all that was there was handed on.
  bool ended() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};
// Hands them on until `take` returns false, a stop is asked for, or they ended.
void tail_kafka(const KafkaTailSettings& settings,
                const std::function<bool(const std::string& topic, std::string_view value)>& take);

}  // namespace headroom
