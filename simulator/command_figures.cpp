#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/figures.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  std::vector<std::string> data;
  std::string out = "figures";
  ExperimentFlags experiment;
  bool skip_bad = false;
};

StudySet load_set(const std::string& words, const Flags& flags) {
  DataFlags data;
  const std::size_t at = words.find('=');
  data.read.dataset = words.substr(0, at);
  if (at != std::string::npos) {
    data.read.path = words.substr(at + 1);
  } else if (data.read.dataset != "generated") {
    throw Error("--data takes NAME=PATH, e.g. ml-100k=data/ml-100k, not '" + words + "'");
  }
  if (data.read.dataset == "tsv" || data.read.dataset == "csv") {
    throw Error("figures has no column map: bring a table into RecBole's form (recbole=PATH)");
  }
  data.read.skip_bad = flags.skip_bad;
  data.seed = flags.experiment.seed;
  return data.load();
}

void draw_all(FigureInput in) {
  for (const auto draw :
       {draw_stated, draw_settings, draw_maps, draw_rating_tradeoff, draw_ranking_tradeoff,
        draw_training, draw_explicit_tradeoff, draw_surrogates, draw_capacities, draw_propensities,
        draw_precision, draw_baseline}) {
    draw(in);
  }
}

Page new_page(const std::vector<StudySet>& sets, const Experiment& base) {
  std::string names;
  for (const StudySet& set : sets) names += (names.empty() ? "" : ", ") + set.name;
  return Page(
      "Recommendation under Capacity Constraints: the paper's figures",
      "Every figure of the paper on " + names + ", " + std::to_string(base.repeats) +
          " splits each, beside what the paper claims of it. Claims are judged on means; one "
          "that something rises or falls allows a step of one standard deviation the other "
          "way.");
}

void write_numbers(const FigureReport& report, const std::filesystem::path& folder) {
  CsvWriter points(folder / "points.csv",
                   {"figure", "dataset", "series", "x", "metric", "mean", "sd"});
  for (const auto& p : report.points) {
    points.row({p.figure, p.dataset, p.series, p.x, p.metric, p.value.mean, p.value.deviation});
  }
  points.close();
  CsvWriter claims(folder / "claims.csv", {"figure", "dataset", "claim", "held", "measured"});
  for (const auto& judged : report.claims) {
    claims.row({judged.figure, judged.dataset, judged.claim.claim,
                judged.claim.verdict == Verdict::kHeld ? "yes" : "no", judged.claim.measured});
  }
  claims.close();
}

void write_page(const Page& page, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  file << page.html();
  if (!file.flush()) throw Error(path.string() + ": cannot be written");
}

Json manifest_of(const std::vector<StudySet>& sets, const Experiment& base,
                 const std::string& command_line) {
  Json manifest = manifest_head(command_line, base.seed);
  manifest["settings"] = to_json(base);
  for (const StudySet& set : sets) manifest["data"].push_back(data_manifest(set));
  return manifest;
}

// Hours of training should not end at a file that can't be written.
void check_writable(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": " + failure.message());
  for (const char* name : {"index.html", "points.csv", "claims.csv"}) {
    if (std::ofstream(folder / name, std::ios::app)) continue;
    throw Error((folder / name).string() + ": cannot be written");
  }
}

std::vector<StudySet> load_sets(const Flags& flags) {
  std::vector<StudySet> sets;
  for (const std::string& words : flags.data) {
    sets.push_back(load_set(words, flags));
    for (std::size_t other = 0; other + 1 < sets.size(); ++other) {
      if (sets[other].name != sets.back().name) continue;
      throw Error("--data names " + sets.back().name + " twice: one report shows it once");
    }
  }
  return sets;
}

void run_figures(const Flags& flags, const std::string& command_line) {
  const Experiment base = flags.experiment.experiment();
  const std::filesystem::path folder = flags.out;
  check_writable(folder);
  const std::vector<StudySet> sets = load_sets(flags);

  Workers workers(flags.experiment.threads);
  RunBook book(workers);
  FigureReport plan(new_page(sets, base));
  draw_all({sets, base, book, plan});
  book.run_all();
  FigureReport report(new_page(sets, base));
  draw_all({sets, base, book, report});
  report.page.manifest(
      manifest_of(sets, base, command_line).dump(2, ' ', false, Json::error_handler_t::replace));
  write_page(report.page, folder / "index.html");
  write_numbers(report, folder);

  for (const auto& judged : report.claims) {
    std::printf("%-8s figure %-5s %s\n         %s\n",
                judged.claim.verdict == Verdict::kHeld ? "held" : "NOT HELD", judged.figure.c_str(),
                judged.claim.claim.c_str(), judged.claim.measured.c_str());
  }
  std::printf("\n%zu claims held, %zu not held. Report: %s\n", report.page.count(Verdict::kHeld),
              report.page.count(Verdict::kNotHeld), (folder / "index.html").c_str());
}

}  // namespace

void add_figures_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("figures", "every figure of the paper, as one page beside its claims");
  command
      ->add_option("--data", flags->data,
                   "NAME=PATH, e.g. ml-100k=data/ml-100k, as often as wanted; or generated")
      ->required();
  command->add_option("--out", flags->out, "folder for index.html, points.csv and claims.csv")
      ->capture_default_str();
  command->add_flag("--skip-bad", flags->skip_bad, "count and pass malformed lines");
  flags->experiment.add_training_to(*command);
  command->callback([flags, command_line] { run_figures(*flags, command_line); });
}

}  // namespace headroom::sim
