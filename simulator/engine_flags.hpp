#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headroom/app/options.hpp"
#include "simulator/cli.hpp"

namespace headroom::sim {

// The flags that say which configuration of the live program is tried: any of its keys.
struct EngineFlags {
  bool bare = false;  // the learner's defaults are the paper's own form
  std::string config;
  std::vector<std::string> assignments;  // KEY=VALUE
  std::optional<std::uint64_t> seed;     // over the configuration's
  std::optional<std::size_t> threads;

  void add_to(CLI::App& app);
  // Throws Error where the configuration is not good. The program uses its kernels from now on.
  Options options() const;
};

// The keys that say what is learned and how, with their values.
Json engine_settings(Options options);

}  // namespace headroom::sim
