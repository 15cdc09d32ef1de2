#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/base/workers.hpp"
#include "simulator/batch_training.hpp"
#include "simulator/definitions.hpp"
#include "simulator/metrics.hpp"
#include "simulator/ratings.hpp"
#include "simulator/split.hpp"

namespace headroom::sim {

enum class Method { kPmf, kBpr, kGeoMf, kGeoBpr };
inline bool compares_pairs(Method m) { return m == Method::kBpr || m == Method::kGeoBpr; }
inline bool uses_geography(Method m) { return m == Method::kGeoMf || m == Method::kGeoBpr; }

Method parse_method(std::string_view words);
std::string_view to_string(Method method);
CapacityLoss parse_loss(std::string_view words);
std::string_view to_string(CapacityLoss loss);
Feedback parse_feedback(std::string_view words);
std::string_view to_string(Feedback feedback);

// One experiment of the paper: a method and what it is given.
struct Experiment {
  Method method = Method::kPmf;
  CapacitySetting capacity;
  PropensitySetting propensity = PropensitySetting::kActual;
  Feedback feedback = Feedback::kImplicit;
  BatchSettings training;  // its `pairs` and `seed` are set from here
  std::uint64_t seed = 1;
  std::size_t repeats = 5;    // with new splits and starts
  bool post_process = false;  // lists by Algorithm 1
};

// A mean and the standard deviation of the sample: NaN where there is only one value.
struct Spread {
  double mean = 0.0;
  double deviation = 0.0;
};
Spread spread_of(const std::vector<double>& values);

// What one repeat came to.
struct Measured {
  double rmse = 0.0;
  double rmse_liked = 0.0;  // over liked test items only: the same with implicit feedback
  double pairwise = 0.0;
  double capacity_loss = 0.0;
  double objective = 0.0;  // (1 - alpha) (RMSE^2 or pairwise) + alpha capacity loss
  using ByTop = std::array<ListMetrics, kTops.size()>;
  ByTop lists;       // made of the whole catalogue
  ByTop test_lists;  // made of the test items only
  double iterations = 0.0;
  double seconds = 0.0;  // of training
};

// One row for each figure that is reported: its name and where it stands in Measured.
struct Figure {
  std::string_view name;
  std::function<double(const Measured&)> of;
};
const std::vector<Figure>& figures_of_run();
const std::vector<std::pair<std::string_view, double ListMetrics::*>>& figures_of_lists();

struct RunProgress {
  std::size_t repeat;
  std::size_t iteration;
  double objective;
};

// Trains and measures `repeats` times.
std::vector<Measured> run_experiment(const Ratings& ratings, const Experiment& experiment,
                                     Workers& workers,
                                     const std::function<void(const RunProgress&)>& report = {});

// Measures given factors as run_experiment does, without training.
Measured measure(const Factors& factors, const Split& split, const std::vector<float>& p,
                 const std::vector<float>& c, const Experiment& experiment, Workers& workers);

Spread spread_over(const std::vector<Measured>& runs,
                   const std::function<double(const Measured&)>& figure);

}  // namespace headroom::sim
