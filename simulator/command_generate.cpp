#include <cstdio>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/generate.hpp"
#include "simulator/parse_time.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  CityPlan plan;
  GenerateOptions out;
  std::string formats = "wire", first_day = "2026-01-01";
  std::size_t threads = 0;
  bool json = false;
};

std::vector<CityFormat> parse_formats(const std::string& words) {
  std::vector<CityFormat> formats;
  for (const std::string& word : CLI::detail::split(words, ',')) {
    if (word != "wire" && word != "tsv" && word != "csv") {
      throw Error("--format: wire, tsv or csv, or some of them with commas, not '" + words + "'");
    }
    const CityFormat format = word == "wire"  ? CityFormat::kWire
                              : word == "tsv" ? CityFormat::kTsv
                                              : CityFormat::kCsv;
    if (std::find(formats.begin(), formats.end(), format) != formats.end()) {
      throw Error("--format: '" + word + "' is there twice");
    }
    formats.push_back(format);
  }
  return formats;
}

std::chrono::sys_days parse_day(const std::string& words) {
  const auto at = words.size() == 10 ? parse_iso_time(words) : std::nullopt;
  if (!at || *at < Time(std::chrono::sys_days{std::chrono::year{1970} / 1 / 1})) {
    throw Error("--first-day: a date from 1970-01-01 to 2200-12-31, not '" + words + "'");
  }
  return std::chrono::floor<std::chrono::days>(*at);
}

void check(Flags& flags) {
  CityPlan& plan = flags.plan;
  check_range("--users", static_cast<double>(plan.users), 2, 1e6);
  check_range("--items", static_cast<double>(plan.items), 20, 1e5);
  check_range("--days", static_cast<double>(plan.days), 1, 3660);
  check_range("--visits", plan.visits, 0.001, 5);
  check_range("--habit", plan.habit, 0, 1);
  check_range("--supply", plan.supply, 0.01, 1000);
  check_range("--bursts", static_cast<double>(plan.bursts), 0,
              10.0 * static_cast<double>(plan.days));
  check_range("--checkouts", flags.out.checkouts, 0, 1);
  plan.first_day = parse_day(flags.first_day);
  flags.out.formats = parse_formats(flags.formats);
  const auto& formats = flags.out.formats;
  if (flags.out.checkouts > 0.0 &&
      std::find(formats.begin(), formats.end(), CityFormat::kWire) == formats.end()) {
    throw Error("--checkouts: tsv and csv have no check-outs; add wire to --format");
  }
}

void run(Flags flags, const std::string& command_line) {
  check(flags);
  Workers workers(flags.threads);
  const City city(flags.plan, workers);
  const Generated made = generate(city, flags.out, workers);
  Json result = {
      {"users", flags.plan.users},     {"items", flags.plan.items},   {"days", flags.plan.days},
      {"districts", city.districts()}, {"bursts", flags.plan.bursts}, {"visits", made.visits},
      {"checkouts", made.checkouts},   {"bytes", made.bytes},         {"files", Json::array()}};
  for (const auto& file : made.files) result["files"].push_back(file.string());
  if (flags.json) {
    result["manifest"] = manifest_head(command_line, flags.plan.seed);
    std::cout << one_line(result) << '\n';
    return;
  }
  std::printf("%zu people, %zu places in %zu districts, %zu days: %llu visits", flags.plan.users,
              flags.plan.items, city.districts(), flags.plan.days,
              static_cast<unsigned long long>(made.visits));
  if (made.checkouts > 0) {
    std::printf(", %llu check-outs", static_cast<unsigned long long>(made.checkouts));
  }
  std::puts("");
  for (const auto& file : made.files) std::printf("  %s\n", file.c_str());
}

}  // namespace

void add_generate_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "generate", "a made-up city of any size, as events for `headroom send` or as a data set");
  const auto count = [&](const char* name, std::size_t& value, const char* words) {
    command->add_option(name, value, words)->check(check_whole)->capture_default_str();
  };
  const auto number = [&](const char* name, double& value, const char* words) {
    command->add_option(name, value, words)->capture_default_str();
  };
  command->add_option("--out", flags->out.folder, "the folder to write to")->required();
  command
      ->add_option("--format", flags->formats,
                   "some of wire (events.jsonl: items, then events), tsv and csv (checkins and "
                   "places)")
      ->capture_default_str();
  count("--users", flags->plan.users, "people, to 1,000,000");
  count("--items", flags->plan.items, "places, to 100,000");
  count("--days", flags->plan.days, "of check-ins");
  command->add_option("--first-day", flags->first_day)->capture_default_str();
  number("--visits", flags->plan.visits, "of a person on an average day");
  number("--habit", flags->plan.habit, "share of visits to where one is a regular");
  number("--supply", flags->plan.supply, "capacity of a place over its usual peak, on average");
  count("--bursts", flags->plan.bursts, "concerts, and places that everybody talks about");
  number("--checkouts", flags->out.checkouts, "share of visits that end with a check-out (wire)");
  command->add_option("--seed", flags->plan.seed)->check(check_whole)->capture_default_str();
  command->add_option("--threads", flags->threads, "0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "one object on standard output");
  command->callback([flags, command_line] { run(*flags, command_line); });
}

}  // namespace headroom::sim
