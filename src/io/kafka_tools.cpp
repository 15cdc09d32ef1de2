#include <algorithm>

#include "headroom/base/error.hpp"
#include "headroom/io/kafka_client.hpp"

// What the command line needs: records in, and a look at what comes out.
namespace headroom {

class KafkaWriter::Impl {
 public:
  explicit Impl(const KafkaConnection& connection)
      : client_(KafkaKind::kProducer, connection,
                {{"partitioner", "murmur2_random"},
                 {"message.max.bytes", "8388608"},
                 {"delivery.timeout.ms", "2147483647"}},
                {{"enable.idempotence", "true"}}) {}

  void append(const std::string& topic, std::string_view key, std::string_view value) {
    check(topic);
    const auto begun = KafkaClient::Clock::now();
    while (true) {
      const auto code = client_.produce(topic, key, value);
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) break;
      if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        throw Error(client_.name() + ": " + topic + ": " + words_of(code));
      }
      client_.wait_out("send records", begun);
    }
    ++appended_;
    client_.poll();
    look();
  }

  void flush() {
    const auto begun = KafkaClient::Clock::now();
    while (rd_kafka_flush(client_.get(), 100) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      look();
      client_.wait_out("send records", begun);
    }
    look();
    if (client_.acknowledged() != appended_) {
      throw Error(client_.name() + ": only " + std::to_string(client_.acknowledged()) + " of " +
                  std::to_string(appended_) + " records were acknowledged");
    }
    client_.is_well();
  }

 private:
  // Else the first records would wait for a topic that never comes.
  void check(const std::string& topic) {
    if (std::find(checked_.begin(), checked_.end(), topic) != checked_.end()) return;
    client_.partitions_there(topic);
    checked_.push_back(topic);
  }
  void look() {
    const std::string what = client_.take_undelivered();
    if (!what.empty()) throw Error(client_.name() + ": " + what);
  }

  KafkaClient client_;
  std::vector<std::string> checked_;
  std::uint64_t appended_ = 0;
};

KafkaWriter::KafkaWriter(const KafkaConnection& connection)
    : impl_(std::make_unique<Impl>(connection)) {}
KafkaWriter::~KafkaWriter() = default;
void KafkaWriter::append(const std::string& topic, std::string_view key, std::string_view value) {
  impl_->append(topic, key, value);
}
void KafkaWriter::flush() { impl_->flush(); }

namespace {

struct TailLane {
  KafkaTopicHandle handle;
  std::int32_t partition = 0;
  std::uint64_t end = 0;
  bool ended = false;
};

}  // namespace

void tail_kafka(const KafkaTailSettings& settings,
                const std::function<bool(const std::string& topic, std::string_view value)>& take) {
  KafkaClient client(KafkaKind::kConsumer, settings.connection,
                     {{"group.id", "headroom-tail"},
                      {"isolation.level", "read_committed"},
                      {"allow.auto.create.topics", "false"}},
                     {{"enable.auto.commit", "false"},
                      {"enable.partition.eof", "true"},
                      {"auto.offset.reset", "earliest"}});
  const KafkaQueue queue(rd_kafka_queue_new(client.get()));
  std::vector<TailLane> lanes;
  for (const std::string& topic : settings.topics) {
    const std::uint32_t partitions = client.partitions_there(topic);
    for (std::uint32_t n = 0; n < partitions; ++n) {
      TailLane& lane = lanes.emplace_back();
      lane.handle.reset(rd_kafka_topic_new(client.get(), topic.c_str(), nullptr));
      lane.partition = static_cast<std::int32_t>(n);
      rd_kafka_consume_start_queue(
          lane.handle.get(), lane.partition,
          settings.from_begin ? RD_KAFKA_OFFSET_BEGINNING : RD_KAFKA_OFFSET_END, queue.get());
    }
  }
  bool more = true;
  while (more) {
    if (settings.connection.stop && settings.connection.stop()) break;
    if (settings.until_end &&
        std::all_of(lanes.begin(), lanes.end(), [](const TailLane& lane) { return lane.ended; })) {
      break;
    }
    client.poll();
    const KafkaMessage message(rd_kafka_consume_queue(queue.get(), 100));
    if (!message) continue;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      more = take(rd_kafka_topic_name(message->rkt),
                  {static_cast<const char*>(message->payload), message->len});
      continue;
    }
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF && message->rkt != nullptr) {
      const std::string_view topic = rd_kafka_topic_name(message->rkt);
      for (TailLane& lane : lanes) {
        if (lane.partition == message->partition &&
            topic == rd_kafka_topic_name(lane.handle.get())) {
          lane.ended = true;
        }
      }
    }
  }
  for (const TailLane& lane : lanes) rd_kafka_consume_stop(lane.handle.get(), lane.partition);
}

}  // namespace headroom
