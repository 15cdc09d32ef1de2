#pragma once

#include <string>
#include <vector>

namespace headroom::sim {

// Charts as inline SVG: no scripts, no outside files. Colours come from the CSS variables
// --chart-1 to --chart-8, --chart-title, --chart-text, --chart-axis and --chart-grid, with
// fallbacks for a light background. All text is escaped here. What can't be drawn (NaN, infinities,
// values that are not above zero on a log axis) is left out and breaks a line.

struct Series {
  std::string name;  // in the legend unless empty
  std::vector<double> x, y;
  std::vector<double> deviation;  // of y, for error bars; may be empty
};

struct Axis {
  std::string title;
  bool log = false;
};

enum class Aspect {
  kFree,
  kEqual,  // a unit is as long on both axes, which must be linear
  kMap,    // x is longitude and y latitude in degrees: equal where the map's middle is
};

// Points joined in their order. Long series have no markers, hence no tooltips on points.
std::string line_chart(const std::string& title, const Axis& x, const Axis& y,
                       const std::vector<Series>& series);

// For each group one bar per series; Series::y is by group and Series::x unused.
std::string bar_chart(const std::string& title, const std::string& y_title,
                      const std::vector<std::string>& groups, const std::vector<Series>& series);

// Thousands of points are fine: dots that fall together are drawn once.
std::string scatter_chart(const std::string& title, const Axis& x, const Axis& y,
                          const std::vector<Series>& series, Aspect aspect = Aspect::kFree);

}  // namespace headroom::sim
