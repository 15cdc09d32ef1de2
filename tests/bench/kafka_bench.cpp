// What Kafka costs, in CPU time of whole processes (all threads), in one run: the engine through
// Kafka beside a bare consumer with the same parse, and beside the engine alone; then how long a
// list takes from its request. A plain program: what it measures takes seconds, and is `headroom
// serve` itself where that is what counts. Times are the best of the repeats; what is judged are
// medians of the ratios of each repeat, whose parts ran within seconds of each other.
//
// Usage: bench_kafka ADDRESS HEADROOM FOLDER [RECORDS] [REPEATS]
//
// ADDRESS is a broker's, HEADROOM the program, FOLDER a folder for states and logs.

#include <fcntl.h>
#include <librdkafka/rdkafka.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headroom/app/edges.hpp"
#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"
#include "headroom/engine/engine.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The size of ML-100K, and how often each is met falls with its rank.
constexpr std::uint32_t kUsers = 943, kItems = 1'682, kPartitions = 3;
constexpr std::size_t kBatch = 10'000;
constexpr Time kStart{std::chrono::hours(473'000)};

struct Setup {
  std::string address, program, folder;
  std::size_t records = 1'000'000;
  int repeats = 3;
};

Time wall_now() {
  return std::chrono::time_point_cast<Time::duration>(std::chrono::system_clock::now());
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}
double cpu_of(const rusage& usage) {
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}
double own_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return cpu_of(usage);
}

// --- Records ---

class Ranks {
 public:
  Ranks(std::uint32_t count, double power) {
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      total_ += 1.0 / std::pow(rank + 10.0, power);
      sums_.push_back(total_);
    }
  }
  std::size_t draw(Draws& draws) const {
    const double at = draws.uniform() * total_;
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin();
    return std::min(static_cast<std::size_t>(found), sums_.size() - 1);
  }

 private:
  double total_ = 0.0;
  std::vector<double> sums_;
};

std::string user_name(std::size_t user) { return "user-" + std::to_string(user); }
std::string item_name(std::size_t item) { return "item-" + std::to_string(item); }

// A UUID, as producers write them.
std::string id_of(std::uint64_t number) {
  const std::uint64_t high = mix(number + 1, 0x9E3779B97F4A7C15ULL);
  const std::uint64_t low = mix(number + 1, 0xD1B54A32D192ED03ULL);
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-a%03x-%06x%06x",
                static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xFFFF),
                static_cast<unsigned>(high & 0xFFF), static_cast<unsigned>(low >> 48 & 0xFFF),
                static_cast<unsigned>(low >> 24 & 0xFFFFFF),
                static_cast<unsigned>(number & 0xFFFFFF));
  return text.data();
}

// The same check-ins at every call, `step` apart.
void each_check_in(std::size_t count, Time begin, milliseconds step,
                   const std::function<void(const Event&)>& take) {
  const Ranks users(kUsers, 0.8), items(kItems, 1.1);
  Draws draws(1, Purpose::kWorld, 0);
  Event event;
  event.what = CheckIn{};
  auto& what = std::get<CheckIn>(event.what);
  for (std::size_t n = 0; n < count; ++n) {
    event.at = begin + step * static_cast<std::int64_t>(n);
    event.id = id_of(n);
    what.user = user_name(users.draw(draws));
    what.item = item_name(items.draw(draws));
    take(event);
  }
}

KafkaConnection connection_to(const Setup& setup, const std::string& prefix) {
  KafkaConnection connection;
  connection.properties = {{"bootstrap.servers", setup.address}};
  connection.topics = {prefix + ".events", prefix + ".items", prefix + ".lists",
                       prefix + ".dead-letters"};
  return connection;
}

std::vector<std::string> topic_settings(const KafkaTopics& topics) {
  return {"topics.events=" + topics.events, "topics.items=" + topics.items,
          "topics.recommendations=" + topics.lists, "topics.dead_letters=" + topics.dead_letters};
}

void send_check_ins(KafkaWriter& writer, const KafkaTopics& topics, std::size_t count, Time begin,
                    milliseconds step) {
  std::string line;
  std::size_t bytes = 0;
  each_check_in(count, begin, step, [&](const Event& event) {
    line.clear();
    encode(event, line);
    bytes += line.size();
    writer.append(topics.events, std::get<CheckIn>(event.what).user, line);
  });
  writer.flush();
  std::printf("%zu check-ins of %.0f bytes in %u partitions\n", count,
              static_cast<double>(bytes) / static_cast<double>(count), kPartitions);
}

// --- A bare consumer with the same parse ---

// CPU seconds.
double consume_bare(const Setup& setup, const std::string& topic) {
  const double begin = own_cpu();
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  const std::array<std::pair<const char*, const char*>, 5> properties = {
      {{"bootstrap.servers", setup.address.c_str()},
       {"group.id", "bare"},
       {"enable.auto.commit", "false"},
#if RD_KAFKA_VERSION >= 0x02020000
       {"fetch.queue.backoff.ms", "5"},
#else
       {"queued.min.messages", "1000000"},
#endif
       {"isolation.level", "read_committed"}}};
  std::array<char, 256> reason{};
  for (const auto& [key, value] : properties) {
    if (rd_kafka_conf_set(conf, key, value, reason.data(), reason.size()) != RD_KAFKA_CONF_OK) {
      throw Error(reason.data());
    }
  }
  rd_kafka_t* const consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason.data(), reason.size());
  if (consumer == nullptr) throw Error(reason.data());
  rd_kafka_topic_t* const handle = rd_kafka_topic_new(consumer, topic.c_str(), nullptr);
  rd_kafka_queue_t* const queue = rd_kafka_queue_new(consumer);
  for (std::uint32_t n = 0; n < kPartitions; ++n) {
    rd_kafka_consume_start_queue(handle, static_cast<std::int32_t>(n), RD_KAFKA_OFFSET_BEGINNING,
                                 queue);
  }
  EventDecoder decoder;
  Event event;
  std::array<rd_kafka_message_t*, 1000> some;
  for (std::size_t records = 0; records < setup.records;) {
    const auto count = rd_kafka_consume_batch_queue(queue, 100, some.data(), some.size());
    for (std::size_t n = 0; n < static_cast<std::size_t>(std::max<ssize_t>(0, count)); ++n) {
      const rd_kafka_message_t& message = *some[n];
      if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (decoder.decode({static_cast<const char*>(message.payload), message.len}, event)) {
          throw Error("a record can't be read");
        }
        ++records;
      }
      rd_kafka_message_destroy(some[n]);
    }
  }
  for (std::uint32_t n = 0; n < kPartitions; ++n) {
    rd_kafka_consume_stop(handle, static_cast<std::int32_t>(n));
  }
  rd_kafka_queue_destroy(queue);
  rd_kafka_topic_destroy(handle);
  rd_kafka_destroy(consumer);
  return own_cpu() - begin;
}

// --- The engine alone ---

// CPU seconds in its steps, the events decoded beforehand.
double step_alone(const Setup& setup) {
  EngineOptions options;
  options.clock = ClockKind::kEvent;
  Workers workers(0);
  Engine engine(options, workers);
  Batch batch;
  double seconds = 0.0;
  std::uint64_t offset = 0;
  const auto step = [&] {
    batch.number = engine.state().batch + 1;
    batch.bounds = {{Topic::kEvents, 0, offset - batch.arrivals.size(), offset}};
    const double begin = own_cpu();
    batch.now = engine.now_for(batch);
    engine.step(batch);
    seconds += own_cpu() - begin;
    batch.arrivals.clear();
  };
  each_check_in(setup.records, kStart, milliseconds(700), [&](const Event& event) {
    batch.arrivals.push_back({{Topic::kEvents, 0, offset++}, event, {}});
    if (batch.arrivals.size() == kBatch) step();
  });
  if (!batch.arrivals.empty()) step();
  if (engine.state().counters.events != setup.records) throw Error("the engine alone lost events");
  return seconds;
}

// --- headroom serve ---

class Serve {
 public:
  Serve(const Setup& setup, const std::string& name, std::vector<std::string> settings, bool all)
      : folder_(setup.folder + "/" + name) {
    std::vector<std::string> words = {setup.program, "serve",    "--kafka",
                                      setup.address, "--folder", folder_};
    if (all) words.emplace_back("--until-end");
    settings.push_back("kafka.group.id=" + name);
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string log = folder_ + ".log";
    process_ = fork();
    if (process_ < 0) throw Error("cannot make a process");
    if (process_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(open(log.c_str(), O_WRONLY | O_CREAT, 0644), STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  Serve(const Serve&) = delete;
  Serve& operator=(const Serve&) = delete;
  ~Serve() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  void stop() { kill(process_, SIGTERM); }
  bool runs() const {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
  }

  // Waits for its end; the CPU seconds of all its life.
  double end() {
    int status = 0;
    rusage usage{};
    wait4(std::exchange(process_, -1), &status, 0, &usage);
    if (status != 0) throw Error("headroom serve failed, see " + folder_ + ".log");
    return cpu_of(usage);
  }

  // How many events it has taken, as its status says.
  std::size_t events() const {
    std::ifstream file(folder_ + "/status.json");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::string_view key = "\"events_total\":";
    const auto at = text.find(key);
    return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + key.size(), nullptr, 10);
  }

 private:
  std::string folder_;
  pid_t process_ = -1;
};

// CPU seconds.
double serve_all(const Setup& setup, const std::string& name, const KafkaTopics& topics,
                 const std::vector<std::string>& more) {
  auto settings = topic_settings(topics);
  settings.emplace_back("clock=event");
  settings.insert(settings.end(), more.begin(), more.end());
  Serve serve(setup, name, std::move(settings), true);
  const double seconds = serve.end();
  if (serve.events() != setup.records) {
    throw Error("headroom serve took " + std::to_string(serve.events()) + " events of " +
                std::to_string(setup.records));
  }
  return seconds;
}

// --- From the request to the list ---

// When each user asked, and what became of it.
class Asked {
 public:
  void ask(const std::string& user) {
    const std::lock_guard lock(mutex_);
    open_[user].push_back(Clock::now());
  }
  void answer(const std::string& user) {
    const std::lock_guard lock(mutex_);
    auto& asks = open_[user];
    if (asks.empty()) throw Error("a list for " + user + ", who did not ask");
    waits_.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - asks.front()).count());
    asks.pop_front();
  }
  std::size_t answered() const {
    const std::lock_guard lock(mutex_);
    return waits_.size();
  }
  std::vector<double> waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<Clock::time_point>> open_;
  std::vector<double> waits_;
};

void send_items(KafkaWriter& writer, const KafkaTopics& topics) {
  std::string line;
  for (std::uint32_t j = 0; j < kItems; ++j) {
    ItemUpdate item;
    item.item = item_name(j);
    if (j % 3 == 0) item.capacity = Capacity{CapacityKind::kSeats, 40.0, {}};
    line.clear();
    encode(Event{wall_now(), "i-" + std::to_string(j), item}, line);
    writer.append(topics.items, item.item, line);
  }
}

void send_request(KafkaWriter& writer, const KafkaTopics& topics, std::size_t number,
                  Asked& asked) {
  Request what;
  what.user = user_name(number % kUsers);
  std::string line;
  encode(Event{wall_now(), "r-" + std::to_string(number), what}, line);
  asked.ask(what.user);
  writer.append(topics.events, what.user, line);
}

void wait_until(const Serve& serve, std::chrono::seconds most, const std::function<bool()>& met) {
  const auto deadline = Clock::now() + most;
  while (!met()) {
    if (Clock::now() > deadline || !serve.runs()) throw Error("headroom serve does not answer");
    std::this_thread::sleep_for(milliseconds(10));
  }
}

// Milliseconds from a request to its list, of a thousand requests each second.
std::vector<double> measure_latency(const Setup& setup) {
  constexpr std::size_t kEachSecond = 1000, kSeconds = 20;
  const KafkaConnection connection = connection_to(setup, "latency");
  create_topics(connection, {kPartitions});
  KafkaWriter writer(connection);
  send_items(writer, connection.topics);
  constexpr std::size_t kBefore = 50'000;
  send_check_ins(writer, connection.topics, kBefore, wall_now() - std::chrono::hours(10),
                 milliseconds(700));
  Serve serve(setup, "latency", topic_settings(connection.topics), false);
  wait_until(serve, std::chrono::seconds(60), [&] { return serve.events() >= kBefore; });

  Asked asked;
  std::atomic<bool> stop = false;
  KafkaTailSettings tail{connection, {connection.topics.lists}, true, false};
  tail.connection.stop = [&] { return stop.load(); };
  std::thread reader([&] {
    OutputDecoder decoder;
    RankedList list;
    tail_kafka(tail, [&](const std::string&, std::string_view line) {
      if (!decoder.decode(line, list)) asked.answer(list.user);
      return true;
    });
  });
  send_request(writer, connection.topics, 0, asked);  // all are connected when it is answered
  wait_until(serve, std::chrono::seconds(30), [&] { return asked.answered() == 1; });

  const auto begin = Clock::now();
  std::size_t sent = 1;
  for (; sent <= kEachSecond * kSeconds; ++sent) {
    std::this_thread::sleep_until(begin +
                                  std::chrono::microseconds(1'000'000 / kEachSecond) * sent);
    send_request(writer, connection.topics, sent, asked);
  }
  writer.flush();
  wait_until(serve, std::chrono::seconds(30), [&] { return asked.answered() == sent; });
  stop = true;
  reader.join();
  serve.stop();
  const double cpu = serve.end();
  std::printf("latency: %zu lists, headroom took %.1f CPU seconds\n", sent - 1, cpu);
  auto waits = asked.waits();
  waits.erase(waits.begin());
  std::sort(waits.begin(), waits.end());
  return waits;
}

// --- All of it ---

double at_share(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

const char* held(bool well) { return well ? "held" : "NOT HELD"; }

int run(const Setup& setup) {
  const KafkaConnection connection = connection_to(setup, "bench");
  create_topics(connection, {kPartitions});
  {
    KafkaWriter writer(connection);
    send_check_ins(writer, connection.topics, setup.records, kStart, milliseconds(700));
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  double bare = kMost, unlearned = kMost, alone = kMost, learned = kMost;
  std::vector<double> shares, extras;  // of each repeat: of bare, and beyond the engine alone
  const double micros = 1e6 / static_cast<double>(setup.records);
  std::printf("CPU microseconds for each record\n%10s %12s %12s %12s %12s\n", "repeat", "bare",
              "no learning", "engine alone", "learning");
  for (int n = 0; n < setup.repeats; ++n) {
    const std::string name = "run-" + std::to_string(n);
    const double a = consume_bare(setup, connection.topics.events);
    const double b =
        serve_all(setup, name + "-unlearned", connection.topics, {"weights.check_in=0"});
    const double c = step_alone(setup);
    const double d = serve_all(setup, name + "-learned", connection.topics, {});
    std::printf("%10d %12.3f %12.3f %12.3f %12.3f\n", n + 1, a * micros, b * micros, c * micros,
                d * micros);
    std::fflush(stdout);
    bare = std::min(bare, a);
    unlearned = std::min(unlearned, b);
    alone = std::min(alone, c);
    learned = std::min(learned, d);
    shares.push_back(a / b);
    extras.push_back((d - c) / a);
  }
  const std::vector<double> waits = measure_latency(setup);
  const double records = static_cast<double>(setup.records);
  std::sort(shares.begin(), shares.end());
  std::sort(extras.begin(), extras.end());
  const double share = at_share(shares, 0.5), extra = at_share(extras, 0.5);
  const double p50 = at_share(waits, 0.5), p99 = at_share(waits, 0.99);
  const bool all = share >= 0.4 && extra <= 2.0 && p99 <= 200.0;
  std::printf("\nbest of %d, medians of their ratios\n", setup.repeats);
  std::printf("  bare consumer, same parse       %9.0f records per CPU second\n", records / bare);
  std::printf(
      "  through Kafka, learning off     %9.0f records per CPU second: %.0f %% of bare, "
      "at least 40 %%: %s\n",
      records / unlearned, 100.0 * share, held(share >= 0.4));
  std::printf("  engine alone                    %9.3f us each\n", alone * micros);
  std::printf(
      "  through Kafka                   %9.3f us each: engine alone and %.2f times bare, "
      "at most 2: %s\n",
      learned * micros, extra, held(extra <= 2.0));
  std::printf(
      "  request to list, 1,000/s        p50 %.1f ms, p99 %.1f ms, most %.1f ms; "
      "p99 at most 200 ms: %s\n",
      p50, p99, waits.back(), held(p99 <= 200.0));
  return all ? 0 : 1;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: bench_kafka ADDRESS HEADROOM FOLDER [RECORDS] [REPEATS]\n", stderr);
    return 2;
  }
  headroom::Setup setup{argv[1], argv[2], argv[3]};
  if (argc > 4) setup.records = std::strtoul(argv[4], nullptr, 10);
  if (argc > 5) setup.repeats = std::atoi(argv[5]);
  try {
    return headroom::run(setup);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_kafka: %s\n", error.what());
    return 2;
  }
}
