#include "simulator/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headroom::sim {

void FigureReport::begin(const std::string& figure, const std::string& heading,
                         const std::string& words) {
  figure_ = figure;
  page.section(heading, "figure-" + figure);
  page.paragraph(words);
}

void FigureReport::point(const std::string& dataset, const std::string& series,
                         const std::string& x, const std::string& metric, const Spread& value) {
  points.push_back({figure_, dataset, series, x, metric, value});
}

void FigureReport::judge(const std::string& dataset, const std::string& claim, bool held,
                         const std::string& measured, const std::string& note) {
  const Claim judged{dataset + ": " + claim, held ? Verdict::kHeld : Verdict::kNotHeld, measured,
                     held || note.empty() ? "" : "A possible reason, not tested: " + note};
  page.claim(judged);
  claims.push_back({figure_, dataset, judged});
}

std::vector<Spread> measure_row(FigureInput& in, const StudySet& set, const std::string& series,
                                const std::vector<Labelled>& row, const std::string& metric,
                                const Reading& reading) {
  std::vector<Spread> values;
  for (const Labelled& one : row) {
    values.push_back(spread_over(in.book.runs(set, one.experiment), reading));
    in.report.point(set.name, series, one.x, metric, values.back());
  }
  return values;
}

bool falls(const std::vector<Spread>& values) {
  for (std::size_t at = 1; at < values.size(); ++at) {
    // A single run has no deviation, and gets no slack.
    const double slack = std::fmax(std::fmax(values[at].deviation, values[at - 1].deviation), 0.0);
    if (values[at].mean > values[at - 1].mean + slack) return false;
  }
  return values.back().mean < values.front().mean;
}

bool rises(const std::vector<Spread>& values) {
  return falls(std::vector<Spread>(values.rbegin(), values.rend()));
}

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string list_of(const std::vector<Spread>& values) {
  std::string out;
  for (const Spread& value : values) out += (out.empty() ? "" : ", ") + number(value.mean);
  return out;
}

std::string in_words(const Spread& value) {
  if (!std::isfinite(value.deviation)) return number(value.mean);
  return number(value.mean) + " +- " + number(value.deviation, 2);
}

Series series_of(const std::string& name, const std::vector<double>& x,
                 const std::vector<Spread>& values) {
  Series series{name, x, {}, {}};
  for (const Spread& value : values) {
    series.y.push_back(value.mean);
    series.deviation.push_back(value.deviation);
  }
  return series;
}

}  // namespace headroom::sim
