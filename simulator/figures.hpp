#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/chart.hpp"
#include "simulator/csv.hpp"
#include "simulator/page.hpp"
#include "simulator/run_book.hpp"

namespace headroom::sim {

// What the figures come to: a page, and beside it their numbers.
class FigureReport {
 public:
  struct Point {
    std::string figure, dataset, series, x, metric;
    Spread value;
  };
  struct Judged {
    std::string figure, dataset;
    Claim claim;
  };

  explicit FigureReport(Page empty) : page(std::move(empty)) {}

  void begin(const std::string& figure, const std::string& heading, const std::string& words);
  void point(const std::string& dataset, const std::string& series, const std::string& x,
             const std::string& metric, const Spread& value);
  void judge(const std::string& dataset, const std::string& claim, bool held,
             const std::string& measured, const std::string& note = {});

  Page page;
  std::vector<Point> points;
  std::vector<Judged> claims;

 private:
  std::string figure_;
};

// What every figure is made of.
struct FigureInput {
  const std::vector<StudySet>& sets;
  Experiment base;  // seed, repeats and training; figures set the rest
  RunBook& book;
  FigureReport& report;
};

using Reading = std::function<double(const Measured&)>;
inline const std::vector<float> kAlphas = {0.0F, 0.2F, 0.4F, 0.6F, 0.8F, 1.0F};

// One metric along a row of experiments of one set, noted as points of the report.
struct Labelled {
  std::string x;
  Experiment experiment;
};
std::vector<Spread> measure_row(FigureInput& in, const StudySet& set, const std::string& series,
                                const std::vector<Labelled>& row, const std::string& metric,
                                const Reading& reading);

// Each value is at most the one before it, but for the larger of the two deviations.
bool falls(const std::vector<Spread>& values);
bool rises(const std::vector<Spread>& values);
std::string number(double value, int digits = 4);
std::string list_of(const std::vector<Spread>& values);
std::string in_words(const Spread& value);  // mean and deviation
Series series_of(const std::string& name, const std::vector<double>& x,
                 const std::vector<Spread>& values);

// The paper's tables and figures, in its order.
void draw_stated(FigureInput& in);             // Table 1 and the figures in the text
void draw_settings(FigureInput& in);           // 1
void draw_maps(FigureInput& in);               // 2
void draw_rating_tradeoff(FigureInput& in);    // 3
void draw_ranking_tradeoff(FigureInput& in);   // 4
void draw_training(FigureInput& in);           // 5
void draw_explicit_tradeoff(FigureInput& in);  // 6
void draw_surrogates(FigureInput& in);         // 7
void draw_capacities(FigureInput& in);         // 8
void draw_propensities(FigureInput& in);       // 9
void draw_precision(FigureInput& in);          // 10
void draw_baseline(FigureInput& in);           // 11

}  // namespace headroom::sim
