#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "simulator/cli.hpp"
#include "simulator/engine_flags.hpp"
#include "simulator/epochs.hpp"
#include "simulator/progress.hpp"

namespace headroom::sim {
namespace {

struct Target {
  const char* name;
  double auc;
};
constexpr Target kTargets[] = {{"0.90", 0.90}, {"0.92", 0.92}, {"0.925", 0.925}};

struct Flags {
  DataFlags data;
  EngineFlags engine;
  EpochsOptions run;
  bool json = false;
};

EpochsRun run_with_progress(const Ratings& ratings, const EpochsOptions& options,
                            Workers& workers) {
  ProgressBar bar("about");
  return run_epochs(ratings, options, workers, [&](const EpochsPoint& now) {
    char words[64];
    std::snprintf(words, sizeof words, "epoch %g, AUC %.4f", now.epoch, now.auc);
    bar.show(now.epoch / static_cast<double>(options.epochs), words);
  });
}

// Null where it was never met.
Json seconds_to(double auc, const std::vector<EpochsPoint>& points) {
  const auto met = std::find_if(points.begin(), points.end(),
                                [auc](const EpochsPoint& point) { return point.auc >= auc; });
  return met == points.end() ? Json() : Json(met->cpu_seconds);
}

Json figures_of(const EpochsRun& run, const Ratings& ratings) {
  const auto best =
      std::max_element(run.points.begin(), run.points.end(),
                       [](const EpochsPoint& a, const EpochsPoint& b) { return a.auc < b.auc; });
  Json out = {{"users", ratings.users.size()},
              {"items", ratings.items.size()},
              {"train", run.train},
              {"test", run.test},
              {"tested_users", run.tested_users}};
  for (const Target& target : kTargets) {
    out["cpu_seconds_to"][target.name] = seconds_to(target.auc, run.points);
  }
  out["best_auc"] = best->auc;
  out["best_epoch"] = best->epoch;
  out["epochs"] = run.points.back().epoch;
  out["cpu_seconds"] = run.points.back().cpu_seconds;
  for (const EpochsPoint& point : run.points) {
    out["points"].push_back(
        {{"epoch", point.epoch}, {"cpu_seconds", point.cpu_seconds}, {"auc", point.auc}});
  }
  out["rejected_steps"] = run.rejected_steps;
  return out;
}

void print_words(const Json& result) {
  std::printf("%s pairs learned, %s tested of %s users\n", result["train"].dump().c_str(),
              result["test"].dump().c_str(), result["tested_users"].dump().c_str());
  for (const auto& [name, seconds] : result["cpu_seconds_to"].items()) {
    std::printf("  to test AUC %-6s ", name.c_str());
    if (seconds.is_null()) {
      std::printf("not met\n");
    } else {
      std::printf("%8.3f s of CPU\n", seconds.get<double>());
    }
  }
  std::printf("  best %.4f after %g epochs; %g epochs took %.3f s of CPU\n",
              result["best_auc"].get<double>(), result["best_epoch"].get<double>(),
              result["epochs"].get<double>(), result["cpu_seconds"].get<double>());
}

}  // namespace

void add_epochs_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "epochs", "the online learner over one half several times: CPU time to a test AUC");
  flags->data.add_to(*command);
  command->add_option("--epochs", flags->run.epochs)->check(check_whole)->capture_default_str();
  flags->engine.add_to(*command);
  command->add_flag("--json", flags->json, "one object on standard output");
  command->callback([flags, command_line] {
    check_range("--epochs", static_cast<double>(flags->run.epochs), 1, 10'000);
    const Options options = flags->engine.options();
    flags->run.learner = options.engine.learner;
    flags->data.seed = flags->run.seed = options.seed;
    const StudySet set = flags->data.load();
    Workers workers(options.threads);
    Json result = figures_of(run_with_progress(set.ratings, flags->run, workers), set.ratings);
    if (!flags->json) return print_words(result);
    Json& manifest = result["manifest"] = manifest_head(command_line, options.seed);
    manifest["threads"] = workers.threads();
    manifest["settings"] = {{"epochs", flags->run.epochs}, {"engine", engine_settings(options)}};
    manifest["data"] = data_manifest(set);
    std::cout << one_line(result) << '\n';
  });
}

}  // namespace headroom::sim
