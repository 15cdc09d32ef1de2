#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "headroom/base/workers.hpp"
#include "headroom/demand/capacity_loss.hpp"
#include "headroom/model/factors.hpp"
#include "headroom/model/geography.hpp"
#include "simulator/observation_set.hpp"

namespace headroom::sim {

// Whom to please and what must fit. Everything is borrowed.
struct Problem {
  const ObservationSet& training;
  const std::vector<float>& listen_propensity;  // by user
  const std::vector<float>& capacity;           // by item
  const Geography* geography = nullptr;         // GeoMF, GeoBPR
};

struct BatchSettings {
  bool pairs = false;  // BPR's objective, else the squared error
  float alpha = 0.2F;
  CapacityLoss loss = CapacityLoss::kLogistic;
  float temperature = 1.0F;
  std::size_t rank = 10;
  float l2 = 1e-5F;
  float step = 1.0F;
  float floor = 1e-8F;           // of Adagrad
  float start_deviation = 0.1F;  // of U and V; X starts at 0
  std::size_t iterations = 3000;
  double tolerance = 1e-5;  // stop when the objective moves by less; 0: never
  std::uint64_t seed = 1;
  std::uint64_t repeat = 0;  // gives new starts under the same seed
};

inline constexpr std::size_t kMaxRank = 64;

struct Progress {
  std::size_t iteration;
  double objective;
  std::function<Factors()> factors;  // a copy, where it is wanted
};

struct Trained {
  Factors factors;
  std::vector<double> objective;  // before each iteration, and after the last
};

// The paper's batch training: in turn U, V and X take one Adagrad step on the full gradient of
//   (1 - alpha) accuracy + alpha / N sum_j loss(E_j - c_j) + l2 (|U|^2 + |V|^2 + |X|^2),
// accuracy being a mean over observations (squared) or over users and their pairs (BPR). Scores are
// made in fixed tiles and never kept, so the result is the same, bit for bit, on any number of
// threads. `report` (may be empty) is called after every `report_every` iterations.
Trained train(const Problem& problem, const BatchSettings& settings, Workers& workers,
              const std::function<void(const Progress&)>& report = {},
              std::size_t report_every = 1);

// E_j = sum_i p_i sigmoid(r_ij) for every item.
std::vector<float> expected_usage(const Factors& factors,
                                  const std::vector<float>& listen_propensity, Workers& workers);

}  // namespace headroom::sim
