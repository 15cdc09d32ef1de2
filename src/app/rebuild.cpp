#include "headroom/app/rebuild.hpp"

#include <algorithm>
#include <deque>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "headroom/app/checkpoints.hpp"
#include "headroom/app/identity.hpp"
#include "headroom/base/error.hpp"
#include "headroom/engine/engine.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom {

namespace {

constexpr std::uint64_t kAtOnce = 10'000;  // offsets of a partition

// The records of the events up to where batches were delivered, by time: each partition is read
// ahead, and what comes out is older than all that was not read yet.
class Merged {
 public:
  Merged(KafkaLog& log, const Bounds& ranges) : log_(log) {
    for (const Range& range : ranges) {
      if (range.topic == Topic::kEvents) lanes_.push_back({range, {}});
    }
  }

  // The next one; nothing when there is none.
  std::optional<Arrival> next() {
    Lane* oldest = nullptr;
    for (Lane& lane : lanes_) {
      while (lane.ahead.empty() && lane.left.from < lane.left.to) read(lane);
      if (lane.ahead.empty()) continue;
      if (oldest == nullptr || lane.ahead.front().first < oldest->ahead.front().first) {
        oldest = &lane;
      }
    }
    if (oldest == nullptr) return std::nullopt;
    Arrival arrival = std::move(oldest->ahead.front().second);
    oldest->ahead.pop_front();
    return arrival;
  }

 private:
  struct Lane {
    Range left;
    std::deque<std::pair<Time, Arrival>> ahead;  // by the latest time so far in this partition
    Time latest{};
  };

  void read(Lane& lane) {
    Batch batch;
    const std::uint64_t to = std::min(lane.left.to, lane.left.from + kAtOnce);
    batch.bounds = {{lane.left.topic, lane.left.partition, lane.left.from, to}};
    log_.read_again(batch);
    lane.left.from = to;
    for (Arrival& arrival : batch.arrivals) {
      lane.latest = std::max(lane.latest, arrival.event.at);
      lane.ahead.emplace_back(lane.latest, std::move(arrival));
    }
  }

  KafkaLog& log_;
  std::vector<Lane> lanes_;
};

std::vector<RankedList> delivered_lists(const Options& options, const EdgeFlags& edge) {
  KafkaTailSettings settings;
  settings.connection = kafka_connection(options, edge);
  settings.topics = {options.topics.lists};
  settings.from_begin = settings.until_end = true;
  std::vector<RankedList> lists;
  OutputDecoder decoder;
  tail_kafka(settings, [&](const std::string&, std::string_view line) {
    RankedList& list = lists.emplace_back();
    if (decoder.decode(line, list)) lists.pop_back();  // not ours
    return true;
  });
  for (RankedList& list : lists) list.policy = {};  // lives with the decoder only
  std::sort(lists.begin(), lists.end(), [](const RankedList& a, const RankedList& b) {
    return std::tie(a.at, a.id) < std::tie(b.at, b.id);
  });
  return lists;
}

// Steps through what happened. Time is that of the records, whatever the clock.
class Rebuilder {
 public:
  Rebuilder(const EngineOptions& options, std::vector<RankedList> lists)
      : engine_(options, workers_), lists_(std::move(lists)) {}

  Engine& engine() { return engine_; }

  void take_items(Batch batch) {
    put_in_order(batch);
    step(std::move(batch));
  }

  void take(Arrival arrival) {
    const auto* const request = std::get_if<Request>(&arrival.event.what);
    const Time at = arrival.event.at;
    // A list was made after its request, at that time or later.
    recall([&](Time made) { return request != nullptr ? made < at : made <= at; });
    if (request != nullptr) parties_[request->user] = request->party;
    waiting_.arrivals.push_back(std::move(arrival));
    if (waiting_.arrivals.size() >= kAtOnce) flush();
  }

  void finish(const Bounds& taken) {
    recall([](Time) { return true; });
    waiting_.bounds = taken;
    step(std::exchange(waiting_, {}));
  }

 private:
  template <class Before>
  void recall(const Before& before) {
    for (; next_ < lists_.size() && before(lists_[next_].at); ++next_) {
      flush();
      const auto party = parties_.find(lists_[next_].user);
      engine_.recall(lists_[next_], party == parties_.end() ? 1 : party->second);
      lists_[next_] = {};
    }
  }
  void flush() {
    if (!waiting_.arrivals.empty()) step(std::exchange(waiting_, {}));
  }
  void step(Batch batch) {
    batch.number = engine_.state().batch + 1;
    batch.now = engine_.now_for(batch);
    engine_.step(batch);
  }

  Workers workers_{1};
  Engine engine_;
  std::vector<RankedList> lists_;
  std::size_t next_ = 0;
  std::unordered_map<std::string, Party> parties_;  // of each user's last request
  Batch waiting_;
};

Bounds ranges_to(const Bounds& positions, const Bounds& begins) {
  Bounds ranges;
  for (const Range& position : positions) {
    for (const Range& begin : begins) {
      if (begin.topic != position.topic || begin.partition != position.partition) continue;
      const std::uint64_t to = std::clamp(position.to, begin.from, begin.to);
      ranges.push_back({position.topic, position.partition, begin.from, to});
    }
  }
  return ranges;
}

}  // namespace

Rebuilt rebuild(const Options& options, Store& store, KafkaLog& log, const KafkaSink& sink,
                const EdgeFlags& edge) {
  if (store.rest() || store.last_entry()) {
    throw Error("--rebuild: the state store " + store.folder().string() +
                " is not new: start without it, or move the store away first");
  }
  const auto last = sink.last().list;
  if (!last)
    throw Error("--rebuild: nothing was ever delivered by this instance: start without it");
  EngineOptions engine = options.engine;
  engine.learner.seed = options.seed;
  engine.clock = ClockKind::kEvent;
  engine.answers = false;
  Rebuilder rebuilder(engine, delivered_lists(options, edge));
  const Bounds ranges = ranges_to(sink.positions(), log.begins());
  Batch items;
  for (const Range& range : ranges) {
    if (range.topic == Topic::kItems) items.bounds.push_back(range);
  }
  log.read_again(items);
  items.bounds.clear();
  rebuilder.take_items(std::move(items));
  Merged events(log, ranges);
  while (auto arrival = events.next()) {
    if (edge.stop && edge.stop()) throw Stopped("--rebuild: stopped before it was done");
    rebuilder.take(*std::move(arrival));
  }
  rebuilder.finish(ranges);
  State& state = rebuilder.engine().state();
  Checkpoints(options, rebuilder.engine(), store, 0).finish();
  set_epoch(store, last->epoch + 1);
  return {state.counters.events, state.counters.lists, state.batch};
}

}  // namespace headroom
