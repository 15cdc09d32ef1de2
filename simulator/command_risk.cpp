#include <cstdio>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/risk.hpp"

namespace headroom::sim {

namespace {

struct Flags {
  std::string rule = "ahead", dwell = "gamma", serve = "engine", policy = "greedy";
  RiskOptions options;
  bool json = false;
};

Json to_json(const WeightedMean& of) {
  return {{"mean", of.mean()}, {"low", of.low()}, {"high", of.high()}};
}

Json to_json(const RiskFigures& of) {
  return {{"items", of.items},
          {"overload_time", to_json(of.overload_time)},
          {"met_full", to_json(of.met_full)},
          {"seats_used", to_json(of.seats_used)}};
}

void print_words(const Json& result) {
  const auto line = [](const Json& of, const char* name, const char* words) {
    std::printf("  %-14s %6.2f %%  (%.2f to %.2f)  %s\n", name,
                100 * of[name]["mean"].get<double>(), 100 * of[name]["low"].get<double>(),
                100 * of[name]["high"].get<double>(), words);
  };
  const auto all = [&](const Json& of) {
    line(of, "overload_time", "of the time more people than seats");
    line(of, "met_full", "of those whom a list brought found no seat");
    line(of, "seats_used", "of the seats");
  };
  std::printf("%s items with demand above 1.1 of their seats; intervals over items\n",
              result["items"].dump().c_str());
  all(result);
  std::printf("  value          %.4f  (%.4f to %.4f)  glad people for each list, over seeds\n",
              result["value"]["mean"].get<double>(), result["value"]["low"].get<double>(),
              result["value"]["high"].get<double>());
  if (result.contains("after_shock")) {
    std::puts("after the shock:");
    all(result["after_shock"]);
  }
}

// One of the words that it may be.
void check_word(const char* flag, const std::string& word, const char* one, const char* other) {
  if (word != one && word != other) {
    throw Error(std::string(flag) + ": " + one + " or " + other + ", not '" + word + "'");
  }
}

RiskOptions checked(const Flags& flags) {
  check_word("--rule", flags.rule, "ahead", "now");
  check_word("--dwell", flags.dwell, "gamma", "fixed");
  check_word("--serve", flags.serve, "engine", "ledger");
  check_word("--policy", flags.policy, "price", "greedy");
  RiskOptions options = flags.options;
  check_range("--alpha", options.engine.pressure.alpha, 0, 1);
  check_range("--risk", options.engine.ledger.risk, kLeastRisk, kMostRisk);
  check_range("--shock", options.world.shock, 0.1, 10);
  check_range("--hours", options.world.hours, 1, 1000);
  check_range("--warm-hours", options.world.warm_hours, 0, 1000);
  check_range("--seeds", static_cast<double>(options.seeds), 1, 1000);
  check_range("--stay", static_cast<double>(options.longest_stay), 1, 10'080);
  options.engine.ledger.rule = flags.rule == "ahead" ? RoomRule::kAhead : RoomRule::kNow;
  options.engine.allot.policy = flags.policy == "price" ? Policy::kPrice : Policy::kGreedy;
  options.only_ledger = flags.serve == "ledger";
  if (flags.dwell == "fixed") options.world.dwell_shape = 0.0;
  return options;
}

void run(const Flags& flags, const std::string& command_line) {
  const RiskOptions options = checked(flags);
  Workers workers(1);
  const RiskResult measured = measure_risk(options, workers);
  Json result = to_json(measured.whole);
  result["value"] = to_json(measured.value);
  if (options.world.shock != 1.0) result["after_shock"] = to_json(measured.after);
  if (!flags.json) return print_words(result);
  result["manifest"] = manifest_head(command_line, options.world.seed);
  std::cout << one_line(result) << '\n';
}

}  // namespace

void add_risk_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "risk", "a town that answers lists: how often more people come than there are seats");
  command
      ->add_option("--capacity", flags->options.capacity,
                   "uniform-<seats>, or actual: from 2 to 200")
      ->capture_default_str();
  command->add_option("--risk", flags->options.engine.ledger.risk, "of overload, as configured")
      ->capture_default_str();
  command->add_option("--rule", flags->rule, "ahead or now")->capture_default_str();
  command->add_option("--policy", flags->policy, "price or greedy")->capture_default_str();
  command
      ->add_option("--alpha", flags->options.engine.pressure.alpha,
                   "the weight of capacity in learning")
      ->capture_default_str();
  command->add_option("--dwell", flags->dwell, "gamma or fixed, of 45 minutes on average")
      ->capture_default_str();
  command
      ->add_option("--serve", flags->serve,
                   "engine: as it runs live; ledger: the rule alone, with the town's own taste")
      ->capture_default_str();
  command
      ->add_option("--shock", flags->options.world.shock,
                   "so many times the requests in the second half")
      ->capture_default_str();
  command->add_option("--items", flags->options.items, "0: by their seats")->check(check_whole);
  command
      ->add_option("--stay", flags->options.longest_stay,
                   "minutes that a visit lasts at most, as items say")
      ->check(check_whole)
      ->capture_default_str();
  command->add_option("--hours", flags->options.world.hours, "that are looked at")
      ->capture_default_str();
  command->add_option("--warm-hours", flags->options.world.warm_hours, "before that")
      ->capture_default_str();
  command->add_option("--seed", flags->options.world.seed)
      ->check(check_whole)
      ->capture_default_str();
  command->add_option("--seeds", flags->options.seeds, "runs, from that seed on")
      ->check(check_whole)
      ->capture_default_str();
  command->add_flag("--json", flags->json, "one object on standard output");
  command->callback([flags, command_line] { run(*flags, command_line); });
}

}  // namespace headroom::sim
