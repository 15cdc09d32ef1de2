#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulator/experiment.hpp"
#include "simulator/readers.hpp"
#include "simulator/study_set.hpp"

namespace headroom::sim {

using Json = nlohmann::ordered_json;

// The flags that say which data set is meant, the same for every command.
struct DataFlags {
  ReadOptions read;
  std::string columns, place_columns, header = "auto", time_format, places;
  std::optional<std::size_t> min_count;
  int level = 15;
  double width = 1.0;
  static constexpr std::size_t kCityUsers = 600, kCityItems = 500;
  std::size_t users = kCityUsers, items = kCityItems;  // of the generated city
  std::uint64_t seed = 1;                              // set by the command: of the generated city

  void add_to(CLI::App& app);         // all of them
  void add_source_to(CLI::App& app);  // without the filter and the map, which are the paper's
  // Both read and print what deserves a warning to standard error.
  StudySet load() const;        // distinct pairs, with the filter
  Dataset load_events() const;  // every event, with the same filter
  // The paper's filter where it has one for the set, unless min_count says another.
  PrepareOptions prepare_options() const;

 private:
  Dataset read_data() const;
};

// The flags of one experiment of the paper.
struct ExperimentFlags {
  std::string method = "pmf", capacity = "actual", propensity = "actual", loss = "logistic",
              feedback = "implicit";
  double alpha = 0.2, temperature = 1.0, l2 = 1e-5, step = 1.0, tolerance = 1e-5;
  std::size_t rank = 10, iterations = 3000, repeats = 5, threads = 0;
  std::uint64_t seed = 1;
  bool post_process = false;

  void add_to(CLI::App& app);           // all of them
  void add_training_to(CLI::App& app);  // those that every figure of the paper shares
  Experiment experiment() const;        // Error names the flag and what it takes
};

// For flags of unsigned numbers: empty, or why `words` is none. CLI11 lets -1 wrap around.
std::string check_whole(const std::string& words);

// Refuses a number that is not finite or not in [low, high].
void check_range(const std::string& flag, double value, double low, double high);

Json to_json(const Spread& spread);
Json to_json(const Experiment& experiment);
Json data_manifest(const std::string& name, const Dataset& data);
Json data_manifest(const StudySet& set);
std::string one_line(const Json& value);  // a byte that is no UTF-8 (of a file's name) is replaced
std::string version();

// What every manifest begins with.
Json manifest_head(const std::string& command_line, std::uint64_t seed);

// All commands but `run`, which begins one of them.
void add_commands(CLI::App& app, const std::string& command_line);
void add_run_command(CLI::App& app);
// Each adds its subcommand; the callback runs it. The command line goes into the manifest.
void add_data_command(CLI::App& app, const std::string& command_line);
void add_paper_command(CLI::App& app, const std::string& command_line);
void add_figures_command(CLI::App& app, const std::string& command_line);
void add_quality_command(CLI::App& app, const std::string& command_line);
void add_epochs_command(CLI::App& app, const std::string& command_line);
void add_allot_command(CLI::App& app, const std::string& command_line);
void add_risk_command(CLI::App& app, const std::string& command_line);
void add_replay_command(CLI::App& app, const std::string& command_line);
void add_live_command(CLI::App& app, const std::string& command_line);
void add_generate_command(CLI::App& app, const std::string& command_line);
void add_evening_command(CLI::App& app, const std::string& command_line);
void add_events_command(CLI::App& app);

}  // namespace headroom::sim
