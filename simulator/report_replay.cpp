#include <algorithm>
#include <cmath>

#include "simulator/report.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kMostMoments = 500;  // of a curve

// What a share of each period says, so that periods can be joined by their events.
constexpr std::pair<const char*, double ReplayFigures::*> kColumns[] = {
    {"hit_rate", &ReplayFigures::hit_rate},
    {"wap", &ReplayFigures::wap},
    {"seated", &ReplayFigures::seated},
    {"overload_people", &ReplayFigures::overload_people},
    {"overload_time", &ReplayFigures::overload_time},
    {"listening_error", &ReplayFigures::listening_error},
    {"value_share", &ReplayFigures::value_share}};

// Means over neighbours, each counted by its events; NaN where none says anything.
Json means_of(const std::vector<ReplayFigures>& periods, std::size_t width,
              double ReplayFigures::*of) {
  Json out = Json::array();
  for (std::size_t from = 0; from < periods.size(); from += width) {
    double sum = 0.0, events = 0.0;
    for (std::size_t n = from; n < std::min(from + width, periods.size()); ++n) {
      if (std::isnan(periods[n].*of)) continue;
      sum += periods[n].events * (periods[n].*of);
      events += periods[n].events;
    }
    out.push_back(events > 0.0 ? std::round(1e4 * sum / events) / 1e4 : std::nan(""));
  }
  return out;
}

std::size_t width_of(const ReplayRun& run) {
  return std::max<std::size_t>(1, (run.periods.size() + kMostMoments - 1) / kMostMoments);
}

Json curve_of(const ReplayRun& run) {
  Json out = {{"policy", to_string(run.policy)}, {"overload", run.overload}};
  for (const auto& [name, column] : kColumns) {
    out[name] = means_of(run.periods, width_of(run), column);
  }
  return out;
}

}  // namespace

Json report_data(const ReplayReport& report) {
  Json out = {{"kind", "replay"}};
  out.update(to_json(report));
  // All runs have the same periods.
  const ReplayRun& first = report.runs.front();
  Json& moments = out["moments"] = Json::array();
  for (std::size_t n = 0; n < first.periods.size(); n += width_of(first)) {
    moments.push_back(first.periods[n].from.time_since_epoch().count());
  }
  Json& curves = out["curves"] = Json::array();
  for (const ReplayRun& run : report.runs) {
    if (run.seed == first.seed) curves.push_back(curve_of(run));
  }
  return out;
}

}  // namespace headroom::sim
