#pragma once

#include <string>
#include <vector>

#include "headroom/io/kafka_client.hpp"

namespace headroom {

// Looks every few seconds, without waiting, whether the topics of a source are still the same and
// whether the broker answers. One thread.
class KafkaTopicWatch {
 public:
  // Waits until the topics are described. Throws Error if one is not there.
  KafkaTopicWatch(KafkaClient& client, std::vector<std::string> topics);

  // Names the topics themselves: one that was made again has another name. With a librdkafka that
  // knows no topic ids (before 2.3) only the cluster is named.
  const std::string& identity() const { return identity_; }

  // Whether an identity from before has this topic as it is now; an empty one has every topic.
  bool is_part_of(const std::string& identity, std::string_view topic) const;

  // Throws Error if a topic is another one than it was, or has more partitions; tells of a broker
  // that does not answer, and when it does again.
  void look();

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    std::string topic, id;
    std::size_t partitions = 0;
  };

  void ask();
  // What the answer says; nothing if it says nothing, which the client hears.
  std::optional<std::vector<Known>> read(rd_kafka_event_t* answer);
  void compare(const std::vector<Known>& now) const;

  KafkaClient& client_;
  std::vector<std::string> topics_;
  KafkaQueue answers_;
  std::vector<Known> known_;
  std::string identity_;
  bool asked_ = false;
  int missing_ = 0;  // times in a row that a topic was not there
  Clock::time_point next_;
};

}  // namespace headroom
