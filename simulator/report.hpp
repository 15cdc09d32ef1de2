#pragma once

#include <filesystem>
#include <string>

#include "simulator/cli.hpp"
#include "simulator/live.hpp"
#include "simulator/replay_report.hpp"

namespace headroom::sim {

// What --out leaves for people: report.json, and report.html, one page that shows the same data and
// needs nothing else, no server and no network. web/ has the page.

// What the page shows of a run: what --json prints, with curves by column and, of a city, the
// places of the first one with how full they were. Long curves are thinned. The caller adds the
// manifest.
Json report_data(const LiveRuns& runs, const LifePlan& first);
Json report_data(const ReplayReport& report);

// Numbers in six digits, whole ones without a point.
Json rounded(const Json& report);

// The page with the data in it, so written that no text of the data can end its element.
std::string report_page(const Json& report);

// Both files, rounded.
void write_report(const Json& report, const std::filesystem::path& folder);

}  // namespace headroom::sim
