#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/contenders.hpp"
#include "simulator/engine_flags.hpp"
#include "simulator/event_stream.hpp"
#include "simulator/progress.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  DataFlags data;
  EngineFlags engine;
  StreamOptions stream;
  Protocol protocol;
  bool no_hr = false, no_speed = false, json = false;

  void add_to(CLI::App& app);
};

void Flags::add_to(CLI::App& app) {
  data.add_source_to(app);
  app.add_option("--min-count", data.min_count,
                 "leave out pairs whose user or item has fewer than this many (default: none)")
      ->check(check_whole);
  app.add_flag("--first-visits", stream.first_visits,
               "only the first event of each user with each item");
  app.add_option("--batch-seconds", protocol.batch_seconds,
                 "events this close to a batch's first are all judged before any is learned; 0: "
                 "each just before it is learned")
      ->capture_default_str();
  app.add_option("--limit", stream.limit, "the first so many events; 0: all")
      ->check(check_whole)
      ->capture_default_str();
  app.add_flag("--no-hr", no_hr, "pairs only: leave out HR@10, which takes most of the time");
  app.add_flag("--no-speed", no_speed, "leave out the second pass, which is for the time only");
  engine.add_to(app);
  app.add_flag("--json", json, "one object on standard output");
}

Quality judge_with_progress(const Dataset& data, std::span<const Interaction> stream,
                            std::span<Contender* const> contenders, const Protocol& protocol,
                            Workers& workers) {
  ProgressBar bar("about");
  return judge(data, stream, contenders, protocol, workers, [&](std::size_t events) {
    bar.show(static_cast<double>(events) / static_cast<double>(stream.size()), "judging");
  });
}

Json figures_of(const Quality& quality, std::size_t items) {
  const auto& [engine, count] = std::pair(quality.of.at(0), quality.of.at(1));
  return {{"events", quality.events},
          {"users", quality.users},
          {"items", items},
          {"auc", engine.all.auc},
          {"auc_second_half", engine.second_half.auc},
          {"hr10", engine.all.hr10},
          {"hr10_second_half", engine.second_half.hr10},
          {"count_auc", count.all.auc},
          {"count_auc_second_half", count.second_half.auc},
          {"count_hr10", count.all.hr10},
          {"count_hr10_second_half", count.second_half.hr10},
          {"early_events", quality.early_events},
          {"early_auc", engine.early.auc},
          {"early_hr10", engine.early.hr10},
          {"early_count_auc", count.early.auc},
          {"early_count_hr10", count.early.hr10}};
}

void add_speed(Json& out, const LearningTime& time, std::size_t events) {
  out["events_per_second"] = static_cast<double>(events) / time.seconds;
  out["seconds"] = time.seconds;
  out["cpu_seconds"] = time.cpu_seconds;
}

Json run(const Flags& flags, const Dataset& data, const Options& options, Workers& workers) {
  const auto stream = event_stream(data, flags.stream);
  if (stream.empty()) throw Error(data.name + ": there is no event");
  Protocol protocol = flags.protocol;
  protocol.hits = !flags.no_hr;
  protocol.seed = options.seed;
  EngineContender engine(data, options.engine, workers);
  CountContender count(data.items.size());
  Contender* const contenders[] = {&engine, &count};
  Json out = figures_of(judge_with_progress(data, stream, contenders, protocol, workers),
                        data.items.size());
  if (!flags.no_speed) {
    add_speed(out, time_learning(data, stream, protocol.batch_seconds, options.engine, workers),
              stream.size());
  }
  out["rejected_steps"] = engine.engine().state().learner.rejected_steps();
  return out;
}

Json settings_of(const Flags& flags, const Options& options) {
  return {{"min_count", flags.data.min_count.value_or(0)},
          {"first_visits", flags.stream.first_visits},
          {"limit", flags.stream.limit},
          {"batch_seconds", flags.protocol.batch_seconds},
          {"engine", engine_settings(options)}};
}

void print_words(const Json& result) {
  const auto number = [&](const char* key) { return result[key].get<double>(); };
  std::printf("%.0f events of %.0f users, %.0f items\n", number("events"), number("users"),
              number("items"));
  const auto row = [&](const char* label, const char* auc, const char* count_auc, const char* hr,
                       const char* count_hr) {
    std::printf("  %-22s %10.4f %10.4f", label, number(auc), number(count_auc));
    if (std::isfinite(number(hr))) std::printf(" %10.4f %10.4f", number(hr), number(count_hr));
    std::printf("\n");
  };
  std::printf("  %-22s %10s %10s %10s %10s\n", "", "AUC", "count's", "HR@10", "count's");
  row("all events", "auc", "count_auc", "hr10", "count_hr10");
  row("second half", "auc_second_half", "count_auc_second_half", "hr10_second_half",
      "count_hr10_second_half");
  row("a user's events 2 to 5", "early_auc", "early_count_auc", "early_hr10", "early_count_hr10");
  if (result.contains("seconds")) {
    std::printf("  learning alone: %.0f events/s (%.2f s, %.2f s of CPU)\n",
                number("events_per_second"), number("seconds"), number("cpu_seconds"));
  }
  if (number("rejected_steps") > 0) {
    std::printf("  steps left out, not finite: %.0f\n", number("rejected_steps"));
  }
}

}  // namespace

void add_quality_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("quality",
                                         "the live engine on a data set: every event predicted, "
                                         "then learned");
  flags->add_to(*command);
  command->callback([flags, command_line] {
    check_range("--batch-seconds", flags->protocol.batch_seconds, 0.0, 86'400.0);
    const Options options = flags->engine.options();
    flags->data.seed = options.seed;
    const Dataset data = flags->data.load_events();
    Workers workers(options.threads);
    Json result = run(*flags, data, options, workers);
    if (!flags->json) return print_words(result);
    Json& manifest = result["manifest"] = manifest_head(command_line, options.seed);
    manifest["threads"] = workers.threads();
    manifest["settings"] = settings_of(*flags, options);
    manifest["data"] = data_manifest(flags->data.read.dataset, data);
    std::cout << one_line(result) << '\n';
  });
}

}  // namespace headroom::sim
