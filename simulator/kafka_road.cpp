#include "simulator/kafka_road.hpp"

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
constexpr milliseconds kLook{50};  // for a stop, at least so often
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

KafkaLogSettings all_of(const KafkaConnection& connection) {
  KafkaLogSettings settings;
  settings.connection = connection;
  return settings;
}

std::string servers_of(const KafkaConnection& connection) {
  for (const auto& [key, value] : connection.properties) {
    if (key == "bootstrap.servers") return value;
  }
  return "an unknown address";
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
  } catch (const Error&) {
    try {
      remove();
    } catch (const Error&) {  // the first trouble says more
    }
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
  } catch (const std::exception& error) {
    std::fprintf(stderr, "topics %s.* are still there: %s\n", name_.c_str(), error.what());
  }
}

KafkaRoad::KafkaRoad(const KafkaConnection& connection)
    : connection_(connection),
      writer_(connection),
      log_(all_of(connection), make_decode()),
      sink_(connection, kFirstEpoch, output_codec()),
      tail_({connection, {connection.topics.lists}, true, false}) {
  log_.seek({});
}

void KafkaRoad::send(const Event& event) {
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
  ++sent_;
}

Batch KafkaRoad::take(std::size_t records) {
  Batch batch;
  await("read events back", records,
        [&](std::size_t left) { return log_.take(batch, left, kLook); });
  return batch;
}

void KafkaRoad::deliver(const Outcome& outcome, const Batch& batch) {
  for (const RankedList& list : outcome.lists) sink_.emit(list);
  for (const DeadLetter& letter : outcome.letters) sink_.emit(letter);
  sink_.commit(batch);
  delivered_ += outcome.lists.size();
}

std::vector<RankedList> KafkaRoad::lists() {
  std::vector<RankedList> lists;
  const auto take = [&](const std::string& topic, std::string_view line) {
    if (const auto wrong = decoder_.decode(line, lists.emplace_back())) {
      throw Error(topic + ": a list that can't be read: " + wrong->words);
    }
  };
  await("read lists back", delivered_ - read_,
        [&](std::size_t) -> std::size_t { return tail_.next(kLook, take) ? 1 : 0; });
  read_ = delivered_;
  return lists;
}

// Repeats `some`, which says how many came, until all did.
void KafkaRoad::await(const char* what, std::size_t count,
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
      throw KafkaSilent("Kafka at " + servers_of(connection_) + ": cannot " + what +
                        ": none came for " + std::to_string(kLater.count()) + " s");
    }
  }
}

}  // namespace headroom::sim
