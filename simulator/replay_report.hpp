#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "simulator/cli.hpp"
#include "simulator/interval.hpp"
#include "simulator/replay.hpp"

namespace headroom::sim {

// One policy at one level of overload, by figure in the order of replay_figure_names().
struct ReplayRow {
  ReplayPolicy policy = ReplayPolicy::kNone;
  double overload = 0.0;  // NaN: capacities as they are
  double scale = 1.0;     // of the capacities
  std::vector<Interval> figures;
  std::vector<Interval> less_default;  // paired by seed: this less the default; empty: no default
  Interval hits_kept, wap_kept;        // as a share of the unconstrained, paired by seed
  Interval seated_gain;  // hits that found a free seat over the unconstrained's, less 1
};

struct ReplayReport {
  std::optional<ReplayPolicy> reference;  // the default that others are compared with
  std::vector<ReplayRow> rows;            // by level, then by policy
  std::vector<ReplayRun> runs;
};

// `runs`: by level, seed and policy, in any order; `scales`: by level in the order in which levels
// first come.
ReplayReport report_of(std::vector<ReplayRun> runs, const std::vector<double>& scales);

Json to_json(const ReplayReport& report);
void print_table(const ReplayReport& report);
// curves.csv: a row for each period of each run; policies.csv: a row for each of the report.
void write_csv(const ReplayReport& report, const std::filesystem::path& folder);

}  // namespace headroom::sim
