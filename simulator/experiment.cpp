#include "simulator/experiment.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

// The words of the command line and of the manifests, in one place for both directions.
template <class T>
struct Word {
  std::string_view name;
  T value;
};
constexpr Word<Method> kMethods[] = {{"pmf", Method::kPmf},
                                     {"bpr", Method::kBpr},
                                     {"geomf", Method::kGeoMf},
                                     {"geobpr", Method::kGeoBpr}};
constexpr Word<CapacityLoss> kLosses[] = {{"logistic", CapacityLoss::kLogistic},
                                          {"exponential", CapacityLoss::kExponential},
                                          {"hinge", CapacityLoss::kHinge}};
constexpr Word<Feedback> kFeedbacks[] = {{"implicit", Feedback::kImplicit},
                                         {"explicit", Feedback::kExplicit}};

template <class T, std::size_t N>
T parse_word(const Word<T> (&words)[N], std::string_view what, std::string_view given) {
  std::string known;
  for (const Word<T>& word : words) {
    if (word.name == given) return word.value;
    known += (known.empty() ? "" : ", ") + std::string(word.name);
  }
  throw Error("unknown " + std::string(what) + " '" + std::string(given) + "': it is one of " +
              known);
}

template <class T, std::size_t N>
std::string_view name_of(const Word<T> (&words)[N], T value) {
  for (const Word<T>& word : words) {
    if (word.value == value) return word.name;
  }
  return {};
}

}  // namespace

Method parse_method(std::string_view words) { return parse_word(kMethods, "method", words); }
std::string_view to_string(Method method) { return name_of(kMethods, method); }
CapacityLoss parse_loss(std::string_view words) { return parse_word(kLosses, "loss", words); }
std::string_view to_string(CapacityLoss loss) { return name_of(kLosses, loss); }
Feedback parse_feedback(std::string_view words) {
  return parse_word(kFeedbacks, "feedback", words);
}
std::string_view to_string(Feedback feedback) { return name_of(kFeedbacks, feedback); }

Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread out{0.0, values.size() < 2 ? std::nan("") : 0.0};
  for (const double v : values) out.mean += v / count;
  if (values.size() < 2) return out;
  for (const double v : values) {
    out.deviation += (v - out.mean) * (v - out.mean) / (count - 1.0);
  }
  out.deviation = std::sqrt(out.deviation);
  return out;
}

Spread spread_over(const std::vector<Measured>& runs,
                   const std::function<double(const Measured&)>& figure) {
  std::vector<double> values;
  for (const Measured& run : runs) values.push_back(figure(run));
  return spread_of(values);
}

const std::vector<Figure>& figures_of_run() {
  static const std::vector<Figure> figures = {
      {"rmse", [](const Measured& m) { return m.rmse; }},
      {"rmse_liked", [](const Measured& m) { return m.rmse_liked; }},
      {"pairwise", [](const Measured& m) { return m.pairwise; }},
      {"capacity_loss", [](const Measured& m) { return m.capacity_loss; }},
      {"objective", [](const Measured& m) { return m.objective; }}};
  return figures;
}

const std::vector<std::pair<std::string_view, double ListMetrics::*>>& figures_of_lists() {
  static const std::vector<std::pair<std::string_view, double ListMetrics::*>> figures = {
      {"ap", &ListMetrics::ap},
      {"wap", &ListMetrics::wap},
      {"wmcv", &ListMetrics::wmcv},
      {"wmcv_amount", &ListMetrics::wmcv_amount},
      {"gini", &ListMetrics::gini},
      {"coverage", &ListMetrics::coverage},
      {"congestion", &ListMetrics::congestion}};
  return figures;
}

Measured measure(const Factors& factors, const Split& split, const std::vector<float>& p,
                 const std::vector<float>& c, const Experiment& experiment, Workers& workers) {
  const BatchSettings& training = experiment.training;
  Measured out;
  out.rmse_liked = rmse(factors, split.test, Over::kLiked, workers);
  out.rmse = split.feedback == Feedback::kImplicit
                 ? out.rmse_liked  // the others are drawn, not observed
                 : rmse(factors, split.test, Over::kAll, workers);
  out.pairwise = pairwise_loss(factors, split.test, workers);
  out.capacity_loss =
      capacity_loss(expected_usage(factors, p, workers), c, training.loss, training.temperature);
  const double accuracy = compares_pairs(experiment.method) ? out.pairwise : out.rmse * out.rmse;
  const double alpha = training.alpha;
  out.objective = (1.0 - alpha) * accuracy + alpha * out.capacity_loss;
  std::optional<Cutoff> cutoff;
  if (experiment.post_process) cutoff.emplace(factors, c, workers);
  const auto measure_tops = [&](Candidates candidates) {
    const Lists lists =
        make_lists(factors, split, candidates, cutoff ? &*cutoff : nullptr, workers);
    Measured::ByTop by_top;
    for (std::size_t t = 0; t < kTops.size(); ++t) {
      by_top[t] = measure_lists(lists, kTops[t], split, p, c);
    }
    return by_top;
  };
  out.lists = measure_tops(Candidates::kCatalogue);
  out.test_lists = measure_tops(Candidates::kTestItems);
  return out;
}

std::vector<Measured> run_experiment(const Ratings& ratings, const Experiment& experiment,
                                     Workers& workers,
                                     const std::function<void(const RunProgress&)>& report) {
  const Geography* geography = nullptr;
  if (uses_geography(experiment.method)) {
    if (!ratings.geography) {
      throw Error("method " + std::string(to_string(experiment.method)) +
                  " needs places, and this data set has none");
    }
    geography = &*ratings.geography;
  }
  const std::vector<float> p = listen_propensities(experiment.propensity, ratings, experiment.seed);
  const std::vector<float> c = capacities(experiment.capacity, ratings, experiment.seed);
  std::vector<Measured> runs;
  for (std::size_t repeat = 0; repeat < experiment.repeats; ++repeat) {
    const Split split = split_in_halves(ratings, experiment.feedback, experiment.seed, repeat);
    BatchSettings settings = experiment.training;
    settings.pairs = compares_pairs(experiment.method);
    settings.seed = experiment.seed;
    settings.repeat = repeat;
    std::function<void(const Progress&)> each;
    if (report) {
      each = [&](const Progress& now) { report({repeat, now.iteration, now.objective}); };
    }
    const auto began = std::chrono::steady_clock::now();
    const Trained trained = train({split.train, p, c, geography}, settings, workers, each, 10);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    runs.push_back(measure(trained.factors, split, p, c, experiment, workers));
    runs.back().iterations = static_cast<double>(trained.objective.size() - 1);
    runs.back().seconds = took.count();
  }
  return runs;
}

}  // namespace headroom::sim
