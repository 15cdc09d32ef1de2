// Figures 7 to 11: what the inputs do, and what becomes of the lists.
#include <algorithm>
#include <cmath>
#include <functional>

#include "simulator/figures.hpp"

namespace headroom::sim {
namespace {

const Reading kRmse = [](const Measured& m) { return m.rmse; };
const Reading kCapacityLoss = [](const Measured& m) { return m.capacity_loss; };

struct Compared {
  std::vector<std::string> names;
  std::vector<Spread> rmse, capacity;
};

// RMSE and capacity loss at alpha 0.2 under each of a few settings of one input.
Compared compare(FigureInput& in, const StudySet& set, const std::vector<Labelled>& row,
                 std::vector<std::string>& charts) {
  Compared out;
  for (const Labelled& one : row) out.names.push_back(one.x);
  out.rmse = measure_row(in, set, set.name, row, "RMSE", kRmse);
  out.capacity = measure_row(in, set, set.name, row, "capacity loss", kCapacityLoss);
  charts.push_back(
      bar_chart(set.name, "loss", out.names,
                {series_of("RMSE", {}, out.rmse), series_of("capacity loss", {}, out.capacity)}));
  return out;
}

Experiment at_default_alpha(const FigureInput& in, Method method) {
  Experiment experiment = in.base;
  experiment.method = method;
  experiment.training.alpha = 0.2F;
  return experiment;
}

// The same of every data set, and drawn; `set_input` gives an experiment one of the settings.
std::vector<std::pair<const StudySet*, Compared>> compare_all(
    FigureInput& in, const std::vector<std::string>& settings,
    const std::function<void(Experiment&, const std::string&)>& set_input) {
  std::vector<std::string> charts;
  std::vector<std::pair<const StudySet*, Compared>> found;
  for (const StudySet& set : in.sets) {
    std::vector<Labelled> row;
    for (const std::string& name : settings) {
      Experiment experiment = at_default_alpha(in, set.rating_method());
      set_input(experiment, name);
      row.push_back({name, experiment});
    }
    found.emplace_back(&set, compare(in, set, row, charts));
  }
  in.report.page.charts(charts);
  return found;
}

std::string described(const Compared& c) {
  std::string names;
  for (const std::string& name : c.names) names += (names.empty() ? "" : ", ") + name;
  return names + ": RMSE " + list_of(c.rmse) + "; capacity loss " + list_of(c.capacity);
}

// "Similar" is a word about the picture: two bars differ by at most a fifth of what all span.
bool alike(const std::vector<Spread>& values, std::size_t a, std::size_t b) {
  const auto [low, high] =
      std::minmax_element(values.begin(), values.end(),
                          [](const Spread& x, const Spread& y) { return x.mean < y.mean; });
  return std::fabs(values[a].mean - values[b].mean) <= 0.2 * (high->mean - low->mean);
}

bool alike(const Compared& c, std::size_t a, std::size_t b) {
  return alike(c.rmse, a, b) && alike(c.capacity, a, b);
}

bool is_least(const std::vector<Spread>& values, std::size_t at) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Spread& other) { return values[at].mean <= other.mean; });
}

bool is_most(const std::vector<Spread>& values, std::size_t at) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Spread& other) { return values[at].mean >= other.mean; });
}

// AP or another list metric at each list length.
std::vector<Spread> by_top(FigureInput& in, const StudySet& set, const std::string& series,
                           const Experiment& experiment, Measured::ByTop Measured::*lists,
                           double ListMetrics::*metric, const std::string& name) {
  std::vector<Spread> values;
  for (std::size_t t = 0; t < kTops.size(); ++t) {
    values.push_back(measure_row(in, set, series, {{std::to_string(kTops[t]), experiment}}, name,
                                 [&](const Measured& m) { return (m.*lists)[t].*metric; })
                         .front());
  }
  return values;
}

std::vector<double> tops() { return {kTops.begin(), kTops.end()}; }

struct CandidateKind {
  Measured::ByTop Measured::*lists;
  const char* words;
};
constexpr CandidateKind kKinds[] = {{&Measured::test_lists, "lists of test items"},
                                    {&Measured::lists, "lists of the whole catalogue"}};

bool above(const std::vector<Spread>& a, const std::vector<Spread>& b) {
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t].mean <= b[t].mean) return false;
  }
  return true;
}

// Figure 11 for one way of setting capacities and one kind of list: three models, two metrics.
struct Contest {
  std::string where;
  bool actual;
  std::vector<Spread> wap[3], over[3];  // by model, in the order of kModels
};
constexpr const char* kModels[] = {"BPR", "Cap-BPR", "Algorithm 1"};
enum : std::size_t { kBpr, kCapBpr, kAlgorithm1 };

std::vector<Experiment> models(const FigureInput& in, const StudySet& set, const char* capacity) {
  Experiment cap = at_default_alpha(in, set.ranking_method());
  cap.feedback = Feedback::kExplicit;
  cap.capacity = parse_capacity(capacity);
  Experiment plain = cap;
  plain.training.alpha = 0.0F;
  Experiment post = plain;
  post.post_process = true;
  return {plain, cap, post};
}

Contest hold_contest(FigureInput& in, const StudySet& set, const char* capacity,
                     const CandidateKind& kind, std::vector<std::string>& charts) {
  const std::vector<Experiment> experiments = models(in, set, capacity);
  Contest out;
  out.where = std::string(capacity) + ", " + kind.words;
  out.actual = experiments.front().capacity.kind == CapacitySetting::Kind::kActual;
  std::vector<Series> wap, over;
  for (std::size_t m = 0; m < experiments.size(); ++m) {
    const auto metric = [&](double ListMetrics::*member, const char* name) {
      return by_top(in, set, out.where + ", " + kModels[m], experiments[m], kind.lists, member,
                    name);
    };
    out.wap[m] = metric(&ListMetrics::wap, "WAP");
    out.over[m] = metric(&ListMetrics::wmcv_amount, "WMCV amount");
    metric(&ListMetrics::wmcv, "WMCV");
    wap.push_back(series_of(kModels[m], tops(), out.wap[m]));
    over.push_back(series_of(kModels[m], tops(), out.over[m]));
  }
  const std::string title = set.name + ", " + out.where;
  charts.push_back(line_chart(title, {"length of the list"}, {"WAP"}, wap));
  charts.push_back(line_chart(title, {"length of the list"}, {"WMCV as an amount"}, over));
  return out;
}

void judge_contest(FigureInput& in, const StudySet& set, const Contest& c) {
  const auto by_model = [](const std::vector<Spread>(&values)[3]) {
    std::string out;
    for (std::size_t m = 0; m < 3; ++m) {
      out += (m == 0 ? "" : "; ") + std::string(kModels[m]) + " " + list_of(values[m]);
    }
    return out;
  };
  if (c.actual) {
    in.report.judge(set.name, c.where + ": Cap-BPR has the best WAP",
                    above(c.wap[kCapBpr], c.wap[kAlgorithm1]) && above(c.wap[kCapBpr], c.wap[kBpr]),
                    "WAP: " + by_model(c.wap));
    return;
  }
  in.report.judge(set.name, c.where + ": Algorithm 1 has a better WAP than Cap-BPR",
                  above(c.wap[kAlgorithm1], c.wap[kCapBpr]), "WAP: " + by_model(c.wap));
  in.report.judge(set.name, c.where + ": Cap-BPR exceeds capacities by less than BPR at 10",
                  c.over[kCapBpr].back().mean < c.over[kBpr].back().mean,
                  "WMCV amount: " + by_model(c.over));
}

}  // namespace

void draw_surrogates(FigureInput& in) {
  in.report.begin(
      "7", "Figure 7: the surrogate of the capacity term",
      "The rating objective at alpha 0.2. Each surrogate's capacity loss is measured by "
      "itself, as the paper's metric is defined.");
  const auto found = compare_all(in, {"logistic", "exponential", "hinge"},
                                 [](Experiment& experiment, const std::string& name) {
                                   experiment.training.loss = parse_loss(name);
                                 });
  constexpr std::size_t kLogistic = 0, kExponential = 1, kHinge = 2;
  for (const auto& [set, c] : found) {
    if (set->has_places()) {
      in.report.judge(set->name, "hinge has the lowest capacity loss and RMSE",
                      is_least(c.capacity, kHinge) && is_least(c.rmse, kHinge), described(c));
      continue;
    }
    in.report.judge(set->name, "logistic and hinge are similar", alike(c, kLogistic, kHinge),
                    described(c));
    in.report.judge(set->name, "exponential has the highest RMSE and the lowest capacity loss",
                    is_most(c.rmse, kExponential) && is_least(c.capacity, kExponential),
                    described(c));
  }
}

void draw_capacities(FigureInput& in) {
  in.report.begin("8", "Figure 8: the capacities",
                  "The rating objective at alpha 0.2 with each way of setting capacities.");
  const auto found = compare_all(in, {"actual", "linear-max", "linear-mean", "binning"},
                                 [](Experiment& experiment, const std::string& name) {
                                   experiment.capacity = parse_capacity(name);
                                 });
  constexpr std::size_t kActual = 0, kLinearMax = 1, kLinearMean = 2, kBinning = 3;
  for (const auto& [set, c] : found) {
    in.report.judge(set->name, "actual, linear max and linear mean are almost identical",
                    alike(c, kActual, kLinearMax) && alike(c, kActual, kLinearMean), described(c),
                    "Linear max gives most items far more room than they have raters, so that it "
                    "presses less than actual capacities do; linear mean gives some popular items "
                    "very little, since who gets what is drawn.");
    in.report.judge(set->name, "binning has the highest RMSE and capacity loss",
                    is_most(c.rmse, kBinning) && is_most(c.capacity, kBinning), described(c));
  }
}

void draw_propensities(FigureInput& in) {
  in.report.begin("9", "Figure 9: the propensities",
                  "The rating objective at alpha 0.2 with each way of setting propensities.");
  const auto found = compare_all(in, {"actual", "median", "linear"},
                                 [](Experiment& experiment, const std::string& name) {
                                   experiment.propensity = parse_propensity(name);
                                 });
  for (const auto& [set, c] : found) {
    in.report.judge(set->name, "median and linear have a higher RMSE and capacity loss than actual",
                    is_least(c.rmse, 0) && is_least(c.capacity, 0), described(c));
  }
}

void draw_precision(FigureInput& in) {
  in.report.begin("10", "Figure 10: average precision",
                  "AP at 1, 5 and 10 of the rating objective, without capacity (alpha 0) and with "
                  "it (alpha 0.2). The paper does not say what the lists are made of: here of the "
                  "user's test items, and of the whole catalogue less the training half.");
  std::vector<std::string> charts;
  std::vector<std::function<void()>> judgements;
  for (const StudySet& set : in.sets) {
    Experiment plain = at_default_alpha(in, set.rating_method());
    plain.training.alpha = 0.0F;
    const Experiment cap = at_default_alpha(in, set.rating_method());
    for (const CandidateKind& kind : kKinds) {
      const std::string where = std::string(", ") + kind.words;
      const auto without =
          by_top(in, set, "alpha 0" + where, plain, kind.lists, &ListMetrics::ap, "AP");
      const auto with =
          by_top(in, set, "alpha 0.2" + where, cap, kind.lists, &ListMetrics::ap, "AP");
      charts.push_back(line_chart(set.name + where, {"length of the list"}, {"AP"},
                                  {series_of("unconstrained", tops(), without),
                                   series_of("Cap-, alpha 0.2", tops(), with)}));
      judgements.push_back([&in, &set, &kind, without, with] {
        const std::string found = "unconstrained " + list_of(without) + "; Cap- " + list_of(with);
        const std::string in_lists = std::string(kind.words) + ": ";
        if (set.has_places()) {
          in.report.judge(set.name, in_lists + "Cap-GeoMF above GeoMF", above(with, without), found,
                          set.name == "foursquare"
                              ? "The GeoMF trained here is more accurate than the paper's (RMSE "
                                "0.55 against 0.66), so there is less for capacity to mend."
                              : "");
        } else {
          in.report.judge(set.name, in_lists + "Cap-PMF below PMF", above(without, with), found);
        }
        in.report.judge(set.name, in_lists + "AP falls with the length",
                        falls(without) && falls(with), found);
      });
    }
  }
  in.report.page.charts(charts);
  for (const auto& judgement : judgements) judgement();
}

void draw_baseline(FigureInput& in) {
  in.report.begin(
      "11", "Figure 11: against the post-processing baseline",
      "Explicit feedback, ranking objective: BPR, Cap-BPR at alpha 0.2, and BPR followed "
      "by the paper's Algorithm 1. Data sets of check-ins have no dislikes and are left "
      "out.");
  std::vector<std::string> charts;
  std::vector<std::pair<const StudySet*, Contest>> found;
  for (const StudySet& set : in.sets) {
    if (!set.ratings.has_stars) continue;
    for (const char* capacity : {"actual", "reverse-binning"}) {
      for (const CandidateKind& kind : kKinds) {
        found.emplace_back(&set, hold_contest(in, set, capacity, kind, charts));
      }
    }
  }
  in.report.page.charts(charts);
  for (const auto& [set, contest] : found) judge_contest(in, *set, contest);
}

}  // namespace headroom::sim
