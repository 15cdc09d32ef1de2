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
  std::string config;
  std::vector<std::string> assignments;  // KEY=VALUE
  std::optional<std::uint64_t> seed;     // over the configuration's
  std::optional<std::size_t> threads;

  void add_to(CLI::App& app);
  Options options() const;  // throws Error where the configuration is not good
};

// The keys that say what is learned and how, with their values.
Json engine_settings(Options options);

}  // namespace headroom::sim
