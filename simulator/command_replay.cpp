#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/engine_flags.hpp"
#include "simulator/event_stream.hpp"
#include "simulator/given.hpp"
#include "simulator/kafka_flags.hpp"
#include "simulator/pair_key.hpp"
#include "simulator/progress.hpp"
#include "simulator/replay.hpp"
#include "simulator/replay_report.hpp"
#include "simulator/report.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  DataFlags data;
  EngineFlags engine;
  StreamOptions stream;
  std::string capacity = "actual", propensity = "actual";
  std::string policies, overload = "0.4", hold = "1d", stay, period = "1d";
  std::string holding = "whole", rule = "now", visited = "auto", out;
  std::optional<double> alpha;
  double warm = 0.0;
  std::size_t places = 10, seeds = 1;
  bool timing = false, json = false;
  KafkaFlags kafka;

  void add_to(CLI::App& app);
  void add_seats_to(CLI::App& app);
};

void Flags::add_seats_to(CLI::App& app) {
  app.add_option("--capacity", capacity,
                 "as of `paper`, over the whole data set; given: the data set's own")
      ->type_name("given|actual|binning|uniform-K|linear-max|linear-mean|reverse-binning")
      ->capture_default_str();
  app.add_option("--overload,--overloads", overload,
                 "capacities are scaled so that this share of the people whom unconstrained lists "
                 "send finds no seat; several: one after the other, e.g. .1,.25,.4; none: not "
                 "scaled")
      ->capture_default_str();
  app.add_option("--propensity", propensity,
                 "the paper's, of all users, for the expected usage of the Cap- objective")
      ->type_name("actual|median|linear|liked")
      ->capture_default_str();
  app.add_option("--hold", hold, "how long a list holds its seats: 30m, 12h, 1d")
      ->capture_default_str();
  app.add_option("--holding", holding,
                 "what a place holds: the whole chance that the user listens, or that times the "
                 "chance that it is the one chosen")
      ->type_name("whole|choice")
      ->capture_default_str();
  app.add_option("--rule", rule, "of the room that is left")
      ->type_name("now|ahead")
      ->capture_default_str();
  app.add_option(
      "--stay", stay,
      "how long who comes takes a seat, a whole one (default: 0s, none, with `whole`; as "
      "long as a list's hold with `choice`)");
}

void Flags::add_to(CLI::App& app) {
  data.add_source_to(app);
  app.add_option("--min-count", data.min_count,
                 "leave out pairs whose user or item has fewer than this many (default: the "
                 "paper's filter where it has one for the set)")
      ->check(check_whole);
  app.add_flag("--first-visits", stream.first_visits,
               "only the first event of each user with each item");
  app.add_option("--limit", stream.limit, "the first so many events; 0: all")
      ->check(check_whole)
      ->capture_default_str();
  app.add_option("--visited", visited,
                 "whether lists may name where the user was; auto: hide where nobody comes twice")
      ->type_name("show|hide|auto")
      ->capture_default_str();
  app.add_option("--policies,--policy", policies,
                 "some of none, cutoff, cap, greedy, price, both, popularity, random, by commas "
                 "(default: all; through Kafka price)");
  app.add_option(
      "--alpha", alpha,
      "of the policies cap and both (default: the configuration's or, where that is 0, the "
      "paper's 0.2)");
  app.add_option("--n", places, "places of a list")->check(check_whole)->capture_default_str();
  add_seats_to(app);
  app.add_option("--warm", warm, "the share of all events that only warms up, the first in time")
      ->capture_default_str();
  app.add_option("--period", period, "of the curves: a time such as 1d, or a number of events")
      ->capture_default_str();
  app.add_option("--seeds", seeds, "runs, from --seed on")
      ->check(check_whole)
      ->capture_default_str();
  engine.add_to(app);
  app.add_option(
      "--out", out,
      "a folder for report.html, a page to look at, report.json, curves.csv and policies.csv");
  app.add_flag("--timing", timing,
               "run one policy after the other, and say how many events it took per second");
  app.add_flag("--json", json, "one object on standard output");
  kafka.add_to(app, "the events' time passes");
}

std::vector<std::string> parts_of(const std::string& words) {
  std::vector<std::string> parts;
  std::stringstream stream(words);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<ReplayPolicy> policies_of(const Flags& flags) {
  const std::string& words = flags.policies;
  if (words.empty() && flags.kafka.broker) return {ReplayPolicy::kPrice};
  if (words.empty()) return all_replay_policies();
  std::vector<ReplayPolicy> out;
  for (const std::string& part : parts_of(words)) {
    const ReplayPolicy policy = parse_replay_policy(part);
    if (std::find(out.begin(), out.end(), policy) == out.end()) out.push_back(policy);
  }
  return out;
}

// NaN: capacities as they are.
std::vector<double> levels_of(const std::string& words) {
  if (words == "none") return {std::nan("")};
  std::vector<double> out;
  for (const std::string& part : parts_of(words)) {
    double level = 0.0;
    std::istringstream stream(part);
    if (!(stream >> level) || !stream.eof() || !(level >= 0.001 && level <= 0.99)) {
      throw Error("--overload: shares from 0.001 to 0.99 by commas, or none, not '" + words + "'");
    }
    out.push_back(level);
  }
  if (out.empty()) throw Error("--overload: at least one share, or none");
  return out;
}

std::string one_of(const char* flag, const std::string& words, const char* first,
                   const char* second) {
  if (words == first || words == second) return words;
  throw Error(std::string(flag) + ": " + first + " or " + second + ", not '" + words + "'");
}

bool comes_twice(std::span<const Interaction> stream) {
  std::unordered_set<std::uint64_t> pairs;
  return std::any_of(stream.begin(), stream.end(), [&](const Interaction& event) {
    return !pairs.insert(pair_key(event.user, event.item)).second;
  });
}

// What follows for the engine from how long a list holds its seats; --set may say otherwise.
std::vector<std::string> assignments_of(const Flags& flags, std::chrono::milliseconds hold) {
  const std::int64_t most = 10'080;  // minutes
  const std::int64_t minutes = std::chrono::ceil<std::chrono::minutes>(hold).count();
  const auto key = [most](const char* name, std::int64_t value) {
    return name + std::to_string(std::clamp<std::int64_t>(value, 1, most));
  };
  return {key("prices.every_minutes=", std::min<std::int64_t>(minutes / 6, 1440)),
          key("prices.memory_minutes=", 6 * minutes),
          "lists.holds=" + one_of("--holding", flags.holding, "whole", "choice"),
          "lists.refreshes_per_second=0",  // nobody would see them
          "seats.rule=" + one_of("--rule", flags.rule, "now", "ahead")};
}

ReplayOptions options_of(const Flags& flags, const Options& engine) {
  check_range("--warm", flags.warm, 0.0, 0.95);
  check_range("--n", static_cast<double>(flags.places), 1, 1000);
  check_range("--seeds", static_cast<double>(flags.seeds), 1, 1000);
  ReplayOptions out;
  out.engine = engine.engine;
  if (flags.alpha) {
    check_range("--alpha", *flags.alpha, 0.0, 1.0);
    out.engine.pressure.alpha = static_cast<float>(*flags.alpha);
  } else if (out.engine.pressure.alpha == 0.0F) {
    out.engine.pressure.alpha = 0.2F;
  }
  out.places = flags.places;
  out.hold = parse_duration("--hold", flags.hold);
  if (out.hold < std::chrono::minutes(1) || out.hold > std::chrono::days(7)) {
    throw Error("--hold: from 1m to 7d, not '" + flags.hold + "'");
  }
  if (!flags.stay.empty()) {
    out.stay = parse_duration("--stay", flags.stay);
  } else if (flags.holding == "choice") {
    out.stay = out.hold;
  }
  out.warm = flags.warm;
  out.period = parse_period(flags.period);
  out.seed = engine.seed;
  return out;
}

// All runs: by seed, and side by side over levels and policies.
class Study {
 public:
  Study(const Flags& flags, const Dataset& data, const ReplayOptions& options, Workers& workers)
      : flags_(flags),
        options_(options),
        workers_(workers),
        policies_(policies_of(flags)),
        levels_(levels_of(flags.overload)),
        world_{data, event_stream(data, flags.stream), {}, 1.0} {
    if (world_.stream.empty()) throw Error(data.name + ": there is no event");
    options_.hide_visited = flags.visited == "auto"
                                ? !comes_twice(world_.stream)
                                : one_of("--visited", flags.visited, "show", "hide") == "hide";
    world_.given = given(flags.capacity, flags.propensity, data, options.seed);
  }

  ReplayReport run() {
    for (std::size_t n = 0; n < flags_.seeds; ++n) run_seed(options_.seed + n, n == 0);
    return report_of(std::move(runs_), scales_);
  }
  std::size_t events() const { return world_.stream.size(); }
  bool hides_visited() const { return options_.hide_visited; }

 private:
  void run_seed(std::uint64_t seed, bool first) {
    ReplayOptions options = options_;
    options.seed = seed;
    show("unconstrained");
    const ListTrace trace = trace_unconstrained(world_, options, workers_);
    if (first) set_world(options, trace);
    const std::size_t before = runs_.size(), jobs = levels_.size() * policies_.size();
    runs_.resize(before + jobs);
    const auto run = [&](std::size_t job, Workers& workers) {
      const std::size_t level = job / policies_.size();
      ReplayRun& to = runs_[before + job];
      to = replay(world_, options, policies_[job % policies_.size()], scales_[level], trace,
                  workers);
      to.overload = levels_[level];
    };
    // Side by side, or with all threads where there would be less of them than threads. Through
    // Kafka they would wait for each other at the broker.
    if (jobs < workers_.threads() || flags_.timing || options.way.kafka) {
      for (std::size_t job = 0; job < jobs; ++job) run(job, workers_);
    } else {
      workers_.each(jobs, [&](std::size_t job) {
        Workers alone(1);
        run(job, alone);
      });
    }
    done_ += 1.0;
    show("seed " + std::to_string(seed));
  }

  // The same for all seeds and policies.
  void set_world(const ReplayOptions& options, const ListTrace& trace) {
    scales_.resize(levels_.size(), 1.0);
    world_.usage_unit = usage_unit(world_, options, trace);
    workers_.each(levels_.size(), [&](std::size_t n) {
      if (!std::isnan(levels_[n])) {
        scales_[n] = capacity_scale(world_, options, trace, levels_[n]);
      }
    });
  }
  void show(const std::string& words) {
    bar_.show(done_ / static_cast<double>(flags_.seeds), words);
  }

  const Flags& flags_;
  ReplayOptions options_;
  Workers& workers_;
  std::vector<ReplayPolicy> policies_;
  std::vector<double> levels_, scales_;
  ReplayWorld world_;
  std::vector<ReplayRun> runs_;
  ProgressBar bar_{"about"};
  double done_ = 0.0;
};

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

Json timing_of(const ReplayReport& report, std::size_t events) {
  Json out = Json::array();
  for (const ReplayRun& run : report.runs) {
    if (run.policy == ReplayPolicy::kNone) continue;  // judged from a run that was made before
    out.push_back({{"policy", to_string(run.policy)},
                   {"overload", run.overload},
                   {"seed", run.seed},
                   {"events_per_second", static_cast<double>(events) / run.seconds},
                   {"events_per_cpu_second", static_cast<double>(events) / run.cpu_seconds}});
  }
  return {{"runs", out}, {"peak_memory_mb", peak_memory_mb()}};
}

void print_topics(const ReplayReport& report) {
  for (const ReplayRun& run : report.runs) {
    if (!run.topics.empty()) std::cout << "topics " << kept_words(run.topics) << '\n';
  }
}

Json settings_of(const Flags& flags, const Study& study, const Options& options) {
  return {{"min_count", flags.data.prepare_options().min_count},
          {"first_visits", flags.stream.first_visits},
          {"limit", flags.stream.limit},
          {"events", study.events()},
          {"visited", study.hides_visited() ? "hide" : "show"},
          {"capacity", flags.capacity},
          {"overload", flags.overload},
          {"propensity", flags.propensity},
          {"wap_weight", "the chance of a hit that the unconstrained engine had learned by then"},
          {"places", flags.places},
          {"hold", flags.hold},
          {"stay", flags.stay},
          {"warm", flags.warm},
          {"period", flags.period},
          {"seeds", flags.seeds},
          {"engine", engine_settings(options)}};
}

void run(Flags& flags, const std::string& command_line) {
  const auto own = assignments_of(flags, parse_duration("--hold", flags.hold));
  flags.engine.assignments.insert(flags.engine.assignments.begin(), own.begin(), own.end());
  const Options options = flags.engine.options();
  ReplayOptions replay_options = options_of(flags, options);
  replay_options.way = flags.kafka.way(options);
  policies_of(flags);
  levels_of(flags.overload);
  flags.data.seed = options.seed;
  const Dataset data = flags.data.load_events();
  if (!data.has_time) {
    throw Error(data.name + ": its events have no calendar time, and a replay goes by time");
  }
  Workers workers(options.threads);
  Study study(flags, data, replay_options, workers);
  const ReplayReport report = study.run();
  Json manifest = manifest_head(command_line, options.seed);
  manifest["settings"] = settings_of(flags, study, options);
  manifest["data"] = data_manifest(flags.data.read.dataset, data);
  if (!flags.out.empty()) {
    write_csv(report, flags.out);
    Json shown = report_data(report);
    shown["manifest"] = manifest;
    write_report(shown, flags.out);
  }
  if (!flags.json) {
    print_table(report);
    if (flags.kafka.keep_topics) print_topics(report);
    if (flags.timing) std::cout << timing_of(report, study.events()).dump(2) << '\n';
    return;
  }
  Json result = to_json(report);
  if (flags.timing) result["timing"] = timing_of(report, study.events());
  result["manifest"] = std::move(manifest);
  std::cout << one_line(result) << '\n';
}

}  // namespace

void add_replay_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("replay",
                         "a data set in the order of time under capacities: a list before each "
                         "event, then the event is learned; policies side by side");
  flags->add_to(*command);
  command->callback(
      [flags, command_line] { run_until_stopped([&] { run(*flags, command_line); }); });
}

}  // namespace headroom::sim
