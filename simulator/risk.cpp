#include "simulator/risk.hpp"

#include <algorithm>
#include <cmath>

#include "headroom/base/error.hpp"
#include "simulator/hosts.hpp"

namespace headroom::sim {

namespace {

constexpr double kInDemand = 1.1;  // of the seats

// Each item's seats: one number, or spread evenly over the logarithm from 2 to 200.
std::vector<double> capacities(const RiskOptions& options) {
  double each = 0.0;
  if (options.capacity.starts_with("uniform-")) {
    try {
      each = std::stod(options.capacity.substr(8));
    } catch (const std::exception&) {
      each = 0.0;
    }
  }
  if (each <= 0.0 && options.capacity != "actual") {
    throw Error("--capacity: uniform-<seats> or actual, not '" + options.capacity + "'");
  }
  std::size_t items = options.items;
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

Seen run_one(const RiskOptions& options, const WorldOptions& of_world, Workers& workers) {
  World world(of_world);
  const std::chrono::minutes longest(options.longest_stay);
  if (options.only_ledger) {
    LedgerHost host(options.engine.ledger, of_world, world, longest);
    return world.run(host);
  }
  EngineHost host(options.engine, workers, of_world, longest);
  return world.run(host);
}

}  // namespace

void WeightedMean::add(double value, double weight) {
  if (weight <= 0.0) return;
  weighted_ += value;
  weights_ += weight;
  parts_.emplace_back(value, weight);
}

double WeightedMean::mean() const { return weights_ > 0.0 ? weighted_ / weights_ : 0.0; }

double WeightedMean::error() const {
  const auto n = static_cast<double>(parts_.size());
  if (n <= 1.0) return 0.0;
  double squares = 0.0;
  for (const auto& [value, weight] : parts_) squares += std::pow(value - mean() * weight, 2.0);
  return std::sqrt(squares * n / (n - 1.0)) / weights_;
}

void RiskFigures::add(const std::vector<ItemSeen>& seen) {
  for (const ItemSeen& item : seen) {
    if (item.demand <= kInDemand * item.capacity) continue;
    ++items;
    overload_time.add(item.overload_minutes, item.minutes);
    met_full.add(item.met_full, item.arrivals);
    seats_used.add(item.seat_minutes / item.capacity, item.minutes);
  }
}

RiskResult measure_risk(const RiskOptions& options, Workers& workers) {
  RiskResult result;
  WorldOptions world = options.world;
  world.capacity = capacities(options);
  for (std::size_t n = 0; n < options.seeds; ++n, ++world.seed) {
    const Seen seen = run_one(options, world, workers);
    result.whole.add(seen.items);
    result.after.add(seen.after);
    result.value.add(seen.value, seen.asked);
  }
  return result;
}

}  // namespace headroom::sim
