#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "headroom/app/options.hpp"
#include "headroom/app/stop_signals.hpp"
#include "simulator/kafka_road.hpp"

namespace headroom::sim {

// The flags that say at which pace runs go, and whether they go through a broker.
struct KafkaFlags {
  std::optional<std::string> broker;
  double speed = 0.0;
  bool keep_topics = false;

  // `passing`: whose time it is.
  void add_to(CLI::App& app, const std::string& passing);
  // Throws Error. Stop signals are looked for from now on where topics would be left.
  RunWay way(Options options) const;
};

// By the time a stop comes out here all is cleaned up.
template <class Run>
void run_until_stopped(Run&& run) {
  try {
    run();
  } catch (const Stopped&) {
    end_by_stop_signal();
  }
}

}  // namespace headroom::sim
