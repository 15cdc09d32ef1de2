#include "simulator/kafka_lists.hpp"

#include <algorithm>
#include <cstdio>
#include <random>

#include "headroom/app/edges.hpp"
#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A broker that is wrong is told from one that is slow at the start; later it may be restarted.
constexpr std::chrono::seconds kAtFirst{10}, kLater{60};
constexpr std::size_t kHaul = 10'000;  // records
constexpr std::uint32_t kFirstEpoch = 1;

// What Kafka takes as a name.
std::string plain(std::string words) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  std::replace_if(
      words.begin(), words.end(), [&](char c) { return !is_plain(c); }, '-');
  return words;
}

std::string any_name() {
  std::random_device device;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08x%08x", device(), device());
  return digits;
}

void set(KafkaProperties& properties, const std::string& key, const std::string& value) {
  std::erase_if(properties, [&](const auto& one) { return one.first == key; });
  properties.emplace_back(key, value);
}

}  // namespace

OwnTopics::OwnTopics(KafkaConnection broker, const std::string& run, bool keep)
    : name_("headroom-sim-" + any_name() + "-" + plain(run)),
      connection_(std::move(broker)),
      keep_(keep) {
  connection_.topics = {name_ + ".events", name_ + ".items", name_ + ".lists",
                        name_ + ".dead-letters"};
  set(connection_.properties, "group.id", name_);
  set(connection_.properties, "transactional.id", name_);
  KafkaConnection once = connection_;
  once.notice = nullptr;
  once.patience = kAtFirst;
  try {
    create_topics(once, {});
  } catch (const KafkaSilent&) {
    keep_ = true;  // nobody is there to delete them
    throw;
  } catch (...) {
    remove();
    throw;
  }
  connection_.patience = kLater;
}

void OwnTopics::remove() {
  if (keep_) return;
  keep_ = true;
  KafkaConnection last = connection_;
  last.notice = nullptr;
  last.stop = nullptr;
  last.patience = kAtFirst;
  delete_topics(last);
}

OwnTopics::~OwnTopics() {
  try {
    remove();
  } catch (const Error& error) {
    std::fprintf(stderr, "topics %s.* are still there: %s\n", name_.c_str(), error.what());
  }
}

KafkaLists::KafkaLists(const EngineOptions& options, const LifeOptions& life, Workers& workers,
                       const KafkaConnection& connection, ListWitness witness)
    : EngineLists(options, life, workers, std::move(witness)),
      connection_(connection),
      writer_(connection),
      log_({connection}, make_decode()),
      sink_(connection, kFirstEpoch, output_codec()),
      tail_({connection, {connection.topics.lists}, true, false}) {
  log_.seek({});
}

// Until somebody asks no list can come, so the history goes in large hauls. The items are by
// themselves, as the source hands on what it has of them before any event.
std::vector<RankedList> KafkaLists::carry(std::vector<Event> events, Time now) {
  bool items = false;
  for (const Event& event : events) {
    asked_ = asked_ || std::holds_alternative<Request>(event.what);
    items = items || std::holds_alternative<ItemUpdate>(event.what);
    send(event);
  }
  said_.push_back({now, events.size()});
  waiting_ += events.size();
  if (!asked_ && !items && waiting_ < kHaul) return {};
  writer_.flush();
  std::size_t count = 0;
  for (const Said& said : std::exchange(said_, {})) count += deliver(said);
  waiting_ = 0;
  return read_lists(count);
}

void KafkaLists::send(const Event& event) {
  line_.clear();
  encode(event, line_);
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.user; }) {
          writer_.append(connection_.topics.events, what.user, line_);
        } else {
          writer_.append(connection_.topics.items, what.item, line_);
        }
      },
      event.what);
  ++events_;
}

// As `headroom serve` does with a batch; returns how many lists came of it.
std::size_t KafkaLists::deliver(const Said& said) {
  Batch batch = read_batch(said.records);
  const Outcome outcome = step(batch, said.now);
  for (const RankedList& list : outcome.lists) sink_.emit(list);
  for (const DeadLetter& letter : outcome.letters) sink_.emit(letter);
  sink_.commit(batch);
  lists_ += outcome.lists.size();
  return outcome.lists.size();
}

Batch KafkaLists::read_batch(std::size_t records) {
  constexpr milliseconds kLook{50};
  Batch batch;
  await("read events back", records,
        [&](std::size_t left) { return log_.take(batch, left, kLook); });
  return batch;
}

std::vector<RankedList> KafkaLists::read_lists(std::size_t count) {
  constexpr milliseconds kLook{50};
  std::vector<RankedList> lists;
  await("read lists back", count, [&](std::size_t) -> std::size_t {
    const auto take = [&](const std::string& topic, std::string_view line) {
      if (const auto wrong = decoder_.decode(line, lists.emplace_back())) {
        throw Error(topic + ": a list that can't be read: " + wrong->words);
      }
    };
    return tail_.next(kLook, take) ? 1 : 0;
  });
  return lists;
}

// Repeats `some`, which says how many came, until all did.
void KafkaLists::await(const char* what, std::size_t count,
                       const std::function<std::size_t(std::size_t left)>& some) const {
  auto last = Clock::now();
  while (count > 0) {
    if (connection_.stop && connection_.stop()) {
      throw Stopped(std::string("stopped while waiting to ") + what);
    }
    const std::size_t came = some(count);
    const auto now = Clock::now();
    if (came > 0) last = now;
    count -= came;
    if (connection_.patience && now - last > *connection_.patience) {
      throw KafkaSilent(std::string("Kafka: cannot ") + what + ": none came for " +
                        std::to_string(connection_.patience->count() / 1000) + " s");
    }
  }
}

}  // namespace headroom::sim
