#include "simulator/served_log.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headroom/app/edges.hpp"
#include "headroom/base/error.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom::sim {
namespace {

class LocalServedLog final : public ServedLog {
 public:
  explicit LocalServedLog(const Options& options)
      : writer_(log_folder(options), options.partitions, options.segment_bytes),
        route_(make_router(writer_.partitions())),
        lists_(partition_folder(log_folder(options), kListTopic, 0)) {
    for (std::uint32_t n = 0; n < writer_.partitions(); ++n) {
      PartitionReader events(partition_folder(log_folder(options), name(Topic::kEvents), n));
      if (events.end() > 0) {
        throw Error(log_folder(options).string() + ": has events already; a new folder is needed");
      }
    }
  }

  // In their order within each partition, one write for each.
  void append(std::span<const Event> events) override {
    std::map<std::pair<Topic, std::uint32_t>, std::vector<std::string>> lines;
    std::string line;
    for (const Event& event : events) {
      line.clear();
      encode(event, line);
      const auto [topic, partition] = route_(line);
      lines[{topic, partition}].push_back(line);
    }
    for (const auto& [place, of_it] : lines) {
      const std::vector<std::string_view> records(of_it.begin(), of_it.end());
      writer_.append(place.first, place.second, records);
    }
  }

  void take(const std::function<void(std::string_view line)>& list) override {
    while (const auto line = lists_.next()) list(line->bytes);
  }

 private:
  LogWriter writer_;
  Router route_;
  PartitionReader lists_;
};

// The consumer waits on a thread of its own. A broker that is away is waited for, but not for ever.
class KafkaServedLog final : public ServedLog {
 public:
  explicit KafkaServedLog(const Options& options)
      : topics_(options.topics), writer_(connection(options)), route_(options.topics) {
    KafkaTailSettings there{connection(options), {topics_.events, topics_.lists}, true, true};
    const std::string trouble = within_patience([&] {
      tail_kafka(there, [](const std::string& topic, std::string_view) -> bool {
        throw Error("Kafka: the topic " + topic + " has records already; new topics are needed");
      });
    });
    if (!trouble.empty()) throw Error(trouble);
    KafkaTailSettings settings{kafka_connection(options), {topics_.lists}, true, false};
    // A broker holds an answer back until it has something, for half a second unless told.
    settings.connection.properties.emplace_back("fetch.wait.max.ms", "10");
    settings.connection.stop = [this] { return stop_.load(); };
    thread_ = std::jthread([this, settings = std::move(settings)] { read(settings); });
  }
  ~KafkaServedLog() override { stop_ = true; }

  void append(std::span<const Event> events) override {
    const std::string trouble = within_patience([&] {
      std::string line;
      for (const Event& event : events) {
        line.clear();
        encode(event, line);
        const auto [topic, key] = route_(line);
        writer_.append(topic, key, line);
      }
      writer_.flush();
    });
    if (!trouble.empty()) throw std::runtime_error(trouble);
  }

  void take(const std::function<void(std::string_view line)>& list) override {
    std::vector<std::string> lines;
    {
      const std::lock_guard lock(mutex_);
      if (failure_) std::rethrow_exception(failure_);
      lines.swap(lines_);
    }
    for (const std::string& line : lines) list(line);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{60};

  KafkaConnection connection(const Options& options) {
    return kafka_connection(
        options, {.notice = print_notice, .stop = [this] { return Clock::now() > limit_; }});
  }

  // What was waited for in vain, if anything.
  template <class Work>
  std::string within_patience(const Work& work) {
    limit_ = Clock::now() + kPatience;
    try {
      work();
    } catch (const Stopped& stopped) {
      return std::string(stopped.what()) + ": no answer for " + std::to_string(kPatience.count()) +
             " s";
    }
    return {};
  }

  void read(const KafkaTailSettings& settings) {
    try {
      tail_kafka(settings, [this](const std::string& /*topic*/, std::string_view line) {
        const std::lock_guard lock(mutex_);
        lines_.emplace_back(line);
        return true;
      });
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  KafkaTopics topics_;
  Clock::time_point limit_ = Clock::now() + kPatience;  // no wait goes on after that
  KafkaWriter writer_;
  KafkaRouter route_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // guards the next two
  std::vector<std::string> lines_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<ServedLog> open_served_log(const Options& options) {
  if (options.source == SourceKind::kKafka) return std::make_unique<KafkaServedLog>(options);
  return std::make_unique<LocalServedLog>(options);
}

}  // namespace headroom::sim
