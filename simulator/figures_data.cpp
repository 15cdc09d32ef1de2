// Table 1, the figures that the text states, and Figures 1, 2 and 5.
#include <algorithm>
#include <functional>

#include "simulator/definitions.hpp"
#include "simulator/figures.hpp"
#include "simulator/paper_claims.hpp"

namespace headroom::sim {
namespace {

void judge_table_1(FigureInput& in, const StudySet& set) {
  const Table1Row* row = table_1(set.name);
  if (row == nullptr) return;
  const std::size_t tiles = set.has_places() ? set.ratings.geography->tiles.size() : 0;
  const auto words = [](std::size_t users, std::size_t items, std::size_t ratings,
                        std::size_t map) {
    std::string out = std::to_string(users) + " users, " + std::to_string(items) + " items, " +
                      std::to_string(ratings) + " ratings";
    return map > 0 ? out + ", " + std::to_string(map) + " tiles" : out;
  };
  const bool equal = set.ratings.users.size() == row->users &&
                     set.ratings.items.size() == row->items && set.ratings.size() == row->ratings &&
                     (row->tiles == 0 || row->tiles == tiles);
  in.report.judge(
      set.name, words(row->users, row->items, row->ratings, row->tiles), equal,
      words(set.ratings.users.size(), set.ratings.items.size(), set.ratings.size(), tiles),
      "The files given are not the paper's whole set.");
}

void judge_stated(FigureInput& in, const StudySet& set, const StatedRun& stated) {
  Experiment experiment = in.base;
  experiment.method = stated.method;
  experiment.training.alpha = stated.alpha;
  const auto& runs = in.book.runs(set, experiment);
  const std::string name = std::string(to_string(stated.method)) + ", alpha " +
                           number(static_cast<double>(stated.alpha));
  const auto note = [&](const char* metric, const Reading& reading) {
    const Spread spread = spread_over(runs, reading);
    in.report.point(set.name, name, "", metric, spread);
    return spread;
  };
  const Spread capacity = note("capacity loss", [](const Measured& m) { return m.capacity_loss; });
  in.report.judge(set.name, name + ": capacity loss " + number(stated.capacity_loss),
                  capacity_loss_held(stated, capacity.mean),
                  in_words(capacity) + " (held: within 8 % or 0.01)");
  const auto judge_accuracy = [&](const char* metric, double said, const Reading& reading) {
    if (said == 0.0) return;
    const Spread spread = note(metric, reading);
    const bool trained_for_it = stated.alpha < 1.0F;
    in.report.judge(set.name, name + ": " + metric + " " + number(said),
                    !trained_for_it || accuracy_held(said, spread.mean),
                    in_words(spread) + (trained_for_it ? " (held: at most 5 % worse)"
                                                       : " (not trained for it: only shown)"));
  };
  judge_accuracy("RMSE", stated.rmse, [](const Measured& m) { return m.rmse; });
  judge_accuracy("0/1 pairwise loss", stated.pairwise,
                 [](const Measured& m) { return m.pairwise; });
}

Series sorted_series(const std::string& name, std::vector<float> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  Series series{name, {}, {}, {}};
  // Every n-th of a long row: a chart is a few hundred pixels wide.
  const std::size_t stride = std::max<std::size_t>(1, values.size() / 400);
  for (std::size_t at = 0; at < values.size(); at += stride) {
    series.x.push_back(static_cast<double>(at));
    series.y.push_back(values[at]);
  }
  return series;
}

void note_sorted(FigureInput& in, const StudySet& set, const std::string& metric,
                 const std::vector<Series>& lines) {
  for (const Series& line : lines) {
    for (std::size_t n = 0; n < line.x.size(); ++n) {
      in.report.point(set.name, line.name, number(line.x[n], 8), metric, {line.y[n], 0.0});
    }
  }
}

// Pairwise loss on the training half, as training goes on.
Series training_curve(FigureInput& in, const StudySet& set, float alpha) {
  constexpr std::size_t kMost = 200;
  Series series{"alpha " + number(static_cast<double>(alpha)), {}, {}, {}};
  if (in.book.planning()) return series;
  Experiment experiment = in.base;
  experiment.method = set.ranking_method();
  const Split split = split_in_halves(set.ratings, experiment.feedback, experiment.seed, 0);
  const auto p = listen_propensities(experiment.propensity, set.ratings, experiment.seed);
  const auto c = capacities(experiment.capacity, set.ratings, experiment.seed);
  BatchSettings settings = experiment.training;
  settings.alpha = alpha;
  settings.pairs = true;
  settings.tolerance = 0.0;
  settings.iterations = std::min(settings.iterations, kMost);
  settings.seed = experiment.seed;
  const Geography* geography = set.has_places() ? &*set.ratings.geography : nullptr;
  std::size_t next = 1;
  const auto look = [&](std::size_t iteration, const Factors& factors) {
    const double loss = pairwise_loss(factors, split.train, in.book.workers());
    series.x.push_back(static_cast<double>(iteration));
    series.y.push_back(loss);
    in.report.point(set.name, series.name, std::to_string(iteration), "training pairwise loss",
                    {loss, 0.0});
  };
  train({split.train, p, c, geography}, settings, in.book.workers(), [&](const Progress& now) {
    if (now.iteration < next && now.iteration != settings.iterations) return;
    look(now.iteration, now.factors());
    next = std::max(next + 1, next + next / 4);
  });
  return series;
}

}  // namespace

void draw_stated(FigureInput& in) {
  in.report.begin("text", "Table 1 and the figures in the text",
                  "What the paper states in words, beside what comes out here, mean and standard "
                  "deviation over the splits.");
  for (const StudySet& set : in.sets) judge_table_1(in, set);
  for (const StudySet& set : in.sets) {
    for (const StatedRun& stated : stated_runs()) {
      if (stated.dataset == set.name) judge_stated(in, set, stated);
    }
  }
}

void draw_settings(FigureInput& in) {
  in.report.begin("1", "Figure 1: capacities and propensities",
                  "All settings, each sorted in decreasing order.");
  std::vector<std::string> charts;
  for (const StudySet& set : in.sets) {
    std::vector<Series> users, items;
    for (const char* name : {"actual", "median", "linear"}) {
      users.push_back(sorted_series(
          name, listen_propensities(parse_propensity(name), set.ratings, in.base.seed)));
    }
    for (const char* name :
         {"actual", "binning", "uniform-10", "linear-max", "linear-mean", "reverse-binning"}) {
      items.push_back(
          sorted_series(name, capacities(parse_capacity(name), set.ratings, in.base.seed)));
    }
    charts.push_back(line_chart(set.name + ", propensities", {"user, sorted"},
                                {"listen propensity, log scale", true}, users));
    charts.push_back(line_chart(set.name + ", capacities", {"item, sorted"},
                                {"capacity, log scale", true}, items));
    note_sorted(in, set, "listen propensity", users);
    note_sorted(in, set, "capacity", items);
  }
  in.report.page.charts(charts);
}

void draw_maps(FigureInput& in) {
  in.report.begin("2", "Figure 2: where the places are",
                  "Every place before filtering, by coordinates and by its tile at the level of "
                  "detail. The tiles' y grows to the south.");
  std::vector<std::string> charts;
  for (const StudySet& set : in.sets) {
    if (!set.has_places()) continue;
    Series places{"", {}, {}, {}}, tiles{"", {}, {}, {}};
    for (const Place& place : set.data.places) {
      places.x.push_back(place.lon);
      places.y.push_back(place.lat);
    }
    for (const Tile& tile : set.ratings.geography->tiles) {
      tiles.x.push_back(tile.x);
      tiles.y.push_back(-tile.y);
      in.report.point(set.name, "tile", std::to_string(tile.x), "tile y",
                      {static_cast<double>(tile.y), 0.0});
    }
    charts.push_back(
        scatter_chart(set.name + ", places", {"longitude"}, {"latitude"}, {places}, Aspect::kMap));
    charts.push_back(scatter_chart(set.name + ", " + std::to_string(tiles.x.size()) + " tiles",
                                   {"tile x"}, {"minus tile y"}, {tiles}, Aspect::kEqual));
  }
  in.report.page.charts(charts);
}

void draw_training(FigureInput& in) {
  in.report.begin(
      "5", "Figure 5: the pairwise loss in training",
      "The ranking objective with actual capacities. At alpha 1 nothing is learned from "
      "the ratings, only from capacities and propensities.");
  std::vector<std::string> charts;
  std::vector<std::pair<const StudySet*, std::vector<Series>>> found;
  for (const StudySet& set : in.sets) {
    std::vector<Series> curves;
    for (const float alpha : {0.0F, 0.2F, 0.6F, 1.0F}) {
      curves.push_back(training_curve(in, set, alpha));
    }
    charts.push_back(
        line_chart(set.name, {"iteration, log scale", true}, {"training pairwise loss"}, curves));
    found.emplace_back(&set, std::move(curves));
  }
  in.report.page.charts(charts);
  if (in.book.planning()) return;
  for (const auto& [set, curves] : found) {
    for (const Series& curve : curves) {
      in.report.judge(set->name, "the training pairwise loss falls at " + curve.name,
                      curve.y.back() < curve.y.front(),
                      "from " + number(curve.y.front()) + " after the first iteration to " +
                          number(curve.y.back()) + " after the last");
    }
  }
}

}  // namespace headroom::sim
