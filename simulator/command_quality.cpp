#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/contenders.hpp"
#include "simulator/engine_flags.hpp"
#include "simulator/event_stream.hpp"
#include "simulator/given.hpp"
#include "simulator/progress.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  DataFlags data;
  EngineFlags engine;
  StreamOptions stream;
  Protocol protocol;
  std::optional<double> alpha;
  std::string capacity, propensity;
  bool no_hr = false, no_speed = false, json = false;

  void add_to(CLI::App& app);
};

void Flags::add_to(CLI::App& app) {
  data.add_source_to(app);
  app.add_option(
         "--min-count", data.min_count,
         "leave out pairs whose user or item has fewer than this many (default: the paper's "
         "filter where it has one for the set)")
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
  app.add_option("--alpha", alpha, "pressure.alpha: 0 taste alone, 1 capacity alone");
  app.add_option("--capacity", capacity, "the paper's capacities; none without it")
      ->type_name("actual|binning|uniform-K|linear-max|linear-mean|reverse-binning");
  app.add_option("--propensity", propensity,
                 "the paper's listen propensities, with all users active; as estimated without it")
      ->type_name("actual|median|linear|liked");
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
          {"early_count_hr10", count.early.hr10},
          {"calibration_error", engine.calibration_error}};
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
  const Given from_paper = given(flags.capacity, flags.propensity, data, options.seed);
  EngineOptions engine_options = options.engine;
  from_paper.give_to(engine_options);
  EngineContender engine(data, engine_options, workers, from_paper.capacity);
  CountContender count(data.items.size());
  Contender* const contenders[] = {&engine, &count};
  Json out = figures_of(judge_with_progress(data, stream, contenders, protocol, workers),
                        data.items.size());
  if (!from_paper.capacity.empty()) {
    engine.engine().expect_usage();
    out["capacity_loss"] = engine.engine().capacity_loss();
    out["usage_error"] = engine.engine().state().pressure.error();
  }
  if (!flags.no_speed) {
    add_speed(out,
              time_learning(data, stream, protocol.batch_seconds, engine_options, workers,
                            from_paper.capacity),
              stream.size());
  }
  out["rejected_steps"] = engine.engine().state().learner.rejected_steps();
  return out;
}

Json settings_of(const Flags& flags, const Options& options) {
  return {{"min_count", flags.data.prepare_options().min_count},
          {"first_visits", flags.stream.first_visits},
          {"limit", flags.stream.limit},
          {"batch_seconds", flags.protocol.batch_seconds},
          {"capacity", flags.capacity},
          {"propensity", flags.propensity},
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
  std::printf("  calibration error of the chances, second half: %.4f\n",
              number("calibration_error"));
  if (result.contains("capacity_loss")) {
    std::printf("  capacity loss after the last event: %.4f\n", number("capacity_loss"));
  }
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
    Options options = flags->engine.options();
    if (flags->alpha) {
      check_range("--alpha", *flags->alpha, 0.0, 1.0);
      options.engine.pressure.alpha = static_cast<float>(*flags->alpha);
    }
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
