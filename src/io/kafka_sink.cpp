#include <algorithm>
#include <future>
#include <limits>
#include <random>
#include <sstream>
#include <thread>
#include <tuple>

#include "headroom/base/error.hpp"
#include "headroom/engine/journal.hpp"
#include "headroom/io/kafka_client.hpp"
#include "headroom/io/kill_point.hpp"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCall = 1000;  // milliseconds that a call to the broker may take
constexpr std::chrono::minutes kTouched{
    60};  // offsets of a quiet stream are renewed before they expire

// Which batch was delivered last, of which store, and by which sink: a rival with a copy of the
// store has the same batch numbers. Kept beside the group's offsets.
struct Mark {
  std::uint32_t epoch = 0;
  std::uint64_t batch = 0;
  std::uint64_t sink = 0;  // any number that no other sink has

  auto order() const { return std::tie(epoch, batch); }
  bool operator==(const Mark&) const = default;
};

constexpr std::string_view kMark = "headroom ";

std::string to_text(const Mark& mark) {
  return std::string(kMark) + std::to_string(mark.epoch) + " " + std::to_string(mark.batch) + " " +
         std::to_string(mark.sink);
}

std::optional<Mark> parse_mark(std::string_view text) {
  if (!text.starts_with(kMark)) return std::nullopt;
  text.remove_prefix(kMark.size());
  Mark mark;
  std::istringstream in{std::string(text)};
  if (!(in >> mark.epoch >> mark.batch)) return std::nullopt;
  in >> mark.sink;
  return mark;
}

std::uint64_t any_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

const std::string& value_of(const KafkaProperties& properties, std::string_view key,
                            const std::string& otherwise) {
  for (const auto& [name, value] : properties) {
    if (name == key) return value;
  }
  return otherwise;
}

enum class Sent { kWell, kAgain, kFenced };

}  // namespace

class KafkaSink::Impl {
 public:
  Impl(const KafkaConnection& connection, std::uint32_t epoch, OutputCodec codec)
      : connection_(connection),
        epoch_(epoch),
        codec_(std::move(codec)),
        group_(value_of(connection.properties, "group.id", "headroom")) {
    open();
    read_offsets();
  }

  void emit(const RankedList& list) {
    if (auto* const line = add(list.id, connection_.topics.lists, list.user)) {
      codec_.encode_list(list, *line);
    }
  }
  void emit(const DeadLetter& letter) {
    if (auto* const line = add(letter.id, connection_.topics.dead_letters, {})) {
      codec_.encode_dead_letter(letter, *line);
    }
  }

  void commit(const Batch& batch) {
    const Mark mark{epoch_, batch.number, sink_};
    if (is_there(mark)) {
      if (mark.order() == delivered_->order()) check_same(batch);
      return pending_.clear();
    }
    if (pending_.empty() && batch.bounds.empty()) {
      if (delivered_ && Clock::now() - committed_at_ > kTouched) deliver(positions_, *delivered_);
      return;
    }
    kill_point("sink.before_lists");
    // The mark lies beside offsets: a batch without records renews those that are there.
    deliver(batch.bounds.empty() ? positions_ : batch.bounds, mark);
    extend(positions_, batch.bounds);
    delivered_ = mark;
    pending_.clear();
    kill_point("sink.after_commit");
  }

  const Bounds& positions() const { return positions_; }

  Delivered last() const {
    if (!delivered_) return {};
    constexpr auto kAll = std::numeric_limits<std::uint32_t>::max();
    const OutputId id{connection_.instance, delivered_->epoch, delivered_->batch, kAll};
    return {id, id};
  }

 private:
  struct Pending {
    const std::string* topic = nullptr;
    std::string key, line;
  };

  // Where to write the line; nowhere if the other side has it.
  std::string* add(const OutputId& id, const std::string& topic, std::string_view key) {
    if (is_there({id.epoch, id.batch, sink_})) return nullptr;
    pending_.push_back({&topic, std::string(key), {}});
    return &pending_.back().line;
  }

  // A rival with a copy of the store may have delivered other records under this number.
  void check_same(const Batch& batch) const {
    for (const Range& range : batch.bounds) {
      for (const Range& known : positions_) {
        if (known.topic != range.topic || known.partition != range.partition) continue;
        if (known.to == range.to) continue;
        throw Error(producer_->name() + ": batch " + std::to_string(batch.number) +
                    " was delivered by another process, with other records than the state store "
                    "has: put back the store of that one");
      }
    }
  }

  bool is_there(const Mark& mark) const {
    return delivered_ && mark.order() <= delivered_->order();
  }

  const std::string& topic_of(const Range& range) const {
    return range.topic == Topic::kItems ? connection_.topics.items : connection_.topics.events;
  }

  // A new producer: whoever has this instance is fenced, and its open transaction ended.
  void open() {
    producer_.reset();
    producer_.emplace(
        KafkaKind::kTransactional, connection_,
        KafkaProperties{{"transactional.id", "headroom-" + std::to_string(connection_.instance)},
                        {"transaction.timeout.ms", "30000"},
                        {"partitioner", "murmur2_random"},
                        {"message.max.bytes", "8388608"},
                        {"queue.buffering.max.messages", "1000000"}},
        KafkaProperties{{"enable.idempotence", "true"}});
    for (const std::string& topic : {connection_.topics.lists, connection_.topics.dead_letters}) {
      producer_->partitions_there(topic);
    }
    insist("begin transactions",
           [&] { return rd_kafka_init_transactions(producer_->get(), kCall); });
  }

  // Calls until it succeeds or fails for good.
  template <class Call>
  KafkaProblem call(const char* what, Call&& make) {
    const auto begun = Clock::now();
    while (true) {
      KafkaProblem problem(make());
      if (!problem) producer_->is_well();
      if (!problem || !rd_kafka_error_is_retriable(problem.get())) return problem;
      if (producer_->trouble().empty()) producer_->hear(rd_kafka_error_string(problem.get()));
      producer_->wait_out(what, begun);
    }
  }
  template <class Call>
  void insist(const char* what, Call&& make) {
    if (const auto problem = call(what, make)) fail(what, problem.get());
  }
  [[noreturn]] void fail(const char* what, const rd_kafka_error_t* problem) const {
    throw Error(producer_->name() + ": cannot " + what + ": " + rd_kafka_error_string(problem));
  }

  // The group's offsets and the mark beside them.
  void read_offsets() {
    KafkaClient consumer(KafkaKind::kConsumer, connection_,
                         {{"group.id", group_}, {"isolation.level", "read_committed"}},
                         {{"enable.auto.commit", "false"}});
    const KafkaPartitions list(rd_kafka_topic_partition_list_new(8));
    for (const Topic topic : {Topic::kItems, Topic::kEvents}) {
      const std::string& name = topic_of({topic, 0, 0, 0});
      const auto partitions = static_cast<std::int32_t>(consumer.partitions_of(name));
      for (std::int32_t n = 0; n < partitions; ++n) {
        rd_kafka_topic_partition_list_add(list.get(), name.c_str(), n);
      }
    }
    consumer.insist<bool>("read the group's offsets", [&]() -> std::optional<bool> {
      const auto code = rd_kafka_committed(consumer.get(), list.get(), kCall);
      if (code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
        throw Error(consumer.name() + ": group " + group_ + ": " + words_of(code));
      }
      if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
      const std::span all(list->elems, static_cast<std::size_t>(list->cnt));
      const bool well = std::all_of(all.begin(), all.end(), [](const auto& one) {
        return one.err == RD_KAFKA_RESP_ERR_NO_ERROR;
      });
      return well ? std::optional(true) : std::nullopt;
    });
    delivered_.reset();
    for (const auto& one : std::span(list->elems, static_cast<std::size_t>(list->cnt))) {
      if (one.offset < 0) continue;
      const Topic topic = one.topic == connection_.topics.items ? Topic::kItems : Topic::kEvents;
      const auto at = static_cast<std::uint64_t>(one.offset);
      extend(positions_, Bounds{{topic, static_cast<std::uint32_t>(one.partition), at, at}});
      const auto mark = parse_mark({static_cast<const char*>(one.metadata), one.metadata_size});
      if (mark && (!delivered_ || delivered_->order() < mark->order())) delivered_ = mark;
    }
  }

  // The same bytes until they are there. Who was fenced looks what is there: a transaction that
  // timed out looks the same as a rival.
  void deliver(const Bounds& bounds, const Mark& mark) {
    const auto before = delivered_;
    const auto begun = Clock::now();
    for (int fenced = 0;;) {
      const Sent sent = send(bounds, mark);
      if (sent == Sent::kWell) break;
      if (sent == Sent::kAgain) {
        producer_->wait_out("deliver a batch", begun);
        continue;
      }
      if (++fenced > 3) rival();
      open();
      read_offsets();
      if (delivered_ == mark) break;
      if (delivered_ != before) rival();
    }
    committed_at_ = Clock::now();
  }

  [[noreturn]] void rival() const {
    throw Error(producer_->name() + ": another process works as instance " +
                std::to_string(connection_.instance) +
                " (same transactional.id): this one is fenced and stops; let only one run");
  }

  Sent send(const Bounds& bounds, const Mark& mark) {
    rd_kafka_t* const handle = producer_->get();
    if (const auto problem = call("begin", [&] { return rd_kafka_begin_transaction(handle); })) {
      return after(problem.get(), "begin a transaction");
    }
    for (const Pending& pending : pending_) {
      if (const Sent sent = produce(pending); sent != Sent::kWell) return sent;
    }
    kill_point("sink.before_dead_letters");
    if (const auto problem = send_offsets(bounds, mark)) {
      return after(problem.get(), "send offsets");
    }
    const auto commit = [&] { return rd_kafka_commit_transaction(handle, kCall); };
    if (const auto problem = call("commit a transaction", commit)) {
      return after(problem.get(), "commit a transaction");
    }
    return Sent::kWell;
  }

  Sent produce(const Pending& pending) {
    const auto begun = Clock::now();
    while (true) {
      switch (producer_->produce(*pending.topic, pending.key, pending.line)) {
        case RD_KAFKA_RESP_ERR_NO_ERROR:
          return Sent::kWell;
        case RD_KAFKA_RESP_ERR__QUEUE_FULL:
          producer_->wait_out("hand over a batch", begun);
          continue;
        case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
          too_large(*pending.topic + ": a record of " + std::to_string(pending.line.size()) +
                    " bytes");
        case RD_KAFKA_RESP_ERR__FATAL:
        case RD_KAFKA_RESP_ERR__FENCED:
          return Sent::kFenced;
        default:  // the transaction has failed meanwhile
          return abort();
      }
    }
  }

  // A call of its own thread, for one whose limit of time librdkafka does not keep: meanwhile what
  // is wrong is said, and a stop looked for.
  rd_kafka_error_t* apart(const char* what, std::function<rd_kafka_error_t*()> make) {
    constexpr std::chrono::milliseconds kLook{50};
    const auto begun = Clock::now();
    std::packaged_task<rd_kafka_error_t*()> task(std::move(make));
    auto answer = task.get_future();
    std::thread(std::move(task)).detach();
    try {
      while (answer.wait_for(kLook) != std::future_status::ready) producer_->wait_out(what, begun);
    } catch (...) {
      producer_->abandon();
      throw;
    }
    return answer.get();
  }

  // Kafka forgets the offsets of a topic that is deleted, so the mark is at one partition of each.
  Bounds with_a_place_of_each_topic(Bounds bounds) const {
    for (const Range& known : positions_) {
      const auto is_it = [&](const Range& range) {
        return range.topic == known.topic && range.partition == known.partition;
      };
      if (known.partition == 0 && std::none_of(bounds.begin(), bounds.end(), is_it)) {
        bounds.push_back(known);
      }
    }
    return bounds;
  }

  // It waits without end while the group's coordinator is away (librdkafka's issue 5456).
  KafkaProblem send_offsets(const Bounds& taken, const Mark& mark) {
    if (taken.empty()) return nullptr;
    const Bounds bounds = with_a_place_of_each_topic(taken);
    struct Offsets {
      KafkaPartitions list;
      std::unique_ptr<rd_kafka_consumer_group_metadata_t,
                      Ends<rd_kafka_consumer_group_metadata_destroy>>
          group;
    };
    const auto offsets = std::make_shared<Offsets>();
    offsets->list.reset(rd_kafka_topic_partition_list_new(static_cast<int>(bounds.size())));
    offsets->group.reset(rd_kafka_consumer_group_metadata_new(group_.c_str()));
    const std::string text = to_text(mark);
    for (const Range& range : bounds) {
      auto* const one = rd_kafka_topic_partition_list_add(
          offsets->list.get(), topic_of(range).c_str(), static_cast<std::int32_t>(range.partition));
      one->offset = static_cast<std::int64_t>(range.to);
      one->metadata = malloc(text.size());  // is the list's
      std::copy(text.begin(), text.end(), static_cast<char*>(one->metadata));
      one->metadata_size = text.size();
    }
    return call("send offsets", [&] {
      return apart("send offsets", [offsets, handle = producer_->get()] {
        return rd_kafka_send_offsets_to_transaction(handle, offsets->list.get(),
                                                    offsets->group.get(), kCall);
      });
    });
  }

  // What is to be done about it.
  Sent after(const rd_kafka_error_t* problem, const char* what) {
    if (rd_kafka_error_is_fatal(problem)) return Sent::kFenced;
    const auto code = rd_kafka_error_code(problem);
    if (code == RD_KAFKA_RESP_ERR__FENCED || code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
        code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH) {
      return Sent::kFenced;
    }
    if (!rd_kafka_error_txn_requires_abort(problem)) fail(what, problem);
    producer_->hear(rd_kafka_error_string(problem));
    return abort();
  }

  Sent abort() {
    const auto problem = call("abort a transaction",
                              [&] { return rd_kafka_abort_transaction(producer_->get(), kCall); });
    if (const std::string what = producer_->take_undelivered(); !what.empty()) {
      if (what.find("too large") != std::string::npos) {
        too_large(what.substr(0, what.rfind(": Broker")));
      }
      producer_->hear(what);
    }
    return problem ? Sent::kFenced : Sent::kAgain;
  }

  [[noreturn]] void too_large(const std::string& what) const {
    throw Error(producer_->name() + ": " + what +
                " is larger than the broker takes: raise max.message.bytes of the topic (and "
                "kafka.message.max.bytes), then start again: nothing is lost");
  }

  KafkaConnection connection_;
  std::uint32_t epoch_;
  std::uint64_t sink_ = any_number();
  OutputCodec codec_;
  std::string group_;
  std::optional<KafkaClient> producer_;
  std::optional<Mark> delivered_;
  Bounds positions_;
  Clock::time_point committed_at_ = Clock::now();
  std::vector<Pending> pending_;
};

KafkaSink::KafkaSink(const KafkaConnection& connection, std::uint32_t epoch, OutputCodec codec)
    : impl_(std::make_unique<Impl>(connection, epoch, std::move(codec))) {}
KafkaSink::~KafkaSink() = default;
void KafkaSink::emit(const RankedList& list) { impl_->emit(list); }
void KafkaSink::emit(const DeadLetter& letter) { impl_->emit(letter); }
void KafkaSink::commit(const Batch& batch) { impl_->commit(batch); }
Delivered KafkaSink::last() const { return impl_->last(); }
const Bounds& KafkaSink::positions() const { return impl_->positions(); }

}  // namespace headroom
