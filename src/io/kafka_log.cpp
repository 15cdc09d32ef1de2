#include <algorithm>
#include <array>
#include <deque>
#include <limits>

#include "headroom/base/error.hpp"
#include "headroom/io/kafka_client.hpp"
#include "headroom/io/kafka_topic_watch.hpp"
#include "headroom/io/turns.hpp"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFetched = 1000;  // records handed over at once

const KafkaProperties kOurs = {{"group.id", "headroom"},
                               {"isolation.level", "read_committed"},
                               // Of each partition, what is fetched ahead: the rest waits there.
                               {"queued.max.messages.kbytes", "16384"},
#if RD_KAFKA_VERSION >= 0x02020000
                               {"fetch.queue.backoff.ms", "5"},
                               {"queued.min.messages", "10000"},
#else
                               {"queued.min.messages", "1000000"},
#endif
                               // A start or a stop waits for the fetch that is under way.
                               {"fetch.wait.max.ms", "20"},
                               {"allow.auto.create.topics", "false"}};
const KafkaProperties kFixed = {{"enable.auto.commit", "false"},
                                {"enable.auto.offset.store", "false"},
                                {"auto.offset.reset", "error"},
                                {"enable.partition.eof", "true"}};

std::uint64_t whole(std::int64_t offset) { return static_cast<std::uint64_t>(offset); }

// A record without a value says that the item of its key is gone.
// Its id has the time in it, as a topic made again has the same offsets again.
std::string removal_of(const rd_kafka_message_t& message) {
  std::string key;
  for (const char c : std::string_view(static_cast<const char*>(message.key), message.key_len)) {
    if (c == '"' || c == '\\') key += '\\';
    key += c;
  }
  rd_kafka_timestamp_type_t kind{};
  const std::int64_t at = std::max<std::int64_t>(0, rd_kafka_message_timestamp(&message, &kind));
  const std::string id = "tombstone-" + std::to_string(message.partition) + "-" +
                         std::to_string(message.offset) + "-" + std::to_string(at);
  return R"({"event":"item","id":")" + id + R"(","timestamp":)" + std::to_string(at) +
         R"(,"item":")" + key + R"(","removed":true})";
}

}  // namespace

class KafkaLog::Impl {
 public:
  Impl(KafkaLogSettings settings, Decode decode)
      : settings_(std::move(settings)),
        decode_(std::move(decode)),
        client_(KafkaKind::kConsumer, settings_.connection, kOurs, kFixed),
        watch_(client_, {settings_.connection.topics.items, settings_.connection.topics.events}) {
    add(Topic::kItems, settings_.connection.topics.items);
    items_ = lanes_.size();
    add(Topic::kEvents, settings_.connection.topics.events);
    id_ = watch_.identity();
  }

  ~Impl() {
    for (Lane& lane : lanes_) stop(lane);
  }

  Bounds seek(const Bounds& taken) {
    Bounds begun;
    const bool is_new = taken.empty();
    for (Lane& lane : lanes_) {
      const auto known = std::find_if(taken.begin(), taken.end(), [&](const Range& range) {
        return range.topic == lane.topic && range.partition == lane.partition;
      });
      const auto [low, high] = ends_of(lane);
      std::uint64_t at = 0;
      if (known != taken.end()) {
        at = known->to;
        if (at < low || at > high) at = or_reset(lane, at, low, high);
        if (settings_.reset && !watch_.is_part_of(settings_.known, topic_name(lane))) at = low;
        if (at != known->to) begun.push_back({lane.topic, lane.partition, at, at});
      } else {
        at = is_new && lane.topic == Topic::kEvents ? first_position(lane, low, high) : low;
        begun.push_back({lane.topic, lane.partition, at, at});
      }
      lane.begin = low;
      lane.end = high;
      start(lane, at);
    }
    return begun;
  }

  std::size_t take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) {
    look_around();
    return take_within(wait, [&] { return take_now(batch, most); });
  }

  void read_again(Batch& batch) {
    batch.arrivals.clear();
    batch.rejects.clear();
    for (const Range& range : batch.bounds) {
      if (range.from != range.to) read_again(lane_of(range), range, batch);
    }
  }

  std::uint64_t lag() {
    std::uint64_t records = 0;
    for (Lane& lane : lanes_) {
      std::int64_t low = 0, high = 0;
      rd_kafka_get_watermark_offsets(client_.get(), topic_name(lane), partition_number(lane), &low,
                                     &high);
      const std::uint64_t end = high > 0 ? whole(high) : lane.end;
      records += end - std::min(end, std::max(lane.next, lane.seen_end));
    }
    return records;
  }

  bool ended() const {
    return settings_.until_end && std::all_of(lanes_.begin(), lanes_.end(),
                                              [](const Lane& lane) { return lane.is_at_end(); });
  }

  Bounds begins() {
    Bounds out;
    for (const Lane& lane : lanes_) {
      const auto [low, high] = ends_of(lane);
      out.push_back({lane.topic, lane.partition, low, high});
    }
    return out;
  }

  Bounds new_begins() {
    constexpr std::chrono::minutes kRarely{10};
    if (Clock::now() < next_look_at_begins_) return {};
    next_look_at_begins_ = Clock::now() + kRarely;
    Bounds begins;
    bool moved = false;
    for (Lane& lane : lanes_) {
      std::int64_t low = 0, high = 0;
      if (rd_kafka_query_watermark_offsets(client_.get(), topic_name(lane), partition_number(lane),
                                           &low, &high, 500) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return {};
      }
      moved = moved || whole(low) > lane.begin;
      lane.begin = whole(low);
      begins.push_back({lane.topic, lane.partition, lane.begin, lane.next});
    }
    return moved ? begins : Bounds();
  }

  const std::string& id() const { return id_; }
  std::uint32_t partitions() const { return static_cast<std::uint32_t>(lanes_.size() - items_); }

 private:
  struct Lane {
    Topic topic;
    std::uint32_t partition;
    KafkaTopicHandle handle;
    std::deque<KafkaMessage> fetched;
    bool started = false;
    std::uint64_t next = 0;            // the first offset not handed on
    std::uint64_t seen_end = 0;        // where the partition was seen to end
    std::uint64_t begin = 0, end = 0;  // of the partition, at the start

    Reached reached{};

    bool is_at_end() const { return std::max(next, seen_end) >= end; }
  };

  const char* topic_name(const Lane& lane) const { return rd_kafka_topic_name(lane.handle.get()); }
  static std::int32_t partition_number(const Lane& lane) {
    return static_cast<std::int32_t>(lane.partition);
  }
  std::string place(const Lane& lane) const {
    return client_.name() + ": " + topic_name(lane) + "/" + std::to_string(lane.partition);
  }

  void add(Topic topic, const std::string& name) {
    const std::uint32_t partitions = client_.partitions_there(name);
    for (std::uint32_t partition = 0; partition < partitions; ++partition) {
      lanes_.emplace_back();
      lanes_.back().topic = topic;
      lanes_.back().partition = partition;
      lanes_.back().handle.reset(rd_kafka_topic_new(client_.get(), name.c_str(), nullptr));
    }
  }

  Lane& lane_of(const Range& range) {
    for (Lane& lane : lanes_) {
      if (lane.topic == range.topic && lane.partition == range.partition) return lane;
    }
    throw Error(client_.name() + ": there is no partition " + std::to_string(range.partition) +
                " of the " + (range.topic == Topic::kItems ? "items" : "events"));
  }

  std::pair<std::uint64_t, std::uint64_t> ends_of(const Lane& lane) {
    using Ends = std::pair<std::uint64_t, std::uint64_t>;
    return client_.insist<Ends>("ask where partitions begin and end", [&]() -> std::optional<Ends> {
      std::int64_t low = 0, high = 0;
      const auto code = rd_kafka_query_watermark_offsets(client_.get(), topic_name(lane),
                                                         partition_number(lane), &low, &high, 500);
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return Ends(whole(low), whole(high));
      return std::nullopt;
    });
  }

  std::uint64_t or_reset(const Lane& lane, std::uint64_t at, std::uint64_t low,
                         std::uint64_t high) const {
    if (settings_.reset) return low;
    if (at < low) {
      throw Error(place(lane) + ": records from offset " + std::to_string(at) + " to " +
                  std::to_string(low) +
                  " are gone before they were taken (retention?): give them back, or start with "
                  "--reset to go on without them");
    }
    throw Error(place(lane) + ": ends at offset " + std::to_string(high) + ", but " +
                std::to_string(at) +
                " was taken already: it is not what it was; start with --reset to take all that is "
                "there as new");
  }

  std::uint64_t first_position(const Lane& lane, std::uint64_t low, std::uint64_t high) {
    if (settings_.start == StartAt::kEarliest) return low;
    if (settings_.start == StartAt::kLatest) return high;
    return client_.insist<std::uint64_t>("look for a time", [&]() -> std::optional<std::uint64_t> {
      const KafkaPartitions list(rd_kafka_topic_partition_list_new(1));
      auto* const one =
          rd_kafka_topic_partition_list_add(list.get(), topic_name(lane), partition_number(lane));
      one->offset = settings_.start_time.time_since_epoch().count();
      const auto code = rd_kafka_offsets_for_times(client_.get(), list.get(), 500);
      if (code != RD_KAFKA_RESP_ERR_NO_ERROR || one->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return std::nullopt;
      }
      return one->offset >= 0 ? whole(one->offset) : high;  // nothing is as new as that
    });
  }

  // Reading begins at this offset, unless it is there already.
  void start(Lane& lane, std::uint64_t at) {
    if (lane.started && lane.next == at) return;
    stop(lane);
    const int code = rd_kafka_consume_start(lane.handle.get(), partition_number(lane),
                                            static_cast<std::int64_t>(at));
    if (code != 0) throw Error(place(lane) + ": " + words_of(rd_kafka_last_error()));
    lane.started = true;
    lane.next = at;
    lane.seen_end = 0;
  }

  void stop(Lane& lane) {
    if (lane.started) rd_kafka_consume_stop(lane.handle.get(), partition_number(lane));
    lane.started = false;
    lane.fetched.clear();
  }

  // The next record of the partition, if it is here within this time.
  rd_kafka_message_t* next(Lane& lane, std::chrono::milliseconds wait) {
    while (true) {
      while (!lane.fetched.empty()) {
        rd_kafka_message_t* const message = lane.fetched.front().get();
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return message;
        const KafkaMessage held = std::move(lane.fetched.front());
        lane.fetched.pop_front();
        hear(lane, *held);
      }
      std::array<rd_kafka_message_t*, kFetched> some;
      const auto count =
          rd_kafka_consume_batch(lane.handle.get(), partition_number(lane),
                                 static_cast<int>(wait.count()), some.data(), some.size());
      if (count <= 0) return nullptr;
      for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
        lane.fetched.emplace_back(some[n]);
      }
      wait = {};
    }
  }

  // What comes in a record's stead.
  void hear(Lane& lane, const rd_kafka_message_t& message) {
    switch (message.err) {
      case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        lane.seen_end = whole(message.offset);
        client_.is_well();
        return;
      case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
      case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
        throw Error(place(lane) + ": records from offset " + std::to_string(lane.next) +
                    " on are gone before they were taken (retention, or another topic of this "
                    "name): start with --reset to go on with what is there");
      case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      case RD_KAFKA_RESP_ERR__FATAL:
      case RD_KAFKA_RESP_ERR__BAD_MSG:
      case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
        throw Error(place(lane) + ": " + rd_kafka_message_errstr(&message));
      default:
        // It passes by itself; whether a topic that is not there is gone for good, the watch says.
        client_.hear(rd_kafka_message_errstr(&message));
    }
  }

  void add_message(Lane& lane, const rd_kafka_message_t& message, Batch& batch) {
    const Place at{lane.topic, lane.partition, whole(message.offset)};
    if (message.payload == nullptr && lane.topic == Topic::kItems && message.key_len > 0) {
      add_record(batch, at, removal_of(message), decode_);
    } else {
      add_record(batch, at, {static_cast<const char*>(message.payload), message.len}, decode_);
    }
    lane.next = whole(message.offset) + 1;
    lane.fetched.pop_front();  // and the message with it
  }

  std::size_t take_now(Batch& batch, std::size_t most) {
    std::size_t taken = 0;
    bool knows_items = true;  // all that were there at the start: events may name them
    for (std::size_t n = 0; n < items_; ++n) {
      taken += take_from(lanes_[n], batch, most - taken);
      knows_items = knows_items && lanes_[n].is_at_end();
    }
    if (!knows_items) return taken;
    const std::size_t partitions = lanes_.size() - items_;
    const auto take = [&](std::size_t partition, std::size_t some) {
      return take_from(lanes_[items_ + partition], batch, some);
    };
    if (settings_.by_time) {
      return taken +
             take_by_time(
                 partitions, most - taken, take,
                 [&](std::size_t partition) { return lanes_[items_ + partition].reached.at(); },
                 [&](std::size_t partition) { return !lanes_[items_ + partition].is_at_end(); });
    }
    turn_ = (turn_ + 1) % partitions;
    return taken + take_in_turn(partitions, turn_, most - taken, take);
  }

  std::size_t take_from(Lane& lane, Batch& batch, std::size_t most) {
    const std::uint64_t from = lane.next;
    const std::size_t had = batch.arrivals.size();
    std::size_t taken = 0;
    for (; taken < most; ++taken) {
      const auto* const message = next(lane, {});
      if (message == nullptr) break;
      add_message(lane, *message, batch);
    }
    lane.reached.see(batch, had);
    if (taken > 0) extend(batch.bounds, {lane.topic, lane.partition, from, lane.next});
    return taken;
  }

  // Where what was taken there can be read again from: with `reset`, without what is gone.
  std::uint64_t readable_from(const Lane& lane, const Range& range) {
    if (!settings_.reset) return range.from;
    if (!watch_.is_part_of(settings_.known, topic_name(lane))) return range.to;
    return std::clamp(ends_of(lane).first, range.from, range.to);
  }

  void read_again(Lane& lane, const Range& range, Batch& batch) {
    constexpr std::chrono::milliseconds kWait{50};
    const std::uint64_t from = readable_from(lane, range);
    if (from == range.to) {
      stop(lane);
      lane.next = range.to;
      return;
    }
    start(lane, from);
    const auto begun = Clock::now();
    while (lane.next < range.to) {
      const auto* const message = next(lane, kWait);
      if (message != nullptr && whole(message->offset) < range.to) {
        add_message(lane, *message, batch);
      } else if (message != nullptr || lane.seen_end >= range.to) {
        lane.next = range.to;  // what lay there was no record, or was compacted away
      } else {
        client_.wait_out("read again what was taken", begun);
        look_around();
      }
    }
  }

  // Looks now and then whether the topics are still what they were, and whether anybody answers.
  void look_around() {
    client_.poll();
    watch_.look();
  }

  KafkaLogSettings settings_;
  Decode decode_;
  KafkaClient client_;
  KafkaTopicWatch watch_;
  std::deque<Lane> lanes_;  // the items' partitions, then those of the events
  std::size_t items_ = 0;   // how many of the items
  std::size_t turn_ = 0;    // the partition that comes first next time
  std::string id_;
  Clock::time_point next_look_at_begins_{};
};

KafkaLog::KafkaLog(KafkaLogSettings settings, Decode decode)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(decode))) {}
KafkaLog::~KafkaLog() = default;
Bounds KafkaLog::seek(const Bounds& taken) { return impl_->seek(taken); }
std::size_t KafkaLog::take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) {
  return impl_->take(batch, most, wait);
}
void KafkaLog::read_again(Batch& batch) { impl_->read_again(batch); }
void KafkaLog::release(const Bounds& /*taken*/) {}  // the broker keeps what it keeps
std::uint64_t KafkaLog::lag() { return impl_->lag(); }
bool KafkaLog::ended() const { return impl_->ended(); }
const std::string& KafkaLog::id() const { return impl_->id(); }
std::uint32_t KafkaLog::partitions() const { return impl_->partitions(); }
Bounds KafkaLog::begins() { return impl_->begins(); }
Bounds KafkaLog::new_begins() { return impl_->new_begins(); }

}  // namespace headroom
