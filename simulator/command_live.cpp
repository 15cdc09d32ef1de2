#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/engine_flags.hpp"
#include "simulator/fields.hpp"
#include "simulator/kafka_flags.hpp"
#include "simulator/life_settings.hpp"
#include "simulator/live.hpp"
#include "simulator/live_files.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  EngineFlags engine;
  std::string world, out, alphas = "0.2", policies;
  std::vector<std::pair<std::string, std::string>> given;  // keys of the world, by flag
  std::optional<std::size_t> given_seeds;
  bool json = false;
  KafkaFlags kafka;
  std::string lists;

  // A run through Kafka takes minutes, and none is made beside another.
  std::size_t seeds() const { return given_seeds.value_or(kafka.broker ? 1 : 5); }
};

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

LifeOptions world_of(const Flags& flags) {
  LifeOptions life;
  const auto table = life_settings(life);
  if (!flags.world.empty()) read_settings(flags.world, table);
  for (const auto& [key, value] : flags.given) {
    const auto setting = std::find_if(table.begin(), table.end(),
                                      [&, k = key](const Setting& s) { return s.key == k; });
    try {
      setting->read(value);
    } catch (const Error& error) {
      throw Error(flag_of(key) + ": " + error.what());
    }
  }
  check_life(life);
  return life;
}

std::vector<float> parse_alphas(const std::string& words) {
  std::vector<float> alphas;
  for (const std::string& word : CLI::detail::split(words, ',')) {
    const auto alpha = parse_number(word);
    if (!alpha || *alpha <= 0.0 || *alpha > 1.0) {
      throw Error("--alphas: numbers above 0 and up to 1, with commas, not '" + words + "'");
    }
    alphas.push_back(static_cast<float>(*alpha));
    if (std::count(alphas.begin(), alphas.end(), alphas.back()) > 1) {
      throw Error("--alphas: " + word + " is there twice");
    }
  }
  return alphas;
}

// Some of them; the default always stays, as all are compared with it. Through Kafka it is alone
// unless others are named.
std::vector<LivePolicy> chosen(std::vector<LivePolicy> all, const Flags& flags) {
  if (flags.policies.empty() && !flags.kafka.broker) return all;
  std::vector<std::string> wanted;
  if (!flags.policies.empty()) wanted = CLI::detail::split(flags.policies, ',');
  for (const std::string& name : wanted) {
    if (std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.name == name; }))
      continue;
    std::string known;
    for (const LivePolicy& policy : all) known += (known.empty() ? "" : ", ") + policy.name;
    throw Error("--policies: there is no policy '" + name + "'; they are " + known);
  }
  std::erase_if(all, [&](const LivePolicy& policy) {
    return !policy.is_default &&
           std::find(wanted.begin(), wanted.end(), policy.name) == wanted.end();
  });
  return all;
}

void print_carried(const LiveRuns& runs, bool kept) {
  for (const Carried& run : runs.carried) {
    std::printf("%s, seed %llu: %zu events and %zu lists through Kafka in %.1f s, %.0f events/s\n",
                run.policy.c_str(), static_cast<unsigned long long>(run.seed), run.events,
                run.lists, run.seconds, static_cast<double>(run.events) / run.seconds);
    if (kept) std::printf("  topics %s\n", kept_words(run.topics).c_str());
  }
  if (!runs.carried.empty()) std::puts("");
}

void print_words(const LiveRuns& runs) {
  constexpr std::size_t kColumns = 12;  // of figures, on a terminal
  const auto& figures = live_figures();
  std::printf("%-16s", "");
  for (std::size_t f = 0; f < kColumns; ++f) std::printf(" %9s", figures[f].head);
  std::puts("");
  const auto digits = [](double value) { return std::abs(value) >= 10.0 ? 0 : 4; };
  const auto row = [&](const std::string& head, const auto& of) {
    std::printf("%-16s", head.c_str());
    for (std::size_t f = 0; f < kColumns; ++f) {
      const std::optional<double> value = of(figures[f]);
      if (value) {
        std::printf(" %9.*f", digits(*value), *value);
      } else {
        std::printf(" %9s", "-");
      }
    }
    std::puts("");
  };
  for (std::size_t p = 0; p < runs.policies.size(); ++p) {
    row(runs.policies[p].name + (runs.policies[p].is_default ? " *" : ""),
        [&](const LiveFigure& figure) -> std::optional<double> {
          const auto some = figure_of(runs, p, figure);
          return some ? std::optional(some->mean) : std::nullopt;
        });
    if (runs.seeds < 2) continue;
    row("  +-", [&](const LiveFigure& figure) -> std::optional<double> {
      const auto some = figure_of(runs, p, figure);
      return some ? std::optional(some->high - some->mean) : std::nullopt;
    });
  }
  std::printf("\n* the default; means over %zu cities, +- their 95 %% intervals\n", runs.seeds);
  for (std::size_t f = 0; f < kColumns; ++f) {
    std::printf("  %-9s %s\n", figures[f].head, figures[f].words);
  }
  std::puts("\nless the default's, seed by seed, with 95 % intervals:");
  std::printf("%-16s %28s %28s %28s\n", "", "value", "seated", "wait");
  for (std::size_t p = 0; p < runs.policies.size(); ++p) {
    if (runs.policies[p].is_default) continue;
    std::printf("%-16s", runs.policies[p].name.c_str());
    for (const char* const key : {"value", "seated", "wait_minutes"}) {
      const auto figure = std::find_if(figures.begin(), figures.end(), [&](const LiveFigure& f) {
        return std::string_view(f.key) == key;
      });
      const auto d = difference_of(runs, p, *figure);
      if (runs.seeds < 2) {
        std::printf(" %28.3f", d->mean);
      } else {
        std::printf(" %9.3f (%7.3f to %7.3f)", d->mean, d->low, d->high);
      }
    }
    std::puts("");
  }
}

void run(const Flags& flags, const std::string& command_line) {
  check_range("--seeds", static_cast<double>(flags.seeds()), 1, 1000);
  const Options options = flags.engine.options();
  LifeOptions life = world_of(flags);
  life.seed = options.seed;
  const auto policies = chosen(live_policies(options.engine, parse_alphas(flags.alphas)), flags);
  const LiveWay way{flags.kafka.way(options), flags.lists};
  Workers workers(options.threads);
  const LiveRuns runs = run_live(life, options.engine, policies, flags.seeds(), workers, way);
  const Json manifest = live_manifest(command_line, life, options);
  if (!flags.out.empty()) write_live(runs, LifePlan(life), manifest, flags.out);
  if (!flags.json) {
    print_carried(runs, flags.kafka.keep_topics);
    return print_words(runs);
  }
  Json result = live_json(runs);
  result["manifest"] = manifest;
  std::cout << one_line(result) << '\n';
}

}  // namespace

void add_live_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "live", "a city that answers lists, by a truth that nobody is told: policies side by side");
  flags->engine.add_to(*command);
  command->add_option("--world", flags->world, "YAML file of the keys below; the flags go over it");
  command
      ->add_option("--seeds", flags->given_seeds, "cities, from that seed on [5; through Kafka 1]")
      ->check(check_whole);
  command
      ->add_option("--alphas", flags->alphas,
                   "weights of capacity in learning, each with and without prices")
      ->capture_default_str();
  command->add_option("--policies", flags->policies,
                      "only these, with commas, and the default [all; through Kafka the default]");
  command->add_option(
      "--out", flags->out,
      "folder for report.html, a page to look at, and its figures, curves and loads as "
      "CSV and JSON");
  command->add_flag("--json", flags->json, "one object on standard output");
  flags->kafka.add_to(*command, "live days pass");
  command->add_option("--lists", flags->lists,
                      "folder for the lists of every engine and seed, as lines of JSON");
  LifeOptions defaults;
  for (const Setting& setting : life_settings(defaults)) {
    command
        ->add_option_function<std::string>(
            flag_of(setting.key),
            [flags, key = setting.key](const std::string& value) {
              flags->given.emplace_back(key, value);
            },
            setting.words + ": " + setting.kind + " [" + setting.write() + "]")
        ->group("World");
  }
  command->callback(
      [flags, command_line] { run_until_stopped([&] { run(*flags, command_line); }); });
}

}  // namespace headroom::sim
