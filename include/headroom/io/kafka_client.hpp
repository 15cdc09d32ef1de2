#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headroom/io/kafka.hpp"

// What the files of Kafka share. Nobody outside of room `io` includes this.
namespace headroom {

// The C handles, each with what ends it.
template <auto kDestroy>
struct Ends {
  template <class Handle>
  void operator()(Handle* handle) const {
    kDestroy(handle);
  }
};
using KafkaConf = std::unique_ptr<rd_kafka_conf_t, Ends<rd_kafka_conf_destroy>>;
using KafkaHandle = std::unique_ptr<rd_kafka_t, Ends<rd_kafka_destroy>>;
using KafkaTopicHandle = std::unique_ptr<rd_kafka_topic_t, Ends<rd_kafka_topic_destroy>>;
using KafkaMessage = std::unique_ptr<rd_kafka_message_t, Ends<rd_kafka_message_destroy>>;
using KafkaPartitions =
    std::unique_ptr<rd_kafka_topic_partition_list_t, Ends<rd_kafka_topic_partition_list_destroy>>;
using KafkaQueue = std::unique_ptr<rd_kafka_queue_t, Ends<rd_kafka_queue_destroy>>;
using KafkaEvent = std::unique_ptr<rd_kafka_event_t, Ends<rd_kafka_event_destroy>>;
using KafkaAdminOptions =
    std::unique_ptr<rd_kafka_AdminOptions_t, Ends<rd_kafka_AdminOptions_destroy>>;
using KafkaProblem = std::unique_ptr<rd_kafka_error_t, Ends<rd_kafka_error_destroy>>;

// Only the transactional one has the transactional.id of the user: any other that did would fence
// the engine.
enum class KafkaKind { kConsumer, kProducer, kTransactional };

// A connection: librdkafka's handle, and what its callbacks say. One thread but for the callbacks
// of librdkafka's own.
class KafkaClient {
 public:
  // `ours` are set first, then what the user configured, over them; `fixed` can't be set by a user.
  // Throws Error on a key or value that librdkafka does not take.
  KafkaClient(KafkaKind kind, const KafkaConnection& connection, const KafkaProperties& ours,
              const KafkaProperties& fixed = {});
  ~KafkaClient();
  KafkaClient(const KafkaClient&) = delete;
  KafkaClient& operator=(const KafkaClient&) = delete;

  rd_kafka_t* get() const { return handle_.get(); }
  // Leaves the connection as it is until the process ends: another thread is still in a call.
  void abandon() {
    static_cast<void>(handle_.release());
    static_cast<void>(heard_.release());
  }
  const KafkaConnection& connection() const { return connection_; }
  // "Kafka at 127.0.0.1:9092", for errors.
  std::string name() const;

  // Serves callbacks.
  void poll(std::chrono::milliseconds wait = {}) {
    rd_kafka_poll(get(), static_cast<int>(wait.count()));
  }
  // What is wrong with the connection, by the last error; nothing since the last good answer.
  const std::string& trouble() const { return heard_->trouble; }
  // Why the broker refuses who we are says more than what follows from it.
  void hear(std::string trouble) {
    if (!heard_->denied) heard_->trouble = std::move(trouble);
  }
  void is_well();

  // Repeats `ask` until it answers something. Meanwhile it says what is wrong. Throws Stopped if a
  // stop is asked for, and Error if the broker refuses who we are for longer than 10 s.
  template <class Answer>
  Answer insist(const char* what, const std::function<std::optional<Answer>()>& ask) {
    const auto begun = Clock::now();
    while (true) {
      if (auto answer = ask()) {
        is_well();
        return *std::move(answer);
      }
      wait_out(what, begun);
    }
  }
  // A step of such a loop: serves callbacks for a moment, says what is wrong, looks for a stop.
  using Clock = std::chrono::steady_clock;
  void wait_out(const char* what, Clock::time_point begun);

  // Of a producer: what was acknowledged, and what was not, in words.
  std::uint64_t acknowledged() const { return heard_->acknowledged; }
  std::string take_undelivered() { return std::exchange(heard_->undelivered, {}); }

  // The partitions of a topic; 0: there is no such topic.
  std::uint32_t partitions_of(const std::string& topic);
  // Likewise; throws Error if there is no such topic.
  std::uint32_t partitions_there(const std::string& topic);

  // Of a producer: hands a record over, which is copied.
  rd_kafka_resp_err_t produce(const std::string& topic, std::string_view key,
                              std::string_view value);

 private:
  struct Heard {
    std::string trouble;
    std::optional<Clock::time_point> denied;  // since when the broker refuses who we are
    std::uint64_t acknowledged = 0;
    std::string undelivered;  // the first
    bool debug = false;
  };
  static void on_delivery(rd_kafka_t* handle, const rd_kafka_message_t* message, void* opaque);
  static void on_error(rd_kafka_t* handle, int code, const char* reason, void* opaque);
  static void on_log(const rd_kafka_t* handle, int level, const char* facility, const char* words);

  KafkaConnection connection_;
  std::unique_ptr<Heard> heard_;
  KafkaHandle handle_;
};

inline std::string words_of(rd_kafka_resp_err_t code) { return rd_kafka_err2str(code); }

}  // namespace headroom
