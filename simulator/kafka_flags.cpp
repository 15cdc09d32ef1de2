#include "simulator/kafka_flags.hpp"

#include <cmath>

#include "headroom/app/edges.hpp"
#include "headroom/app/settings.hpp"
#include "headroom/base/error.hpp"
#include "simulator/fields.hpp"

namespace headroom::sim {
namespace {

// A range lets it pass.
std::string check_number(const std::string& words) {
  const auto number = parse_number(words);
  return number && std::isfinite(*number) ? "" : "a number is wanted";
}

}  // namespace

void KafkaFlags::add_to(CLI::App& app, const std::string& passing) {
  app.add_option("--speed", speed,
                 passing +
                     " so many times as fast as real time: 1, or 60 for an hour a minute; 0 "
                     "(the default): as fast as it goes")
      ->check(CLI::Range(0.0, 1e9))
      ->check(check_number);
  app.add_option("--kafka", broker,
                 "HOST:PORT,...: all events get to the engine and all lists to the people through "
                 "this broker, in topics of the run's own; the lists are the same")
      ->check([](const std::string& words) { return words.empty() ? "an address is wanted" : ""; })
      ->group("Kafka");
  app.add_flag("--keep-topics", keep_topics, "do not delete them at the end")->group("Kafka");
}

RunWay KafkaFlags::way(Options options) const {
  if (!broker) {
    if (keep_topics) throw Error("--keep-topics: there are topics only with --kafka");
    return {speed, std::nullopt, false};
  }
  read_override("kafka.bootstrap.servers=" + *broker, options);
  watch_stop_signals();
  const auto stop = [] { return stop_requested().load(); };
  return {speed, kafka_connection(options, {.notice = print_notice, .stop = stop}), keep_topics};
}

}  // namespace headroom::sim
