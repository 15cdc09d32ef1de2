// Figures 3, 4 and 6: what the trade-off parameter alpha buys and costs.
#include <algorithm>

#include "simulator/figures.hpp"

namespace headroom::sim {
namespace {

std::vector<double> alphas() { return {kAlphas.begin(), kAlphas.end()}; }

std::vector<Labelled> sweep(Experiment experiment) {
  std::vector<Labelled> row;
  for (const float alpha : kAlphas) {
    experiment.training.alpha = alpha;
    row.push_back({number(static_cast<double>(alpha)), experiment});
  }
  return row;
}

struct Tradeoff {
  std::vector<Spread> accuracy, capacity, objective;
};

// Three metrics against alpha, as points and one chart. `what` names the accuracy.
Tradeoff draw_sweep(FigureInput& in, const StudySet& set, const Experiment& experiment,
                    const std::string& title, std::vector<std::string>& charts) {
  const bool pairs = compares_pairs(experiment.method);
  const std::string what = pairs ? "0/1 pairwise loss" : "RMSE";
  const std::vector<Labelled> row = sweep(experiment);
  Tradeoff out;
  out.accuracy = measure_row(in, set, title, row, what,
                             [pairs](const Measured& m) { return pairs ? m.pairwise : m.rmse; });
  out.capacity = measure_row(in, set, title, row, "capacity loss",
                             [](const Measured& m) { return m.capacity_loss; });
  out.objective = measure_row(in, set, title, row, "overall objective",
                              [](const Measured& m) { return m.objective; });
  charts.push_back(line_chart(
      title, {"alpha"}, {"loss, log scale", true},
      {series_of(what, alphas(), out.accuracy), series_of("capacity loss", alphas(), out.capacity),
       series_of("overall objective", alphas(), out.objective)}));
  return out;
}

double range_of(const std::vector<Spread>& values) {
  const auto [low, high] =
      std::minmax_element(values.begin(), values.end(),
                          [](const Spread& a, const Spread& b) { return a.mean < b.mean; });
  return high->mean - low->mean;
}

void judge_tradeoff(FigureInput& in, const StudySet& set, const Tradeoff& t,
                    const std::string& note = {}) {
  in.report.judge(set.name, "the higher alpha, the lower the capacity loss", falls(t.capacity),
                  "capacity loss at alpha 0 to 1: " + list_of(t.capacity));
  in.report.judge(set.name, "the higher alpha, the higher the RMSE", rises(t.accuracy),
                  "RMSE: " + list_of(t.accuracy), note);
}

}  // namespace

void draw_rating_tradeoff(FigureInput& in) {
  in.report.begin("3", "Figure 3: alpha with the rating objective",
                  "PMF for items, GeoMF for places; actual capacities and propensities, logistic "
                  "surrogate, implicit feedback.");
  std::vector<std::string> charts;
  std::vector<std::pair<const StudySet*, Tradeoff>> found;
  for (const StudySet& set : in.sets) {
    Experiment experiment = in.base;
    experiment.method = set.rating_method();
    found.emplace_back(&set, draw_sweep(in, set, experiment, set.name, charts));
  }
  in.report.page.charts(charts);
  for (const auto& [set, tradeoff] : found) judge_tradeoff(in, *set, tradeoff);
}

void draw_ranking_tradeoff(FigureInput& in) {
  in.report.begin("4", "Figure 4: alpha with the ranking objective",
                  "BPR for items, GeoBPR for places: with actual capacities, and with reverse "
                  "binning, where the popular items are the small ones.");
  constexpr double kHardly = 0.1;
  std::vector<std::string> charts;
  std::vector<std::function<void()>> judgements;
  for (const StudySet& set : in.sets) {
    Experiment experiment = in.base;
    experiment.method = set.rating_method();
    const auto rating =
        measure_row(in, set, set.name + ", rating objective", sweep(experiment), "capacity loss",
                    [](const Measured& m) { return m.capacity_loss; });
    experiment.method = set.ranking_method();
    const Tradeoff actual = draw_sweep(in, set, experiment, set.name + ", actual", charts);
    experiment.capacity = {CapacitySetting::Kind::kReverseBinning};
    const Tradeoff reverse =
        draw_sweep(in, set, experiment, set.name + ", reverse binning", charts);
    judgements.push_back([&in, &set, rating, actual, reverse] {
      in.report.judge(set.name, "actual: capacity loss falls with alpha", falls(actual.capacity),
                      "capacity loss: " + list_of(actual.capacity));
      bool smaller = true;
      for (std::size_t a = 0; a + 1 < rating.size(); ++a) {
        smaller = smaller && actual.capacity[a].mean < rating[a].mean;
      }
      in.report.judge(set.name, "ranking gives smaller capacity losses than rating (alpha < 1)",
                      smaller,
                      "ranking " + list_of(actual.capacity) + "; rating " + list_of(rating));
      in.report.judge(
          set.name, "actual: the pairwise loss hardly moves with alpha (by at most 0.1)",
          range_of(actual.accuracy) <= kHardly, "pairwise loss: " + list_of(actual.accuracy));
      in.report.judge(set.name, "reverse binning: the pairwise loss rises with alpha",
                      rises(reverse.accuracy), "pairwise loss: " + list_of(reverse.accuracy));
    });
  }
  in.report.page.charts(charts);
  for (const auto& judgement : judgements) judgement();
}

void draw_explicit_tradeoff(FigureInput& in) {
  in.report.begin("6", "Figure 6: alpha with explicit feedback",
                  "The rating objective once more, on likes (four stars or more, +1) and dislikes "
                  "(-1). Data sets of check-ins have no dislikes and are left out.");
  struct Found {
    const StudySet* set;
    Tradeoff tradeoff;
    std::vector<Spread> liked;
  };
  std::vector<std::string> charts;
  std::vector<Found> found;
  for (const StudySet& set : in.sets) {
    if (!set.ratings.has_stars) continue;
    Experiment experiment = in.base;
    experiment.method = set.rating_method();
    experiment.feedback = Feedback::kExplicit;
    const std::string title = set.name + ", explicit";
    const Tradeoff tradeoff = draw_sweep(in, set, experiment, title, charts);
    found.push_back({&set, tradeoff,
                     measure_row(in, set, title, sweep(experiment), "RMSE of liked items",
                                 [](const Measured& m) { return m.rmse_liked; })});
  }
  in.report.page.charts(charts);
  for (const Found& one : found) {
    judge_tradeoff(in, *one.set, one.tradeoff,
                   "The paper's regulariser is too weak for half of the stars: where the RMSE at "
                   "alpha 0 is above 1, predicting 0 would do better, and pressure on the scores "
                   "then works as the missing regulariser.");
    in.report.judge(one.set->name,
                    "the same of liked items only: the higher alpha, the higher the RMSE",
                    rises(one.liked), "RMSE of liked items: " + list_of(one.liked));
  }
}

}  // namespace headroom::sim
