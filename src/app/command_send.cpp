#include <fcntl.h>
#include <unistd.h>

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

Spooled send_at_pace(const File& file, double speed, LogWriter& log, const Router& route) {
  Pace pace(speed);
  Spooled sent;
  FILE* const in = fdopen(dup(file.fd()), "r");
  if (in == nullptr) file.fail("open");
  const std::unique_ptr<FILE, int (*)(FILE*)> closing(in, std::fclose);
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t length; !stop_requested() && (length = getline(&line, &room, in)) > 0;) {
    std::string_view record(line, static_cast<std::size_t>(length));
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.empty()) continue;
    pace.wait_for(record);
    const auto [topic, partition] = route(record);
    log.append(topic, partition, std::span(&record, 1));
    ++sent.records;
    sent.bytes += static_cast<std::uint64_t>(length);
  }
  std::free(line);
  if (std::ferror(in) != 0) file.fail("read");
  return sent;
}

void send(const Options& options, const SendFlags& flags) {
  watch_stop_signals();
  const File file = flags.file == "-" ? File("/dev/stdin", O_RDONLY) : File(flags.file, O_RDONLY);
  LogWriter log(log_folder(options), options.partitions, options.segment_bytes);
  const Router route = make_router(log.partitions());
  const Spooled sent = flags.speed > 0 ? send_at_pace(file, flags.speed, log, route)
                                       : spool(file.fd(), flags.file, log, route);
  std::printf("%llu records, %llu bytes, are on disk in %s\n",
              static_cast<unsigned long long>(sent.records),
              static_cast<unsigned long long>(sent.bytes), log_folder(options).c_str());
}

}  // namespace

void add_send_command(CLI::App& app) {
  auto* command = app.add_subcommand("send", "appends events to the local log");
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
