#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/hosts.hpp"
#include "simulator/world.hpp"

namespace headroom::sim {

namespace {

struct Flags {
  std::string capacity = "uniform-20", rule = "ahead", dwell = "gamma", serve = "engine";
  std::string policy = "price";
  float risk = 0.05F, alpha = PressureOptions{}.alpha;
  std::size_t seeds = 1, items = 0, stay = 120;
  double shock = 1.0;
  WorldOptions world;
  bool json = false;
};

// Each item's seats: one number, or spread evenly over the logarithm from 2 to 200.
std::vector<double> capacities(const Flags& flags) {
  double each = 0.0;
  if (flags.capacity.starts_with("uniform-")) {
    try {
      each = std::stod(flags.capacity.substr(8));
    } catch (const std::exception&) {
      each = 0.0;
    }
  }
  if (each <= 0.0 && flags.capacity != "actual") {
    throw Error("--capacity: uniform-<seats> or actual, not '" + flags.capacity + "'");
  }
  std::size_t items = flags.items;
  if (items == 0) {
    items = each > 0.0 ? static_cast<std::size_t>(std::clamp(1200.0 / each, 24.0, 200.0)) : 60;
  }
  std::vector<double> seats;
  for (std::size_t j = 0; j < items; ++j) {
    const double at =
        static_cast<double>(j) / static_cast<double>(std::max<std::size_t>(1, items - 1));
    seats.push_back(each > 0.0 ? each : std::round(2.0 * std::pow(100.0, at)));
  }
  return seats;
}

// A mean over items with an interval that holds it with 95 %, the items taken as independent.
struct Mean {
  double weighted = 0.0, weights = 0.0;
  std::vector<std::pair<double, double>> parts;
  void add(double value, double weight) {
    if (weight <= 0.0) return;
    weighted += value;
    weights += weight;
    parts.emplace_back(value, weight);
  }
  Json json() const {
    const double mean = weights > 0.0 ? weighted / weights : 0.0;
    double squares = 0.0;
    for (const auto& [value, weight] : parts) squares += std::pow(value - mean * weight, 2.0);
    const auto n = static_cast<double>(parts.size());
    const double error =
        n > 1.0 ? std::sqrt(squares * n / (n - 1.0)) / std::max(weights, 1e-12) : 0.0;
    return {{"mean", mean}, {"low", mean - 1.96 * error}, {"high", mean + 1.96 * error}};
  }
};

struct Figures {
  Mean overload, full, used, value;
  std::size_t items = 0;
  void add(const std::vector<ItemSeen>& seen) {
    for (const ItemSeen& item : seen) {
      if (item.demand <= 1.1 * item.capacity) continue;
      ++items;
      overload.add(item.overload_minutes, item.minutes);
      full.add(item.met_full, item.arrivals);
      used.add(item.seat_minutes / item.capacity, item.minutes);
    }
  }
  Json json() const {
    return {{"items", items},
            {"overload_time", overload.json()},
            {"met_full", full.json()},
            {"seats_used", used.json()}};
  }
};

Seen run_one(const Flags& flags, WorldOptions options, std::uint64_t seed, Workers& workers) {
  options.seed = seed;
  World world(options);
  const std::chrono::minutes longest(flags.stay);
  EngineOptions engine;
  engine.ledger.rule = flags.rule == "ahead" ? RoomRule::kAhead : RoomRule::kNow;
  engine.ledger.risk = flags.risk;
  engine.allot.policy = flags.policy == "price" ? Policy::kPrice : Policy::kGreedy;
  engine.pressure.alpha = flags.alpha;
  if (flags.serve == "ledger") {
    LedgerHost host(engine.ledger, options, world, longest);
    return world.run(host);
  }
  EngineHost host(engine, workers, options, longest);
  return world.run(host);
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

void run(const Flags& flags, const std::string& command_line) {
  if (flags.rule != "ahead" && flags.rule != "now") {
    throw Error("--rule: ahead or now, not '" + flags.rule + "'");
  }
  if (flags.dwell != "gamma" && flags.dwell != "fixed") {
    throw Error("--dwell: gamma or fixed, not '" + flags.dwell + "'");
  }
  if (flags.serve != "engine" && flags.serve != "ledger") {
    throw Error("--serve: engine or ledger, not '" + flags.serve + "'");
  }
  if (flags.policy != "price" && flags.policy != "greedy") {
    throw Error("--policy: price or greedy, not '" + flags.policy + "'");
  }
  check_range("--alpha", flags.alpha, 0, 1);
  check_range("--risk", flags.risk, kLeastRisk, kMostRisk);
  check_range("--shock", flags.shock, 0.1, 10);
  check_range("--hours", flags.world.hours, 1, 1000);
  check_range("--seeds", static_cast<double>(flags.seeds), 1, 1000);
  check_range("--stay", static_cast<double>(flags.stay), 1, 10'080);
  WorldOptions options = flags.world;
  options.capacity = capacities(flags);
  options.shock = flags.shock;
  if (flags.dwell == "fixed") options.dwell_shape = 0.0;
  Workers workers(1);
  Figures whole, after;
  for (std::size_t n = 0; n < flags.seeds; ++n) {
    const Seen seen = run_one(flags, options, flags.world.seed + n, workers);
    whole.add(seen.items);
    after.add(seen.after);
    whole.value.add(seen.value, seen.asked);
  }
  Json result = whole.json();
  result["value"] = whole.value.json();
  if (flags.shock != 1.0) result["after_shock"] = after.json();
  if (!flags.json) return print_words(result);
  result["manifest"] = manifest_head(command_line, flags.world.seed);
  std::cout << one_line(result) << '\n';
}

}  // namespace

void add_risk_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "risk", "a town that answers lists: how often more people come than there are seats");
  command->add_option("--capacity", flags->capacity, "uniform-<seats>, or actual: from 2 to 200")
      ->capture_default_str();
  command->add_option("--risk", flags->risk, "of overload, as configured")->capture_default_str();
  command->add_option("--rule", flags->rule, "ahead or now")->capture_default_str();
  command->add_option("--policy", flags->policy, "price or greedy")->capture_default_str();
  command->add_option("--alpha", flags->alpha, "the weight of capacity in learning")
      ->capture_default_str();
  command->add_option("--dwell", flags->dwell, "gamma or fixed, of 45 minutes on average")
      ->capture_default_str();
  command
      ->add_option("--serve", flags->serve,
                   "engine: as it runs live; ledger: the rule alone, with the town's own taste")
      ->capture_default_str();
  command->add_option("--shock", flags->shock, "so many times the requests in the second half")
      ->capture_default_str();
  command->add_option("--items", flags->items, "0: by their seats")->check(check_whole);
  command->add_option("--stay", flags->stay, "minutes that a visit lasts at most, as items say")
      ->check(check_whole)
      ->capture_default_str();
  command->add_option("--hours", flags->world.hours, "that are looked at")->capture_default_str();
  command->add_option("--warm-hours", flags->world.warm_hours, "before that")
      ->capture_default_str();
  command->add_option("--seed", flags->world.seed)->check(check_whole)->capture_default_str();
  command->add_option("--seeds", flags->seeds, "runs, from that seed on")
      ->check(check_whole)
      ->capture_default_str();
  command->add_flag("--json", flags->json, "one object on standard output");
  command->callback([flags, command_line] { run(*flags, command_line); });
}

}  // namespace headroom::sim
