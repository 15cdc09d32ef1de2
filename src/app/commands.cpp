#include "headroom/app/commands.hpp"

#include <cstdio>

#include "headroom/app/server.hpp"
#include "headroom/app/settings.hpp"

namespace headroom {

ConfigFlags::ConfigFlags(CLI::App& command) {
  command.add_option("--config", values_->file, "YAML file; the built-in defaults without one");
  command.add_option("--set", values_->assignments, "KEY=VALUE over the file, e.g. learner.rank=8")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--folder", values_->folder, "short for --set folder=...");
  command.add_option("--kafka", values_->kafka,
                     "HOST:PORT,...: short for source.kind and sink.kind kafka with these "
                     "kafka.bootstrap.servers");
}

Options ConfigFlags::options() const {
  Options options;
  if (!values_->file.empty()) read_config(values_->file, options);
  for (const auto& assignment : values_->assignments) read_override(assignment, options);
  if (!values_->folder.empty()) options.folder = values_->folder;
  if (!values_->kafka.empty()) {
    options.source = SourceKind::kKafka;
    options.sink = SinkKind::kKafka;
    read_override("kafka.bootstrap.servers=" + values_->kafka, options);
  }
  check_together(options);
  return options;
}

void add_serve_command(CLI::App& app) {
  auto* command = app.add_subcommand("serve", "reads events, learns, answers with lists");
  const ConfigFlags config(*command);
  auto flags = std::make_shared<ServeFlags>();
  command->add_flag("--until-end", flags->until_end, "stop when everything there is was taken");
  command->add_flag("--reset", flags->reset,
                    "Kafka: where records are gone, or a topic was made anew, go on with what is "
                    "there");
  command->add_flag("--rebuild", flags->rebuild,
                    "Kafka: the state store is lost: make it again from the topics, then go on");
  command->add_flag("--new-partitions", flags->new_partitions,
                    "Kafka: the topic of events may have more partitions than before");
  command->callback([config, flags] { serve(config.options(), *flags); });
}

void add_config_command(CLI::App& app) {
  auto* command = app.add_subcommand("config", "the configuration");
  command->require_subcommand(1);
  auto* check = command->add_subcommand("check", "says whether it is good");
  const ConfigFlags checked(*check);
  check->callback([checked] {
    checked.options();
    std::puts("The configuration is good.");
  });
  auto* print = command->add_subcommand("print", "every key with its value and what it means");
  const ConfigFlags printed(*print);
  print->callback([printed] { std::fputs(print_config(printed.options()).c_str(), stdout); });
}

}  // namespace headroom
