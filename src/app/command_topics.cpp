#include <cstdio>

#include "headroom/app/commands.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/stop_signals.hpp"
#include "headroom/base/error.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom {

namespace {

EdgeFlags edge() {
  return {.notice = print_notice, .stop = [] { return stop_requested().load(); }};
}

void need_kafka(const Options& options) {
  if (options.source == SourceKind::kKafka) return;
  throw Error("Kafka is not configured: source.kind kafka, or --kafka HOST:PORT");
}

void create(const Options& options, const KafkaTopicPlan& plan) {
  need_kafka(options);
  for (const auto& line : create_topics(kafka_connection(options, edge()), plan)) {
    std::puts(line.c_str());
  }
}

void check(const Options& options) {
  need_kafka(options);
  const auto wrong = check_topics(kafka_connection(options, edge()));
  for (const auto& line : wrong) std::puts(line.c_str());
  if (!wrong.empty()) throw Error("the topics are not as they should be");
  std::puts("The topics are good.");
}

struct TailFlags {
  bool lists = false, dead_letters = false, from_begin = false, until_end = false;
};

void tail(const Options& options, const TailFlags& flags) {
  need_kafka(options);
  KafkaTailSettings settings;
  settings.connection = kafka_connection(options, edge());
  if (flags.lists || !flags.dead_letters) settings.topics.push_back(options.topics.lists);
  if (flags.dead_letters || !flags.lists) settings.topics.push_back(options.topics.dead_letters);
  settings.from_begin = flags.from_begin;
  settings.until_end = flags.until_end;
  tail_kafka(settings, [](const std::string&, std::string_view line) {
    const bool written = std::printf("%.*s\n", static_cast<int>(line.size()), line.data()) > 0;
    return written && std::fflush(stdout) == 0;
  });
}

}  // namespace

void add_topics_command(CLI::App& app) {
  auto* command = app.add_subcommand("topics", "Kafka's topics");
  command->require_subcommand(1);
  auto* made = command->add_subcommand("create", "makes those that are not there");
  const ConfigFlags config(*made);
  auto plan = std::make_shared<KafkaTopicPlan>();
  made->add_option("--partitions", plan->partitions, "of the events and the lists")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  made->add_option("--replication", plan->replication, "copies of each; -1: the cluster's default")
      ->check(CLI::Range(-1, 100))
      ->capture_default_str();
  made->callback([config, plan] {
    watch_stop_signals();
    create(config.options(), *plan);
  });
  auto* checked = command->add_subcommand("check", "says whether they are as they should be");
  const ConfigFlags check_config(*checked);
  checked->callback([check_config] {
    watch_stop_signals();
    check(check_config.options());
  });
}

void add_tail_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("tail", "shows lists and dead letters as they come from Kafka");
  const ConfigFlags config(*command);
  auto flags = std::make_shared<TailFlags>();
  command->add_flag("--lists", flags->lists, "only lists");
  command->add_flag("--dead-letters", flags->dead_letters, "only dead letters");
  command->add_flag("--from-beginning", flags->from_begin, "also those that are there already");
  command->add_flag("--until-end", flags->until_end, "stop when all that is there was shown");
  command->callback([config, flags] {
    watch_stop_signals();
    tail(config.options(), *flags);
  });
}

}  // namespace headroom
