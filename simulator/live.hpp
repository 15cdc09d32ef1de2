#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "headroom/engine/options.hpp"
#include "simulator/interval.hpp"
#include "simulator/kafka_road.hpp"
#include "simulator/life.hpp"

namespace headroom::sim {

// Policies side by side: each makes the lists of the same city, over several seeds.

struct LivePolicy {
  enum class Maker : std::uint8_t { kEngine, kBatch, kPopularity, kRandom };
  std::string name;
  Maker maker = Maker::kEngine;
  Policy policy = Policy::kNone;  // of the engine
  float alpha = 0.0F;
  bool is_default = false;
};

// None, cutoff, greedy, capacity in learning alone, prices alone, both, and without a model. The
// default is what the engine's options say.
std::vector<LivePolicy> live_policies(const EngineOptions& engine,
                                      const std::vector<float>& alphas);

// One number that a run comes to.
struct LiveFigure {
  const char* key;
  const char* head;  // of a narrow column
  const char* words;
  std::function<std::optional<double>(const LifeSeen&)> of;
};
const std::vector<LiveFigure>& live_figures();

struct LiveWay {
  RunWay run;
  std::filesystem::path lists;  // folder for each engine's lists, as lines; empty: nowhere
};

// What went through Kafka in a run.
struct Carried {
  std::string policy;
  std::uint64_t seed = 0;
  std::string topics;  // what their names begin with
  std::size_t events = 0, lists = 0;
  double seconds = 0.0;
};

struct LiveRuns {
  std::vector<LivePolicy> policies;
  std::size_t seeds = 0;
  std::vector<LifeSeen> seen;         // by policy, then seed
  std::vector<double> unconstrained;  // by seed: LifePlan::unconstrained_overload()
  std::vector<Carried> carried;       // by run of an engine, where it went through Kafka
  const LifeSeen& at(std::size_t policy, std::size_t seed) const {
    return seen[policy * seeds + seed];
  }
  std::size_t default_policy() const;
};

// The runs are independent of each other and each is made by one thread: the same on any number.
// The seeds count from the options' on. Through Kafka one is made after the other: side by side
// they would wait for each other at the broker, and none could keep its pace.
LiveRuns run_live(const LifeOptions& life, const EngineOptions& engine,
                  const std::vector<LivePolicy>& policies, std::size_t seeds, Workers& workers,
                  const LiveWay& way = {});

// Of one policy over the seeds, or of its differences to the default's, seed by seed; none where a
// run has no such figure.
std::optional<Interval> figure_of(const LiveRuns& runs, std::size_t policy,
                                  const LiveFigure& figure);
std::optional<Interval> difference_of(const LiveRuns& runs, std::size_t policy,
                                      const LiveFigure& figure);

}  // namespace headroom::sim
