#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/allot.hpp"
#include "simulator/cli.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  DataFlags data;
  AllotOptions run;
  std::string capacity = "actual", propensity = "actual", arrivals = "once", policy = "price";
  std::string shock = "none", export_to;
  std::size_t people = 8, orders = 5, threads = 0;
  bool json = false;

  AllotOptions options() const {
    AllotOptions out = run;
    out.capacity = parse_capacity(capacity);
    out.propensity = parse_propensity(propensity);
    out.policy = parse_allot_policy(policy);
    if (arrivals != "once" && arrivals != "stream") {
      throw Error("--arrivals: once or stream, not '" + arrivals + "'");
    }
    out.arrivals = arrivals == "once" ? Arrivals::kOnce : Arrivals::kStream;
    if (shock == "resolved" || shock == "old-prices") {
      if (out.arrivals != Arrivals::kStream) throw Error("--shock needs --arrivals stream");
      out.shock = shock == "resolved" ? Shock::kResolved : Shock::kOldPrices;
    } else if (shock != "none") {
      throw Error("--shock: none, resolved or old-prices, not '" + shock + "'");
    }
    check_range("--orders", static_cast<double>(orders), 1, 1000);
    check_range("--people", static_cast<double>(people), 1, 10'000);
    check_range("--n", static_cast<double>(run.places), 1, 1000);
    check_range("--supply", run.supply, 0.01, 1000);
    return out;
  }
};

Json spread(const std::vector<AllotResult>& results, double (*of)(const AllotResult&)) {
  std::vector<double> values;
  for (const AllotResult& result : results) values.push_back(of(result));
  return to_json(spread_of(values));
}

Json figures_of(const std::vector<AllotResult>& results) {
  std::uint64_t violations = 0;
  for (const AllotResult& result : results) violations += result.violations;
  return {{"share_of_bound", spread(results, [](const AllotResult& r) { return r.share(); })},
          {"value", spread(results, [](const AllotResult& r) { return r.value; })},
          {"bound", spread(results, [](const AllotResult& r) { return r.bound; })},
          {"violations", violations},
          {"lists", results.front().lists},
          {"solves", results.front().solves},
          {"seconds_per_solve",
           spread(results, [](const AllotResult& r) { return r.seconds_per_solve; })}};
}

void print_words(const Json& result) {
  const auto mean = [&](const char* of) { return result[of]["mean"].get<double>(); };
  std::printf("%s lists in each order: %.2f of at most %.2f people helped, %.2f %% of the bound\n",
              result["lists"].dump().c_str(), mean("value"), mean("bound"),
              100.0 * mean("share_of_bound"));
  std::printf("  greedy lists: %.2f %%\n", 100.0 * mean("greedy"));
  std::printf("  the bound is within %.4f %% of the least found; %s bookings beyond capacity\n",
              100.0 * result["gap"].get<double>(), result["violations"].dump().c_str());
  std::printf("  %s solves of %.4f s of CPU each\n", result["solves"].dump().c_str(),
              mean("seconds_per_solve"));
}

}  // namespace

void add_allot_command(CLI::App& app, const std::string& command_line) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "allot", "lists under capacity for everybody who comes, beside the best that could be done");
  flags->data.add_to(*command);
  command->add_option("--capacity", flags->capacity, "as of `paper`, scaled to the supply")
      ->capture_default_str();
  command->add_option("--propensity", flags->propensity)->capture_default_str();
  command
      ->add_option("--arrivals", flags->arrivals,
                   "once: everybody comes, and what is held stays held; stream: people come again "
                   "and again, and a list holds its seats for a time or until its person's next")
      ->capture_default_str();
  command
      ->add_option(
          "--policy", flags->policy,
          "none: no thought of capacity; cutoff: the paper's, only above the score that as "
          "many exceed as fit; greedy: first come, first served; price: chance less price")
      ->capture_default_str();
  command
      ->add_option(
          "--shock", flags->shock,
          "in mid-stream 5 % of the items become hot and people come 25 % more often; only "
          "what follows the next solve counts: none, resolved or old-prices (no solve)")
      ->capture_default_str();
  command
      ->add_option("--people", flags->people,
                   "that an item can hold, about: of ML-100K, 8 is everybody once, 42 five times")
      ->check(check_whole)
      ->capture_default_str();
  command->add_option("--n", flags->run.places, "places of a list")
      ->check(check_whole)
      ->capture_default_str();
  command->add_option("--supply", flags->run.supply, "capacity of all items over the demand")
      ->capture_default_str();
  command
      ->add_option("--steepness", flags->run.steepness,
                   "how prices grow while seats go between two solves")
      ->capture_default_str();
  command->add_option("--orders", flags->orders, "orders of arrival")
      ->check(check_whole)
      ->capture_default_str();
  command->add_option("--seed", flags->run.seed)->check(check_whole)->capture_default_str();
  command->add_option("--threads", flags->threads, "0: one for each core")->check(check_whole);
  command->add_option("--export", flags->export_to,
                      "a file to write the problem to, for tests/allot/lp_oracle.py");
  command->add_flag("--json", flags->json, "one object on standard output");
  command->callback([flags, command_line] {
    AllotOptions options = flags->options();
    flags->data.seed = options.seed;
    const StudySet set = flags->data.load();
    // People that an item can hold = supply x lists held x places x users / items.
    const double held = options.arrivals == Arrivals::kStream ? lists_held(kCalmRate) : 1.0;
    const double once = held * options.supply * options.places *
                        static_cast<double>(set.ratings.users.size()) /
                        static_cast<double>(set.ratings.items.size());
    options.visits = static_cast<std::uint32_t>(
        std::max(1.0, std::round(static_cast<double>(flags->people) / once)));
    Workers workers(flags->threads);
    const AllotProblem problem = make_allot_problem(set.ratings, options, workers);
    if (!flags->export_to.empty()) write_allot_problem(problem, flags->export_to);
    const auto run = [&](AllotPolicy policy) {
      options.policy = policy;
      std::vector<AllotResult> results;
      for (std::size_t order = 0; order < flags->orders; ++order) {
        results.push_back(run_allot(problem, options, order, workers));
      }
      return figures_of(results);
    };
    Json result = run(options.policy);
    result["greedy"] = run(AllotPolicy::kGreedy)["share_of_bound"];
    result["gap"] = problem.gap;
    result["people_an_item_holds"] = once * options.visits;
    if (!flags->json) return print_words(result);
    Json& manifest = result["manifest"] = manifest_head(command_line, options.seed);
    manifest["threads"] = workers.threads();
    manifest["data"] = data_manifest(set);
    std::cout << one_line(result) << '\n';
  });
}

}  // namespace headroom::sim
