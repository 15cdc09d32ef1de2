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
  bool ended = false;
};

}  // namespace

class KafkaTail::Impl {
 public:
  explicit Impl(const KafkaTailSettings& settings)
      : client_(KafkaKind::kConsumer, settings.connection,
                {{"group.id", "headroom-tail"},
                 {"isolation.level", "read_committed"},
                 {"allow.auto.create.topics", "false"}},
                {{"enable.auto.commit", "false"},
                 {"enable.partition.eof", "true"},
                 {"auto.offset.reset", "earliest"}}),
        queue_(rd_kafka_queue_new(client_.get())),
        until_end_(settings.until_end) {
    for (const std::string& topic : settings.topics) {
      const std::uint32_t partitions = client_.partitions_there(topic);
      for (std::uint32_t n = 0; n < partitions; ++n) {
        TailLane& lane = lanes_.emplace_back();
        lane.handle.reset(rd_kafka_topic_new(client_.get(), topic.c_str(), nullptr));
        lane.partition = static_cast<std::int32_t>(n);
        rd_kafka_consume_start_queue(
            lane.handle.get(), lane.partition,
            settings.from_begin ? RD_KAFKA_OFFSET_BEGINNING : RD_KAFKA_OFFSET_END, queue_.get());
      }
    }
  }

  ~Impl() {
    for (const TailLane& lane : lanes_) rd_kafka_consume_stop(lane.handle.get(), lane.partition);
  }

  bool next(std::chrono::milliseconds wait, const Take& take) {
    client_.poll();
    const KafkaMessage message(
        rd_kafka_consume_queue(queue_.get(), static_cast<int>(wait.count())));
    if (!message) return false;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      take(rd_kafka_topic_name(message->rkt),
           {static_cast<const char*>(message->payload), message->len});
      return true;
    }
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF && message->rkt != nullptr) {
      const std::string_view topic = rd_kafka_topic_name(message->rkt);
      for (TailLane& lane : lanes_) {
        if (lane.partition == message->partition &&
            topic == rd_kafka_topic_name(lane.handle.get())) {
          lane.ended = true;
        }
      }
    }
    return false;
  }

  bool ended() const {
    return until_end_ && std::all_of(lanes_.begin(), lanes_.end(),
                                     [](const TailLane& lane) { return lane.ended; });
  }

 private:
  KafkaClient client_;
  KafkaQueue queue_;
  bool until_end_;
  std::vector<TailLane> lanes_;
};

KafkaTail::KafkaTail(const KafkaTailSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
KafkaTail::~KafkaTail() = default;
bool KafkaTail::next(std::chrono::milliseconds wait, const Take& take) {
  return impl_->next(wait, take);
}
bool KafkaTail::ended() const { return impl_->ended(); }

void tail_kafka(const KafkaTailSettings& settings,
                const std::function<bool(const std::string& topic, std::string_view value)>& take) {
  constexpr std::chrono::milliseconds kLook{100};
  KafkaTail tail(settings);
  bool more = true;
  while (more && !tail.ended()) {
    if (settings.connection.stop && settings.connection.stop()) break;
    tail.next(kLook,
              [&](const std::string& topic, std::string_view value) { more = take(topic, value); });
  }
}

}  // namespace headroom
