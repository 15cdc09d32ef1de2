#include "simulator/cli.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "headroom/base/error.hpp"
#include "simulator/event_stream.hpp"
#include "simulator/generated.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kPaperMinCount = 10;

std::vector<std::string> split_list(const std::string& words) {
  std::vector<std::string> parts;
  std::stringstream stream(words);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Header parse_header(const std::string& words) {
  if (words == "auto") return Header::kAuto;
  if (words == "yes") return Header::kYes;
  if (words == "no") return Header::kNo;
  throw Error("--header is auto, yes or no, not '" + words + "'");
}

std::string known_datasets() {
  std::string names = "generated";
  for (const DatasetName& entry : dataset_names()) names += ", " + entry.name;
  return names;
}

void warn_of(const Dataset& data) {
  for (const std::string& warning : data.warnings) {
    std::fprintf(stderr, "headroom-sim: warning: %s\n", warning.c_str());
  }
}

std::string short_number(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace

std::string check_whole(const std::string& words) {
  std::uint64_t value = 0;
  const char* end = words.data() + words.size();
  const auto [stop, failure] = std::from_chars(words.data(), end, value);
  if (failure == std::errc{} && stop == end) return {};
  return "not a whole number of 0 or more: " + words;
}

void check_range(const std::string& flag, double value, double low, double high) {
  if (std::isfinite(value) && value >= low && value <= high) return;
  throw Error(flag + " must be a number from " + short_number(low) + " to " + short_number(high) +
              ", not " + short_number(value));
}

void DataFlags::add_source_to(CLI::App& app) {
  app.add_option("--dataset", read.dataset, "one of " + known_datasets())->required();
  app.add_option("--path", read.path, "the data set's file or folder");
  app.add_option("--columns", columns,
                 "tsv, csv: roles in order, or role=HEADER NAME: "
                 "user,item,value,time,lat,lon, - to pass one");
  app.add_option("--places", places, "tsv, csv: a file with the items' coordinates or seats");
  app.add_option(
      "--place-columns", place_columns,
      "its columns: item,lat,lon,capacity,dwell (seats; minutes); lat,lon or capacity are "
      "needed, - to pass one");
  app.add_option("--header", header, "tsv, csv: does line 1 name the columns?")
      ->type_name("auto|yes|no")
      ->capture_default_str();
  app.add_option("--time-format", time_format, "tsv, csv: as strptime, in UTC");
  app.add_flag("--skip-bad", read.skip_bad, "count and pass malformed lines");
  app.add_option("--users", users, "generated: how many users")
      ->check(check_whole)
      ->capture_default_str();
  app.add_option("--items", items, "generated: how many items")
      ->check(check_whole)
      ->capture_default_str();
}

void DataFlags::add_to(CLI::App& app) {
  add_source_to(app);
  app.add_option("--min-count", min_count,
                 "keep pairs whose user and item both have this many (default: 10 for the named "
                 "sets of check-ins, else all)")
      ->check(check_whole);
  app.add_option("--level", level, "level of detail of the map's tiles")->capture_default_str();
  app.add_option("--width", width, "width of the influence kernel, in tiles")
      ->capture_default_str();
}

Dataset DataFlags::read_data() const {
  check_range("--level", level, 1, 23);
  check_range("--width", width, 0.01, 100.0);
  ReadOptions options = read;
  options.columns = split_list(columns);
  options.place_columns = split_list(place_columns);
  options.header = parse_header(header);
  if (read.dataset == "generated") {
    if (!options.path.empty() || !columns.empty() || !places.empty() || !place_columns.empty() ||
        !time_format.empty() || header != "auto") {
      throw Error("a generated city is read from no file: it takes --users and --items only");
    }
    check_range("--users", static_cast<double>(users), 2, 1e6);
    check_range("--items", static_cast<double>(items), 20, 1e5);
    return generate_city({users, items, seed});
  }
  if (users != kCityUsers || items != kCityItems) {
    throw Error("--users and --items are for --dataset generated");
  }
  if (!places.empty()) options.places = places;
  if (!time_format.empty()) options.time_format = time_format;
  const bool known = std::any_of(dataset_names().begin(), dataset_names().end(),
                                 [&](const auto& entry) { return entry.name == read.dataset; });
  if (!known) {
    throw Error("unknown dataset '" + read.dataset + "': it is one of " + known_datasets());
  }
  if (options.path.empty()) throw Error("--path is needed with --dataset " + read.dataset);
  Dataset data = read_dataset(options);
  if (data.skipped > 0) {
    data.warnings.push_back(std::to_string(data.skipped) + " malformed lines were passed");
  }
  return data;
}

StudySet DataFlags::load() const {
  StudySet set{read.dataset, read_data(), prepare_options(), {}};
  set.ratings = prepare(set.data, set.options);
  if (const std::size_t single = set.ratings.users_with_one(); single > 0) {
    set.data.warnings.push_back(std::to_string(single) +
                                " users have one rating left after the filter: it is trained on, "
                                "and they are not tested");
  }
  warn_of(set.data);
  return set;
}

Dataset DataFlags::load_events() const {
  Dataset data = read_data();
  warn_of(data);
  return keep_frequent(std::move(data), prepare_options().min_count);
}

PrepareOptions DataFlags::prepare_options() const {
  PrepareOptions options;
  options.level = level;
  options.width = width;
  for (const DatasetName& entry : dataset_names()) {
    if (entry.name == read.dataset && entry.paper_filter) options.min_count = kPaperMinCount;
  }
  if (min_count) options.min_count = *min_count;
  return options;
}

void ExperimentFlags::add_to(CLI::App& app) {
  app.add_option("--method", method)->type_name("pmf|bpr|geomf|geobpr")->capture_default_str();
  app.add_option("--alpha", alpha, "0: accuracy only, 1: capacity only")->capture_default_str();
  app.add_option("--capacity", capacity)
      ->type_name("actual|binning|uniform-K|linear-max|linear-mean|reverse-binning")
      ->capture_default_str();
  app.add_option("--propensity", propensity)
      ->type_name("actual|median|linear|liked")
      ->capture_default_str();
  app.add_option("--loss", loss, "surrogate of the capacity term")
      ->type_name("logistic|exponential|hinge")
      ->capture_default_str();
  app.add_option("--temperature", temperature, "of the surrogate, in people")
      ->capture_default_str();
  app.add_option("--feedback", feedback)->type_name("implicit|explicit")->capture_default_str();
  app.add_flag("--post-process", post_process, "make the lists by the paper's Algorithm 1");
  add_training_to(app);
}

void ExperimentFlags::add_training_to(CLI::App& app) {
  app.add_option("--rank", rank, "factors of a user or item")
      ->check(check_whole)
      ->capture_default_str();
  app.add_option("--l2", l2, "weight of the regulariser")->capture_default_str();
  app.add_option("--step", step, "of Adagrad")->capture_default_str();
  app.add_option("--iterations", iterations, "at most")->check(check_whole)->capture_default_str();
  app.add_option("--tolerance", tolerance,
                 "stop when the objective has moved by less in 5 iterations running; 0: never")
      ->capture_default_str();
  app.add_option("--seed", seed)->check(check_whole)->capture_default_str();
  app.add_option("--repeats", repeats, "with new splits")
      ->check(check_whole)
      ->capture_default_str();
  app.add_option("--threads", threads, "default: all cores")->check(CLI::Range(1, 1024));
}

Experiment ExperimentFlags::experiment() const {
  check_range("--alpha", alpha, 0.0, 1.0);
  check_range("--temperature", temperature, 1e-3, 1e6);
  check_range("--l2", l2, 0.0, 1e3);
  check_range("--step", step, 1e-6, 1e3);
  check_range("--tolerance", tolerance, 0.0, 1e3);
  check_range("--rank", static_cast<double>(rank), 1, kMaxRank);
  check_range("--iterations", static_cast<double>(iterations), 1, 1e6);
  check_range("--repeats", static_cast<double>(repeats), 1, 1000);
  Experiment out;
  out.method = parse_method(method);
  out.capacity = parse_capacity(capacity);
  out.propensity = parse_propensity(propensity);
  out.feedback = parse_feedback(feedback);
  out.training.alpha = static_cast<float>(alpha);
  out.training.loss = parse_loss(loss);
  out.training.temperature = static_cast<float>(temperature);
  out.training.rank = rank;
  out.training.l2 = static_cast<float>(l2);
  out.training.step = static_cast<float>(step);
  out.training.iterations = iterations;
  out.training.tolerance = tolerance;
  out.seed = seed;
  out.repeats = repeats;
  out.post_process = post_process;
  return out;
}

Json to_json(const Spread& spread) { return {{"mean", spread.mean}, {"sd", spread.deviation}}; }

Json to_json(const Experiment& experiment) {
  const BatchSettings& t = experiment.training;
  // A float in its own digits: 0.2, not 0.20000000298.
  const auto tidy = [](float value) {
    char digits[32];
    const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    double out = 0.0;
    std::from_chars(digits, end, out);
    return out;
  };
  return {{"method", to_string(experiment.method)},
          {"alpha", tidy(t.alpha)},
          {"capacity", to_string(experiment.capacity)},
          {"propensity", to_string(experiment.propensity)},
          {"loss", to_string(t.loss)},
          {"temperature", tidy(t.temperature)},
          {"feedback", to_string(experiment.feedback)},
          {"rank", t.rank},
          {"l2", tidy(t.l2)},
          {"step", tidy(t.step)},
          {"iterations", t.iterations},
          {"tolerance", t.tolerance},
          {"repeats", experiment.repeats},
          {"post_process", experiment.post_process}};
}

Json data_manifest(const std::string& name, const Dataset& data) {
  Json files = Json::array();
  for (const SourceFile& source : data.sources) {
    files.push_back({{"path", source.path}, {"sha256", source.sha256}});
  }
  return {{"name", name},
          {"files", files},
          {"skipped_lines", data.skipped},
          {"warnings", data.warnings}};
}

Json data_manifest(const StudySet& set) {
  Json out = data_manifest(set.name, set.data);
  out["min_count"] = set.options.min_count;
  out["level"] = set.options.level;
  out["width"] = set.options.width;
  return out;
}

Json manifest_head(const std::string& command_line, std::uint64_t seed) {
  return {{"version", version()}, {"lanes", kLanes}, {"command", command_line}, {"seed", seed}};
}

std::string one_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string version() { return HEADROOM_VERSION; }

void add_commands(CLI::App& app, const std::string& command_line) {
  add_data_command(app, command_line);
  add_paper_command(app, command_line);
  add_figures_command(app, command_line);
  add_quality_command(app, command_line);
  add_epochs_command(app, command_line);
  add_allot_command(app, command_line);
  add_risk_command(app, command_line);
  add_replay_command(app, command_line);
  add_live_command(app, command_line);
  add_generate_command(app, command_line);
  add_evening_command(app, command_line);
  add_events_command(app);
}

}  // namespace headroom::sim
