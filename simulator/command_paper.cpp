#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "simulator/cli.hpp"
#include "simulator/progress.hpp"

namespace headroom::sim {
namespace {

std::vector<Measured> run_with_progress(const Ratings& ratings, const Experiment& experiment,
                                        Workers& workers) {
  ProgressBar bar("at most");
  return run_experiment(ratings, experiment, workers, [&](const RunProgress& now) {
    const double part =
        static_cast<double>(now.iteration) / static_cast<double>(experiment.training.iterations);
    char words[96];
    std::snprintf(words, sizeof words, "repeat %zu/%zu, iteration %zu, objective %.4f",
                  now.repeat + 1, experiment.repeats, now.iteration, now.objective);
    bar.show((static_cast<double>(now.repeat) + part) / static_cast<double>(experiment.repeats),
             words);
  });
}

Json list_figures(const std::vector<Measured>& runs, Measured::ByTop Measured::*lists,
                  std::size_t t) {
  Json out;
  for (const auto& [name, member] : figures_of_lists()) {
    out[std::string(name)] = to_json(
        spread_over(runs, [&, m = member](const Measured& run) { return (run.*lists)[t].*m; }));
  }
  return out;
}

Json to_json(const Ratings& ratings, const std::vector<Measured>& runs) {
  Json out = {{"users", ratings.users.size()},
              {"items", ratings.items.size()},
              {"ratings", ratings.size()},
              {"tiles", ratings.geography ? Json(ratings.geography->tiles.size()) : Json()}};
  for (const Figure& figure : figures_of_run()) {
    out[std::string(figure.name)] = to_json(spread_over(runs, figure.of));
  }
  out.update(list_figures(runs, &Measured::lists, kTops.size() - 1));
  for (std::size_t t = 0; t < kTops.size(); ++t) {
    const std::string top = std::to_string(kTops[t]);
    out["at"][top] = list_figures(runs, &Measured::lists, t);
    out["test_items_at"][top] = list_figures(runs, &Measured::test_lists, t);
  }
  out["iterations"] = to_json(spread_over(runs, [](const Measured& m) { return m.iterations; }));
  double seconds = 0.0;
  for (const Measured& run : runs) seconds += run.seconds;
  out["seconds"] = seconds;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  out["peak_megabytes"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  return out;
}

void print_words(const Json& result, const Experiment& experiment) {
  const std::string cap = experiment.training.alpha > 0.0F ? "Cap-" : "";
  std::printf("%s%s, alpha %g, %zu repeat%s: %s users, %s items, %s ratings\n", cap.c_str(),
              std::string(to_string(experiment.method)).c_str(),
              static_cast<double>(experiment.training.alpha), experiment.repeats,
              experiment.repeats == 1 ? "" : "s", result["users"].dump().c_str(),
              result["items"].dump().c_str(), result["ratings"].dump().c_str());
  const auto show = [&](const char* label, const Json& value) {
    std::printf("  %-28s %10.5f", label, value["mean"].get<double>());
    const double deviation = value["sd"].get<double>();
    if (std::isfinite(deviation)) std::printf("  +- %.5f", deviation);
    std::printf("\n");
  };
  show("RMSE", result["rmse"]);
  show("0/1 pairwise loss", result["pairwise"]);
  show("capacity loss", result["capacity_loss"]);
  show("overall objective", result["objective"]);
  std::printf("  %-31s", "lists of the whole catalogue");
  for (const auto& [top, lists] : result["at"].items()) std::printf("%10s", ("@" + top).c_str());
  for (const auto& [name, member] : figures_of_lists()) {
    const std::string metric(name);
    std::printf("\n    %-29s", metric.c_str());
    for (const auto& [top, lists] : result["at"].items()) {
      std::printf("%10.5f", lists[metric]["mean"].get<double>());
    }
  }
  std::printf("\n  %-31s", "lists of test items only");
  std::printf("\n    %-29s", "ap");
  for (const auto& [top, lists] : result["test_items_at"].items()) {
    std::printf("%10.5f", lists["ap"]["mean"].get<double>());
  }
  std::printf("\n");
  std::printf("  %.0f iterations in the mean, %.2f s of training in all\n",
              result["iterations"]["mean"].get<double>(), result["seconds"].get<double>());
}

}  // namespace

void add_paper_command(CLI::App& app, const std::string& command_line) {
  struct Flags {
    DataFlags data;
    ExperimentFlags experiment;
    bool json = false;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("paper", "one experiment of the paper");
  flags->data.add_to(*command);
  flags->experiment.add_to(*command);
  command->add_flag("--json", flags->json, "one object on standard output");
  command->callback([flags, command_line] {
    const Experiment experiment = flags->experiment.experiment();
    flags->data.seed = experiment.seed;
    const StudySet set = flags->data.load();
    Workers workers(flags->experiment.threads);
    Json result = to_json(set.ratings, run_with_progress(set.ratings, experiment, workers));
    if (!flags->json) return print_words(result, experiment);
    Json& manifest = result["manifest"] = manifest_head(command_line, experiment.seed);
    manifest["threads"] = workers.threads();
    manifest["settings"] = to_json(experiment);
    manifest["data"] = data_manifest(set);
    std::cout << one_line(result) << '\n';
  });
}

}  // namespace headroom::sim
