#include <cstdio>
#include <memory>

#include "simulator/cli.hpp"
#include "simulator/generated.hpp"

namespace headroom::sim {
namespace {

// Every place of the demo's city holds this many people: the popular ones are soon too small.
constexpr float kSeats = 5.0F;

struct Shown {
  const char* name;
  Method method;
  float alpha;
  bool post_process;
};
constexpr Shown kShown[] = {{"unconstrained (GeoBPR)", Method::kGeoBpr, 0.0F, false},
                            {"the paper's Algorithm 1", Method::kGeoBpr, 0.0F, true},
                            {"Cap-GeoBPR, alpha 0.2", Method::kGeoBpr, 0.2F, false}};

void run_demo(std::uint64_t seed) {
  CityOptions city;
  city.seed = seed;
  const Ratings ratings = prepare(generate_city(city), {});
  Workers workers;
  std::printf(
      "A made-up city: %zu people, %zu places with %.0f seats each, %zu first visits.\n"
      "Each model learns from half of them; everyone then gets a list of ten, and follows it\n"
      "with their own chance.\n\n",
      ratings.users.size(), ratings.items.size(), static_cast<double>(kSeats), ratings.size());
  std::printf("%-26s %12s %12s %14s %14s %10s\n", "model", "AP@10", "pairs wrong", "capacity loss",
              "places shown", "trained");
  for (const Shown& shown : kShown) {
    Experiment experiment;
    experiment.method = shown.method;
    experiment.training.alpha = shown.alpha;
    experiment.capacity = {CapacitySetting::Kind::kUniform, kSeats};
    experiment.seed = seed;
    experiment.repeats = 1;
    experiment.post_process = shown.post_process;
    const Measured run = run_experiment(ratings, experiment, workers).front();
    std::printf("%-26s %12.4f %11.1f%% %14.4f %13.0f%% %9.1fs\n", shown.name, run.lists.back().ap,
                100.0 * run.pairwise, run.capacity_loss, 100.0 * run.lists.back().coverage,
                run.seconds);
    std::fflush(stdout);
  }
  std::printf(
      "\nCapacity loss is the paper's: about how many people too many an average place expects.\n"
      "Next: headroom-sim paper --help, headroom-sim figures --help.\n");
}

}  // namespace

void add_demo_command(CLI::App& app) {
  const auto seed = std::make_shared<std::uint64_t>(1);
  CLI::App* command = app.add_subcommand("demo", "the paper's experiment on a made-up city");
  command->add_option("--seed", *seed)->check(check_whole)->capture_default_str();
  command->callback([seed] { run_demo(*seed); });
}

}  // namespace headroom::sim
