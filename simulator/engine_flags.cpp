#include "simulator/engine_flags.hpp"

#include <algorithm>
#include <string_view>

#include "headroom/app/settings.hpp"

namespace headroom::sim {
namespace {

// Where events come from, where lists go, and what is kept: nothing of a run without a log.
bool is_of_the_log(std::string_view key) {
  constexpr std::string_view kOthers[] = {"folder", "seed", "threads", "clock",  "source.",
                                          "sink.",  "log.", "batch.",  "store.", "status."};
  return std::any_of(std::begin(kOthers), std::end(kOthers),
                     [key](std::string_view other) { return key.starts_with(other); });
}

}  // namespace

void EngineFlags::add_to(CLI::App& app) {
  app.add_flag("--bare", bare, "the paper's own form of the method: all other parts off");
  app.add_option("--config", config, "YAML file of `headroom`; the defaults without one");
  app.add_option("--set", assignments, "KEY=VALUE over the file, e.g. learner.rank=8; repeated")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--seed", seed, "of all draws (default: the configuration's)")->check(check_whole);
  app.add_option("--threads", threads, "default: all cores")->check(CLI::Range(1, 1024));
}

Options EngineFlags::options() const {
  Options options;
  if (bare) options.engine.learner = bare_learner(options.engine.learner.method);
  if (!config.empty()) read_config(config, options);
  for (const std::string& assignment : assignments) read_override(assignment, options);
  if (seed) options.seed = *seed;
  if (threads) options.threads = *threads;
  options.engine.clock = ClockKind::kEvent;
  options.engine.learner.seed = options.seed;
  use_kernels(options.kernels);
  return options;
}

Json engine_settings(Options options) {
  Json out;
  for (const Setting& setting : settings(options)) {
    if (is_of_the_log(setting.key)) continue;
    const std::string text = setting.write();
    const Json number = Json::parse(text, nullptr, false);
    out[setting.key] = number.is_number() || number.is_boolean() ? number : Json(text);
  }
  return out;
}

}  // namespace headroom::sim
