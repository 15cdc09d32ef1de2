#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "headroom/engine/state.hpp"

namespace headroom {

enum class Phase : std::uint8_t {
  kStarting,
  kRecovering,
  kReady,
  kStopping,
  kStopped,
  kFailed,
  kWaiting
};

std::string_view name(Phase phase);

// What an operator wants to know, at one moment.
struct Status {
  Phase phase = Phase::kStarting;
  std::string problem;  // why it failed, or what it waits for
  Time started, at;
  std::uint64_t batch = 0, checkpoint = 0;
  std::optional<Time> now;  // of the last batch
  Counters counters;
  std::uint64_t users = 0, items = 0, lag = 0, rejected_steps = 0;
  bool lag_in_records = false;  // else in bytes
  std::uint64_t usage_refreshes = 0;
  double usage_error = 0.0, usage_kappa = 1.0;
  std::uint64_t price_solves = 0, failed_price_solves = 0;
  Refresher::Tally refreshes;
  std::uint64_t refreshes_waiting = 0;
  std::optional<Certificate> certificate;  // of the last window
  double events_per_second = 0.0, lists_per_second = 0.0;
  std::chrono::milliseconds longest_pause{0};
  std::uint64_t resident_bytes = 0;
};

std::string status_json(const Status& status);
std::string status_metrics(const Status& status);  // the Prometheus text format
std::string status_line(const Status& status);     // key=value

// The file is there whole, old or new, at every moment.
void rewrite(const std::filesystem::path& file, const std::string& text);

std::uint64_t resident_bytes();

}  // namespace headroom
