#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "headroom/app/commands.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/stop_signals.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/file.hpp"

namespace headroom {

namespace {

struct SendFlags {
  std::string file = "-";
  double speed = 0.0;  // 0: as fast as it goes
};

bool is_stopping() { return stop_requested(); }

// Lets records pass at a multiple of their own time: waits until the time between the first record
// and this one has gone by, divided by the speed.
class Pace {
 public:
  explicit Pace(double speed) : speed_(speed), decode_(make_decode()) {}

  void wait_for(std::string_view record) {
    if (decode_(record, event_)) return;  // it becomes a dead letter; its time is not known
    if (!first_) {
      first_ = event_.at;
      begun_ = Clock::now();
    }
    const std::chrono::duration<double, std::milli> after = event_.at - *first_;
    const auto due = begun_ + std::chrono::duration_cast<Clock::duration>(after / speed_);
    while (Clock::now() < due && !stop_requested()) {
      std::this_thread::sleep_for(std::min<Clock::duration>(due - Clock::now(), kLook));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLook{50};
  double speed_;
  Decode decode_;
  Event event_;
  std::optional<Time> first_;
  Clock::time_point begun_;
};

Spooled send_at_pace(int fd, const std::string& name, double speed, LogWriter& log,
                     const Router& route) {
  Pace pace(speed);
  Spooled sent;
  sent.to_the_end = each_line(fd, name, is_stopping, [&](std::string_view record) {
    pace.wait_for(record);
    if (is_stopping()) return;
    const auto [topic, partition] = route(record);
    try {
      log.append(topic, partition, std::span(&record, 1));
    } catch (const Stopped&) {
      return;
    }
    ++sent.records;
    sent.bytes += record.size() + 1;
  });
  return sent;
}

// Every record is acknowledged by the broker, or this fails.
Spooled send_to_kafka(int fd, const std::string& name, const Options& options, double speed) {
  KafkaWriter writer(kafka_connection(options, {.notice = print_notice, .stop = is_stopping}));
  KafkaRouter route(options.topics);
  std::optional<Pace> pace;
  if (speed > 0) pace.emplace(speed);
  Spooled sent;
  sent.to_the_end = each_line(fd, name, is_stopping, [&](std::string_view record) {
    if (pace) pace->wait_for(record);
    if (is_stopping()) return;
    const auto [topic, key] = route(record);
    writer.append(topic, key, record);
    ++sent.records;
    sent.bytes += record.size();
  });
  writer.flush();
  return sent;
}

void send(const Options& options, const SendFlags& flags) {
  // A pipe that nobody writes to holds up its opening: until then a signal simply ends us.
  const bool standard = flags.file == "-";
  const File file = standard ? File() : File(flags.file, O_RDONLY);
  const int fd = standard ? STDIN_FILENO : file.fd();
  const std::string name = standard ? "standard input" : flags.file;
  if (options.source == SourceKind::kKafka) {
    watch_stop_signals();
    const Spooled sent = send_to_kafka(fd, name, options, flags.speed);
    std::printf("%llu records, %llu bytes, are acknowledged by Kafka\n",
                static_cast<unsigned long long>(sent.records),
                static_cast<unsigned long long>(sent.bytes));
    if (!sent.to_the_end) throw Error(name + ": stopped by a signal before its end");
    return;
  }
  LogWriter log(log_folder(options), options.partitions, options.segment_bytes, is_stopping);
  const Router route = make_router(log.partitions());
  watch_stop_signals();
  const Spooled sent = flags.speed > 0 ? send_at_pace(fd, name, flags.speed, log, route)
                                       : spool(fd, name, log, route, {}, is_stopping);
  std::printf("%llu records, %llu bytes, are on disk in %s\n",
              static_cast<unsigned long long>(sent.records),
              static_cast<unsigned long long>(sent.bytes), log_folder(options).c_str());
  if (!sent.to_the_end) throw Error(name + ": stopped by a signal before its end");
}

}  // namespace

void add_send_command(CLI::App& app) {
  auto* command = app.add_subcommand("send", "appends events to the local log, or to Kafka");
  const ConfigFlags config(*command);
  auto flags = std::make_shared<SendFlags>();
  command->add_option("file", flags->file, "lines of JSON; - is standard input (the default)");
  command
      ->add_option("--speed", flags->speed,
                   "replay at this multiple of the records' own time; without: as fast as it goes")
      ->check(CLI::Range(1e-6, 1e9))
      ->check([](const std::string& text) {  // a range lets it pass
        return std::isnan(std::strtod(text.c_str(), nullptr)) ? "a number is wanted" : "";
      });
  command->callback([config, flags] { send(config.options(), *flags); });
}

}  // namespace headroom
