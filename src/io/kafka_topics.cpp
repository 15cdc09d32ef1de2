#include <cstdlib>
#include <map>

#include "headroom/base/error.hpp"
#include "headroom/io/kafka_client.hpp"

namespace headroom {
namespace {

constexpr int kAnswerWithin = 15'000;  // milliseconds
constexpr std::int64_t kWeek = 7LL * 24 * 3600 * 1000;

struct Wanted {
  std::string topic;
  std::uint32_t partitions;
  KafkaProperties config;
};

// A removed item's last record, and an older image of one, stay for a week: what was taken since
// the last checkpoint can then be read again. A dead letter holds a whole record in base64.
std::vector<Wanted> wanted(const KafkaTopics& topics, std::uint32_t partitions) {
  const std::string week = std::to_string(kWeek);
  return {{topics.events, partitions, {}},
          {topics.items,
           1,
           {{"cleanup.policy", "compact"},
            {"min.compaction.lag.ms", week},
            {"delete.retention.ms", week}}},
          {topics.lists, partitions, {}},
          {topics.dead_letters, 1, {{"max.message.bytes", "8388608"}}}};
}

// The answer to a question that was put with this queue.
KafkaEvent answer_of(KafkaClient& client, rd_kafka_queue_t* queue, const char* what) {
  const auto begun = KafkaClient::Clock::now();
  while (true) {
    KafkaEvent answer(rd_kafka_queue_poll(queue, 100));
    if (answer) {
      if (rd_kafka_event_error(answer.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw Error(client.name() + ": cannot " + what + ": " +
                    (client.trouble().empty() ? rd_kafka_event_error_string(answer.get())
                                              : client.trouble()));
      }
      return answer;
    }
    client.wait_out(what, begun);
  }
}

using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, Ends<rd_kafka_NewTopic_destroy>>;

NewTopic new_topic(const Wanted& want, std::int16_t replication) {
  char reason[256];
  NewTopic topic(rd_kafka_NewTopic_new(want.topic.c_str(), static_cast<int>(want.partitions),
                                       replication, reason, sizeof reason));
  if (!topic) throw Error("topic " + want.topic + ": " + reason);
  for (const auto& [key, value] : want.config) {
    rd_kafka_NewTopic_set_config(topic.get(), key.c_str(), value.c_str());
  }
  return topic;
}

// Both for the answer and until it is done.
KafkaAdminOptions patient(KafkaClient& client, rd_kafka_admin_op_t what) {
  KafkaAdminOptions options(rd_kafka_AdminOptions_new(client.get(), what));
  char reason[128];
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kAnswerWithin, reason, sizeof reason);
  rd_kafka_AdminOptions_set_operation_timeout(options.get(), kAnswerWithin, reason, sizeof reason);
  return options;
}

void create(KafkaClient& client, const Wanted& want, std::int16_t replication) {
  const KafkaQueue queue(rd_kafka_queue_new(client.get()));
  const KafkaAdminOptions options = patient(client, RD_KAFKA_ADMIN_OP_CREATETOPICS);
  const NewTopic topic = new_topic(want, replication);
  rd_kafka_NewTopic_t* one = topic.get();
  rd_kafka_CreateTopics(client.get(), &one, 1, options.get(), queue.get());
  const KafkaEvent answer = answer_of(client, queue.get(), "make topics");
  std::size_t count = 0;
  const auto* const result = rd_kafka_event_CreateTopics_result(answer.get());
  const auto** const made = rd_kafka_CreateTopics_result_topics(result, &count);
  for (std::size_t n = 0; n < count; ++n) {
    const auto code = rd_kafka_topic_result_error(made[n]);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
      continue;
    }
    const char* const words = rd_kafka_topic_result_error_string(made[n]);
    throw Error(client.name() + ": topic " + want.topic + ": " +
                (words != nullptr ? words : words_of(code)));
  }
}

std::map<std::string, std::string> config_of(KafkaClient& client, const std::string& topic) {
  using Resource =
      std::unique_ptr<rd_kafka_ConfigResource_t, Ends<rd_kafka_ConfigResource_destroy>>;
  const KafkaQueue queue(rd_kafka_queue_new(client.get()));
  const KafkaAdminOptions options(
      rd_kafka_AdminOptions_new(client.get(), RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  char reason[128];
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kAnswerWithin, reason, sizeof reason);
  const Resource resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  rd_kafka_ConfigResource_t* one = resource.get();
  rd_kafka_DescribeConfigs(client.get(), &one, 1, options.get(), queue.get());
  const KafkaEvent answer = answer_of(client, queue.get(), "read the settings of topics");
  std::map<std::string, std::string> found;
  std::size_t count = 0, entries = 0;
  const auto** const resources = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(answer.get()), &count);
  for (std::size_t n = 0; n < count; ++n) {
    const auto** const of = rd_kafka_ConfigResource_configs(resources[n], &entries);
    for (std::size_t e = 0; e < entries; ++e) {
      const char* const value = rd_kafka_ConfigEntry_value(of[e]);
      found[rd_kafka_ConfigEntry_name(of[e])] = value != nullptr ? value : "";
    }
  }
  return found;
}

void check_items(const std::string& topic, std::map<std::string, std::string> config,
                 std::vector<std::string>& wrong) {
  if (config["cleanup.policy"].find("compact") == std::string::npos) {
    wrong.push_back(topic + ": cleanup.policy is " + config["cleanup.policy"] +
                    ", not compact: old items would be lost to a store that is made anew");
  }
  for (const char* const key : {"min.compaction.lag.ms", "delete.retention.ms"}) {
    if (std::atoll(config[key].c_str()) < kWeek) {
      wrong.push_back(topic + ": " + key + " is " + config[key] + ", less than 7 days (" +
                      std::to_string(kWeek) +
                      "): what was taken since the last checkpoint could be gone");
    }
  }
}

}  // namespace

std::vector<std::string> create_topics(const KafkaConnection& connection,
                                       const KafkaTopicPlan& plan) {
  KafkaClient client(KafkaKind::kProducer, connection, {});
  std::vector<std::string> said;
  for (const Wanted& want : wanted(connection.topics, plan.partitions)) {
    const std::uint32_t there = client.partitions_of(want.topic);
    if (there == 0) create(client, want, plan.replication);
    said.push_back(
        want.topic + ": " +
        (there > 0 ? "is there with " + std::to_string(there)
                   : "made with " + std::to_string(want.partitions)) +
        (there == 1 || (there == 0 && want.partitions == 1) ? " partition" : " partitions"));
  }
  return said;
}

void delete_topics(const KafkaConnection& connection) {
  using Doomed = std::unique_ptr<rd_kafka_DeleteTopic_t, Ends<rd_kafka_DeleteTopic_destroy>>;
  KafkaClient client(KafkaKind::kProducer, connection, {});
  std::vector<Doomed> doomed;
  std::vector<rd_kafka_DeleteTopic_t*> handles;
  for (const Wanted& want : wanted(connection.topics, 1)) {
    doomed.emplace_back(rd_kafka_DeleteTopic_new(want.topic.c_str()));
    handles.push_back(doomed.back().get());
  }
  const KafkaQueue queue(rd_kafka_queue_new(client.get()));
  const KafkaAdminOptions options = patient(client, RD_KAFKA_ADMIN_OP_DELETETOPICS);
  rd_kafka_DeleteTopics(client.get(), handles.data(), handles.size(), options.get(), queue.get());
  const KafkaEvent answer = answer_of(client, queue.get(), "delete topics");
  std::size_t count = 0;
  const auto** const gone =
      rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(answer.get()), &count);
  for (std::size_t n = 0; n < count; ++n) {
    const auto code = rd_kafka_topic_result_error(gone[n]);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      continue;
    }
    throw Error(client.name() + ": topic " + rd_kafka_topic_result_name(gone[n]) + ": " +
                words_of(code));
  }
}

std::vector<std::string> check_topics(const KafkaConnection& connection) {
  KafkaClient client(KafkaKind::kProducer, connection, {});
  std::vector<std::string> wrong;
  for (const Wanted& want : wanted(connection.topics, 1)) {
    if (client.partitions_of(want.topic) == 0) {
      wrong.push_back(want.topic + ": is not there");
    } else if (want.topic == connection.topics.items) {
      check_items(want.topic, config_of(client, want.topic), wrong);
    } else if (config_of(client, want.topic)["cleanup.policy"] != "delete") {
      wrong.push_back(want.topic +
                      ": is compacted, so that records of one user replace each other");
    }
  }
  return wrong;
}

}  // namespace headroom
