#include "headroom/io/kafka_client.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

constexpr std::array<std::string_view, 6> kOurs = {
    "enable.auto.commit", "enable.auto.offset.store", "enable.idempotence",
    "auto.offset.reset",  "enable.partition.eof",     "enable.gapless.guarantee"};

void set(rd_kafka_conf_t* conf, const std::string& key, const std::string& value) {
  char reason[256];
  if (rd_kafka_conf_set(conf, key.c_str(), value.c_str(), reason, sizeof reason) ==
      RD_KAFKA_CONF_OK) {
    return;
  }
  // The reason may repeat the value.
  throw Error("kafka." + key + ": " +
              (is_kafka_secret(key) ? "librdkafka does not take it" : reason));
}

void set_users(rd_kafka_conf_t* conf, const std::string& key, const std::string& value) {
  if (std::find(kOurs.begin(), kOurs.end(), key) != kOurs.end()) {
    throw Error("kafka." + key + ": Headroom sets this itself, or events could be lost");
  }
  set(conf, key, value);
}

std::string servers_of(const KafkaProperties& properties) {
  for (const auto& [key, value] : properties) {
    if (key == "bootstrap.servers" || key == "metadata.broker.list") return value;
  }
  throw Error("kafka.bootstrap.servers: must be given, e.g. 127.0.0.1:9092");
}

KafkaConf conf_of(const KafkaProperties& ours, const KafkaProperties& users) {
  KafkaConf conf(rd_kafka_conf_new());
  for (const auto& [key, value] : ours) set(conf.get(), key, value);
  servers_of(users);
  for (const auto& [key, value] : users) set_users(conf.get(), key, value);
  return conf;
}

// What every connection has unless the user says otherwise: to be back soon after the broker is.
const KafkaProperties kDefaults = {
    {"client.id", "headroom"}, {"retry.backoff.ms", "10"}, {"reconnect.backoff.max.ms", "500"}};

}  // namespace

bool is_kafka_secret(std::string_view key) {
  constexpr std::array<std::string_view, 4> kParts = {"password", "secret", ".pem", "oauth"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return key.find(part) != std::string_view::npos;
  });
}

void check_kafka(const KafkaProperties& properties) { conf_of({}, properties); }

void check_kafka_key(const std::string& key, const std::string& value) {
  const KafkaConf conf(rd_kafka_conf_new());
  set_users(conf.get(), key, value);
}

std::string kafka_shortcomings() {
  const int version = rd_kafka_version();
  const std::string name = std::string("librdkafka ") + rd_kafka_version_str();
  if (version < 0x02030000) {
    return name +
           ": SCRAM is refused by Kafka 4, a topic that was deleted and made again is not noticed, "
           "and more CPU is used: scripts/setup --kafka builds a newer one";
  }
  if (version < 0x020a0000) return name + " is older than 2.10, which is what we test with";
  return "";
}

KafkaClient::KafkaClient(KafkaKind kind, const KafkaConnection& connection,
                         const KafkaProperties& ours, const KafkaProperties& fixed)
    : connection_(connection), heard_(std::make_unique<Heard>()) {
  KafkaProperties all = kDefaults;
  all.insert(all.end(), ours.begin(), ours.end());
  KafkaProperties users = connection.properties;
  if (kind != KafkaKind::kTransactional) {
    std::erase_if(users, [](const auto& one) { return one.first.starts_with("transaction"); });
  }
  KafkaConf conf = conf_of(all, users);
  for (const auto& [key, value] : fixed) set(conf.get(), key, value);
  for (const auto& [key, value] : connection.properties) heard_->debug |= key == "debug";
  rd_kafka_conf_set_opaque(conf.get(), heard_.get());
  rd_kafka_conf_set_error_cb(conf.get(), on_error);
  rd_kafka_conf_set_log_cb(conf.get(), on_log);
  if (kind != KafkaKind::kConsumer) rd_kafka_conf_set_dr_msg_cb(conf.get(), on_delivery);
  char reason[256];
  rd_kafka_t* const made =
      rd_kafka_new(kind == KafkaKind::kConsumer ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER, conf.get(),
                   reason, sizeof reason);
  if (made == nullptr) throw Error(name() + ": " + reason);
  static_cast<void>(conf.release());  // is the handle's now
  handle_.reset(made);
}

KafkaClient::~KafkaClient() = default;

std::string KafkaClient::name() const { return "Kafka at " + servers_of(connection_.properties); }

void KafkaClient::on_error(rd_kafka_t* handle, int code, const char* reason, void* opaque) {
  auto& heard = *static_cast<Heard*>(opaque);
  switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR__SSL:
      if (!heard.denied) heard.denied = Clock::now();
      heard.trouble = reason;
      break;
    case RD_KAFKA_RESP_ERR__FATAL: {
      char words[256];
      rd_kafka_fatal_error(handle, words, sizeof words);
      heard.trouble = words;
      break;
    }
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
      if (heard.trouble.empty()) heard.trouble = "no broker answers";
      break;
    default:
      if (!heard.denied) heard.trouble = reason;
  }
}

void KafkaClient::on_delivery(rd_kafka_t* /*handle*/, const rd_kafka_message_t* message,
                              void* opaque) {
  auto& heard = *static_cast<Heard*>(opaque);
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    ++heard.acknowledged;
  } else if (heard.undelivered.empty() && message->err != RD_KAFKA_RESP_ERR__PURGE_QUEUE &&
             message->err != RD_KAFKA_RESP_ERR__PURGE_INFLIGHT) {
    heard.undelivered = std::string(rd_kafka_topic_name(message->rkt)) + ": a record of " +
                        std::to_string(message->len) + " bytes: " + words_of(message->err);
  }
}

void KafkaClient::on_log(const rd_kafka_t* handle, int /*level*/, const char* facility,
                         const char* words) {
  const auto* const heard = static_cast<const Heard*>(rd_kafka_opaque(handle));
  if (heard != nullptr && heard->debug)
    std::fprintf(stderr, "librdkafka %s: %s\n", facility, words);
}

void KafkaClient::is_well() {
  heard_->denied.reset();
  if (heard_->trouble.empty()) return;
  heard_->trouble.clear();
  if (connection_.notice) connection_.notice("");
}

void KafkaClient::wait_out(const char* what, Clock::time_point begun) {
  constexpr std::chrono::milliseconds kLook{50};
  constexpr std::chrono::seconds kPatience{1}, kDenied{10};
  poll(kLook);
  if (connection_.stop && connection_.stop()) {
    throw Stopped(name() + ": stopped while waiting to " + what);
  }
  if (heard_->denied && Clock::now() - *heard_->denied > kDenied) {
    throw Error(name() + ": refused: " + heard_->trouble);
  }
  if (Clock::now() - begun < kPatience) return;
  if (heard_->trouble.empty()) heard_->trouble = "no answer";
  if (connection_.patience && Clock::now() - begun > *connection_.patience) {
    throw KafkaSilent(name() + ": cannot " + what + ": " + heard_->trouble);
  }
  if (connection_.notice) {
    connection_.notice(name() + ": cannot " + what + ": " + heard_->trouble);
  }
}

std::uint32_t KafkaClient::partitions_there(const std::string& topic) {
  const std::uint32_t partitions = partitions_of(topic);
  if (partitions > 0) return partitions;
  throw Error(name() + ": there is no topic " + topic + "; `headroom topics create` makes it");
}

rd_kafka_resp_err_t KafkaClient::produce(const std::string& topic, std::string_view key,
                                         std::string_view value) {
  return rd_kafka_producev(get(), RD_KAFKA_V_TOPIC(topic.c_str()),
                           RD_KAFKA_V_KEY(key.empty() ? nullptr : key.data(), key.size()),
                           RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
                           RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
}

std::uint32_t KafkaClient::partitions_of(const std::string& topic) {
  const KafkaTopicHandle handle(rd_kafka_topic_new(get(), topic.c_str(), nullptr));
  const auto ask = [&]() -> std::optional<std::uint32_t> {
    constexpr int kWait = 500;  // milliseconds
    const rd_kafka_metadata_t* found = nullptr;
    const auto code = rd_kafka_metadata(get(), 0, handle.get(), &found, kWait);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
    const std::unique_ptr<const rd_kafka_metadata_t, Ends<rd_kafka_metadata_destroy>> held(found);
    if (found->topic_cnt != 1) return std::nullopt;
    const rd_kafka_metadata_topic_t& of = found->topics[0];
    switch (of.err) {
      case RD_KAFKA_RESP_ERR_NO_ERROR:
        return static_cast<std::uint32_t>(of.partition_cnt);
      case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
      case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
        return 0;
      case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
        throw Error(name() + ": topic " + topic + ": " + words_of(of.err));
      default:
        hear(words_of(of.err));
        return std::nullopt;
    }
  };
  return insist<std::uint32_t>("read what topics there are", ask);
}

}  // namespace headroom
