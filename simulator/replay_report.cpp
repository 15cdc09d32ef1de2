#include "simulator/replay_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "headroom/base/error.hpp"
#include "simulator/csv.hpp"
#include "simulator/parse_time.hpp"

namespace headroom::sim {
namespace {

bool same_level(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// All runs of one policy at one level, by seed.
std::vector<const ReplayRun*> runs_of(const std::vector<ReplayRun>& runs, ReplayPolicy policy,
                                      double overload) {
  std::vector<const ReplayRun*> out;
  for (const ReplayRun& run : runs) {
    if (run.policy == policy && same_level(run.overload, overload)) out.push_back(&run);
  }
  std::sort(out.begin(), out.end(),
            [](const ReplayRun* a, const ReplayRun* b) { return a->seed < b->seed; });
  return out;
}

template <class Of>
Interval over_seeds(const std::vector<const ReplayRun*>& runs, const Of& of) {
  std::vector<double> values;
  for (std::size_t n = 0; n < runs.size(); ++n) values.push_back(of(n));
  return interval_of(values);
}

Interval share_of(const std::vector<const ReplayRun*>& runs,
                  const std::vector<const ReplayRun*>& whole, double ReplayFigures::*of,
                  double less) {
  if (whole.size() != runs.size()) return {std::nan(""), std::nan(""), std::nan("")};
  return over_seeds(runs,
                    [&](std::size_t n) { return runs[n]->total.*of / whole[n]->total.*of - less; });
}

ReplayRow row_of(const ReplayReport& report, ReplayPolicy policy, double overload) {
  ReplayRow row;
  row.policy = policy;
  row.overload = overload;
  const auto runs = runs_of(report.runs, policy, overload);
  const auto none = runs_of(report.runs, ReplayPolicy::kNone, overload);
  std::vector<const ReplayRun*> reference;
  if (report.reference) reference = runs_of(report.runs, *report.reference, overload);
  for (const auto& [name, of] : replay_figure_names()) {
    row.figures.push_back(over_seeds(runs, [&](std::size_t n) { return runs[n]->total.*of; }));
    if (reference.size() != runs.size()) continue;
    row.less_default.push_back(over_seeds(
        runs, [&](std::size_t n) { return runs[n]->total.*of - reference[n]->total.*of; }));
  }
  row.hits_kept = share_of(runs, none, &ReplayFigures::hit_rate, 0.0);
  row.wap_kept = share_of(runs, none, &ReplayFigures::wap, 0.0);
  row.seated_gain = share_of(runs, none, &ReplayFigures::seated, 1.0);
  return row;
}

Json figures_json(const std::vector<Interval>& figures) {
  Json out;
  for (std::size_t n = 0; n < figures.size(); ++n) {
    out[std::string(replay_figure_names()[n].name)] = to_json(figures[n]);
  }
  return out;
}

double figure(const ReplayRow& row, double ReplayFigures::*of) {
  const auto names = replay_figure_names();
  const auto at = std::find_if(names.begin(), names.end(),
                               [&](const ReplayFigureName& name) { return name.of == of; });
  return row.figures[static_cast<std::size_t>(at - names.begin())].mean;
}

std::string with_interval(const Interval& interval, double factor) {
  char text[64];
  if (std::isnan(interval.low)) {
    std::snprintf(text, sizeof text, "%.1f", factor * interval.mean);
  } else {
    std::snprintf(text, sizeof text, "%.1f ±%.1f", factor * interval.mean,
                  factor * (interval.high - interval.mean));
  }
  return std::isnan(interval.mean) ? "-" : text;
}

// Padded by what is seen: the sign of an interval is two bytes.
void print_cell(const std::string& text, int width) {
  const auto seen = static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
  std::printf(" %*s%s", std::max(0, width - seen), "", text.c_str());
}

void print_number(double value, const char* format, int width) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  print_cell(std::isnan(value) ? "-" : text, width);
}

void print_row(const ReplayRow& row) {
  std::printf("  %-11s", std::string(to_string(row.policy)).c_str());
  print_number(figure(row, &ReplayFigures::hit_rate), "%.4f", 8);
  print_cell(with_interval(row.hits_kept, 100.0), 11);
  print_cell(with_interval(row.wap_kept, 100.0), 11);
  print_cell(with_interval(row.seated_gain, 100.0), 12);
  print_number(100.0 * figure(row, &ReplayFigures::overload_people), "%.2f", 9);
  print_number(100.0 * figure(row, &ReplayFigures::overload_time), "%.2f", 7);
  print_number(figure(row, &ReplayFigures::turned_away), "%.0f", 8);
  print_number(figure(row, &ReplayFigures::oversized), "%.0f", 9);
  print_number(figure(row, &ReplayFigures::people_turned_away), "%.0f", 9);
  print_number(figure(row, &ReplayFigures::capacity_loss), "%.4f", 9);
  print_number(figure(row, &ReplayFigures::gini), "%.3f", 6);
  print_number(100.0 * figure(row, &ReplayFigures::coverage), "%.1f", 7);
  print_number(100.0 * figure(row, &ReplayFigures::value_share), "%.1f", 7);
  print_number(figure(row, &ReplayFigures::listening_error), "%.4f", 8);
  std::printf("\n");
}

void print_level(const ReplayRow& row) {
  if (std::isnan(row.overload)) {
    std::printf("capacities as they are\n");
  } else {
    std::printf("capacities times %.4g: without them %.0f %% of the people sent find no seat\n",
                row.scale, 100.0 * row.overload);
  }
  std::printf("  %-11s %8s %11s %11s %12s %9s %7s %8s %9s %9s %9s %6s %7s %7s %8s\n", "policy",
              "hit rate", "kept %", "WAP kept %", "seated + %", "people %", "time %", "hits",
              "oversized", "people", "capacity", "Gini", "items %", "bound %", "listen");
}

std::vector<CsvCell> cells_of(const ReplayFigures& figures) {
  std::vector<CsvCell> cells;
  for (const auto& [name, of] : replay_figure_names()) cells.emplace_back(figures.*of);
  return cells;
}

void write_curves(const ReplayReport& report, const std::filesystem::path& folder) {
  std::vector<std::string> header = {"overload", "policy", "seed", "from", "to"};
  for (const auto& name : replay_figure_names()) header.emplace_back(name.name);
  CsvWriter csv(folder / "curves.csv", header);
  for (const ReplayRun& run : report.runs) {
    for (const ReplayFigures& period : run.periods) {
      std::vector<CsvCell> cells = {run.overload, std::string(to_string(run.policy)), run.seed,
                                    iso_time(period.from), iso_time(period.to)};
      const auto figures = cells_of(period);
      cells.insert(cells.end(), figures.begin(), figures.end());
      csv.row(cells);
    }
  }
  csv.close();
}

void add_cells(std::vector<CsvCell>& cells, const Interval& interval) {
  cells.insert(cells.end(), {interval.mean, interval.low, interval.high});
}

void write_policies(const ReplayReport& report, const std::filesystem::path& folder) {
  std::vector<std::string> header = {"overload", "scale", "policy"};
  const auto add = [&](const std::string& name) {
    for (const char* part : {"", "_low", "_high"}) header.push_back(name + part);
  };
  for (const char* name : {"hits_kept", "wap_kept", "seated_gain"}) add(name);
  for (const auto& name : replay_figure_names()) add(std::string(name.name));
  CsvWriter csv(folder / "policies.csv", header);
  for (const ReplayRow& row : report.rows) {
    std::vector<CsvCell> cells = {row.overload, row.scale, std::string(to_string(row.policy))};
    for (const Interval& one : {row.hits_kept, row.wap_kept, row.seated_gain})
      add_cells(cells, one);
    for (const Interval& one : row.figures) add_cells(cells, one);
    csv.row(cells);
  }
  csv.close();
}

}  // namespace

ReplayReport report_of(std::vector<ReplayRun> runs, const std::vector<double>& scales) {
  ReplayReport report;
  report.runs = std::move(runs);
  std::vector<double> levels;
  std::vector<ReplayPolicy> policies;
  for (const ReplayRun& run : report.runs) {
    if (std::none_of(levels.begin(), levels.end(),
                     [&](double level) { return same_level(level, run.overload); })) {
      levels.push_back(run.overload);
    }
    if (std::find(policies.begin(), policies.end(), run.policy) == policies.end()) {
      policies.push_back(run.policy);
    }
  }
  for (const ReplayPolicy one : {ReplayPolicy::kPrice, ReplayPolicy::kBoth}) {
    const bool ran = std::find(policies.begin(), policies.end(), one) != policies.end();
    if (ran && !report.reference) report.reference = one;
  }
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (const ReplayPolicy policy : policies) {
      report.rows.push_back(row_of(report, policy, levels[n]));
      report.rows.back().scale = scales.at(n);
    }
  }
  return report;
}

Json to_json(const ReplayReport& report) {
  Json out;
  out["default"] = report.reference ? Json(to_string(*report.reference)) : Json();
  out["policies"] = Json::array();
  for (const ReplayRow& row : report.rows) {
    Json one = {{"policy", to_string(row.policy)},     {"overload", row.overload},
                {"capacity_scale", row.scale},         {"hits_kept", to_json(row.hits_kept)},
                {"wap_kept", to_json(row.wap_kept)},   {"seated_gain", to_json(row.seated_gain)},
                {"figures", figures_json(row.figures)}};
    if (!row.less_default.empty()) one["less_default"] = figures_json(row.less_default);
    out["policies"].push_back(std::move(one));
  }
  return out;
}

void print_table(const ReplayReport& report) {
  const ReplayRow* before = nullptr;
  for (const ReplayRow& row : report.rows) {
    if (before == nullptr || !same_level(before->overload, row.overload)) print_level(row);
    print_row(row);
    before = &row;
  }
  std::printf(
      "kept: of the unconstrained lists' hits and WAP@n, p being the chance of a hit that these "
      "had\n"
      "learned by then; seated: hits that found a free seat, beside theirs; people, time: of the\n"
      "people sent and of (item, time) beyond the seats; hits, people: turned away; oversized: "
      "hits whose\n"
      "place brings more people than its item holds at all; capacity: the paper's capacity loss; "
      "items: shown; bound: value reached of the certified bound; listen:\n"
      "error of the chance of a hit\n");
}

void write_csv(const ReplayReport& report, const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error("--out: cannot make '" + folder.string() + "': " + failure.message());
  write_curves(report, folder);
  write_policies(report, folder);
}

}  // namespace headroom::sim
