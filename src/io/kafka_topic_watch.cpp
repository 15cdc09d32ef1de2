#include "headroom/io/kafka_topic_watch.hpp"

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

constexpr std::chrono::seconds kWell{5}, kInTrouble{1};
[[maybe_unused]] constexpr int kMissing = 10;  // times in a row that a topic may not be there
[[maybe_unused]] constexpr int kAnswerWithin = 1000;  // milliseconds

}  // namespace

bool KafkaTopicWatch::is_part_of(const std::string& identity, std::string_view topic) const {
  if (identity.empty()) return true;
  for (const Known& one : known_) {
    if (one.topic == topic) return identity.find(one.topic + "=" + one.id) != std::string::npos;
  }
  return false;
}

#if RD_KAFKA_VERSION >= 0x02030000

KafkaTopicWatch::KafkaTopicWatch(KafkaClient& client, std::vector<std::string> topics)
    : client_(client), topics_(std::move(topics)), answers_(rd_kafka_queue_new(client.get())) {
  known_ = client_.insist<std::vector<Known>>("describe topics", [&] {
    ask();
    const KafkaEvent answer(rd_kafka_queue_poll(answers_.get(), kAnswerWithin + 500));
    asked_ = false;
    return answer ? read(answer.get()) : std::nullopt;
  });
  for (const Known& one : known_) {
    identity_ += (identity_.empty() ? "kafka " : " ") + one.topic + "=" + one.id;
  }
  next_ = Clock::now() + kWell;
}

void KafkaTopicWatch::ask() {
  std::vector<const char*> names;
  for (const std::string& topic : topics_) names.push_back(topic.c_str());
  const std::unique_ptr<rd_kafka_TopicCollection_t, Ends<rd_kafka_TopicCollection_destroy>> which(
      rd_kafka_TopicCollection_of_topic_names(names.data(), names.size()));
  const KafkaAdminOptions options(
      rd_kafka_AdminOptions_new(client_.get(), RD_KAFKA_ADMIN_OP_DESCRIBETOPICS));
  char reason[128];
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kAnswerWithin, reason, sizeof reason);
  rd_kafka_DescribeTopics(client_.get(), which.get(), options.get(), answers_.get());
  asked_ = true;
}

std::optional<std::vector<KafkaTopicWatch::Known>> KafkaTopicWatch::read(rd_kafka_event_t* answer) {
  const auto code = rd_kafka_event_error(answer);
  const auto* const result = rd_kafka_event_DescribeTopics_result(answer);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR || result == nullptr) {
    client_.hear(rd_kafka_event_error_string(answer));
    return std::nullopt;
  }
  std::size_t count = 0;
  const auto** const topics = rd_kafka_DescribeTopics_result_topics(result, &count);
  std::vector<Known> found;
  for (std::size_t n = 0; n < count; ++n) {
    Known& one = found.emplace_back();
    one.topic = rd_kafka_TopicDescription_name(topics[n]);
    const auto* const problem = rd_kafka_TopicDescription_error(topics[n]);
    const auto topic_code =
        problem == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(problem);
    if (topic_code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      if (known_.empty()) {
        throw Error(client_.name() + ": there is no topic " + one.topic +
                    "; `headroom topics create` makes it");
      }
      // A broker that has just come back may not know yet.
      if (++missing_ > kMissing) {
        throw Error(client_.name() + ": topic " + one.topic + " was deleted");
      }
    }
    if (topic_code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
      throw Error(client_.name() + ": topic " + one.topic + ": " + words_of(topic_code));
    }
    if (topic_code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      client_.hear(words_of(topic_code));
      return std::nullopt;
    }
    one.id = rd_kafka_Uuid_base64str(rd_kafka_TopicDescription_topic_id(topics[n]));
    rd_kafka_TopicDescription_partitions(topics[n], &one.partitions);
  }
  return found;
}

void KafkaTopicWatch::compare(const std::vector<Known>& now) const {
  for (std::size_t n = 0; n < known_.size() && n < now.size(); ++n) {
    if (now[n].id != known_[n].id) {
      throw Error(client_.name() + ": topic " + now[n].topic +
                  " was deleted and made again: what was taken of the old one says nothing of the "
                  "new; start with --reset to take all of it");
    }
    if (now[n].partitions != known_[n].partitions) {
      throw Error(client_.name() + ": topic " + now[n].topic + " has " +
                  std::to_string(now[n].partitions) + " partitions now instead of " +
                  std::to_string(known_[n].partitions) +
                  ": the records of some users move to another one; when none of theirs is on its "
                  "way any more, start with --new-partitions");
    }
  }
}

void KafkaTopicWatch::look() {
  const auto now = Clock::now();
  if (!asked_) {
    if (now >= next_) ask();
    return;
  }
  const KafkaEvent answer(rd_kafka_queue_poll(answers_.get(), 0));
  if (!answer) return;
  asked_ = false;
  if (const auto found = read(answer.get())) {
    compare(*found);
    client_.is_well();
    missing_ = 0;
    next_ = now + kWell;
  } else {
    if (client_.connection().notice) {
      client_.connection().notice(client_.name() + ": " + client_.trouble());
    }
    next_ = now + kInTrouble;
  }
}

#else  // no topic ids, and nothing that asks without waiting

KafkaTopicWatch::KafkaTopicWatch(KafkaClient& client, std::vector<std::string> topics)
    : client_(client), topics_(std::move(topics)) {
  for (const std::string& topic : topics_)
    known_.push_back({topic, "", client_.partitions_of(topic)});
  identity_ = client_.insist<std::string>("ask for the cluster's name", [&] {
    const std::unique_ptr<char, Ends<free>> id(rd_kafka_clusterid(client_.get(), 500));
    return id ? std::optional("kafka cluster " + std::string(id.get())) : std::nullopt;
  });
  next_ = Clock::now() + kWell;
}

void KafkaTopicWatch::ask() {}

std::optional<std::vector<KafkaTopicWatch::Known>> KafkaTopicWatch::read(rd_kafka_event_t*) {
  return std::nullopt;
}

void KafkaTopicWatch::compare(const std::vector<Known>&) const {}

// Errors come by themselves, also of a connection that was merely idle; so it is looked once more.
void KafkaTopicWatch::look() {
  constexpr int kWait = 200;  // milliseconds
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kInTrouble;
  if (client_.trouble().empty()) return;
  const rd_kafka_metadata_t* found = nullptr;
  if (rd_kafka_metadata(client_.get(), 0, nullptr, &found, kWait) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    rd_kafka_metadata_destroy(found);
    client_.is_well();
  } else if (client_.connection().notice) {
    client_.connection().notice(client_.name() + ": " + client_.trouble());
  }
}

#endif

}  // namespace headroom
