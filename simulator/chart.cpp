#include "simulator/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "simulator/axis_scale.hpp"
#include "simulator/chart_frame.hpp"
#include "simulator/markup.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kMostLineMarkers = 40;
constexpr std::size_t kMostScatterMarkers = 200;
constexpr double kMapMargin = 1.06;  // keeps dots off the edges where the axis ends with the data
constexpr double kCap = 3;           // half the width of an error bar's ends

// After Okabe and Ito, darkened where white needs it. The page sets lighter ones for the dark.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#aa4499",
                                                 "#a07000", "#666666", "#3fa2dc", "#882255"};

// Shapes and dashes tell series apart without colour, on paper too. Each starts at its middle.
constexpr std::array<const char*, 4> kShapes = {"m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z",
                                                "m-2.9-2.9h5.8v5.8h-5.8z", "m0-4l3.7 6.6h-7.4z",
                                                "m0-4.2l4.2 4.2l-4.2 4.2l-4.2-4.2z"};
constexpr std::array<const char*, 4> kDashes = {
    "", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 4\"", " stroke-dasharray=\"9 4 2 4\""};

struct Plane {
  AxisScale x;
  AxisScale y;
  ChartFrame frame;

  bool shows(const Series& s, std::size_t i) const {
    return drawable(s.x[i], x.log()) && drawable(s.y[i], y.log());
  }
  double px(double value) const { return frame.x(x.at(value)); }
  // Clamped, as the lower end of an error bar may be no value of a log axis.
  double py(double value) const {
    return frame.y(drawable(value, y.log()) ? std::clamp(y.at(value), 0.0, 1.0) : 0);
  }
};

std::string point(double x, double y) { return tenths(x) + ' ' + tenths(y); }

std::string coloured(std::size_t series, const std::string& markup) {
  const std::size_t colour = series % kColours.size();
  return "<g style=\"color:var(--chart-" + std::to_string(colour + 1) + ',' + kColours[colour] +
         ")\">" + markup + "</g>";
}

std::string marker(const std::string& at, std::size_t series, const std::string& tip) {
  return "<path d=\"M" + at + kShapes[series % kShapes.size()] + "\" fill=\"currentColor\">" +
         (tip.empty() ? "" : "<title>" + escaped(tip) + "</title>") + "</path>";
}

// NaN where there is none.
double deviation(const Series& s, std::size_t i) {
  const bool has = i < s.deviation.size() && s.deviation[i] > 0 && drawable(s.deviation[i], false);
  return has ? s.deviation[i] : std::nan("");
}

std::string with_deviation(const Series& s, std::size_t i) {
  const double d = deviation(s, i);
  return compact(s.y[i]) + (std::isnan(d) ? "" : " ± " + compact(d));
}

std::string tooltip(const Series& s, std::size_t i) {
  return (s.name.empty() ? "" : s.name + "\n") + compact(s.x[i]) + ": " + with_deviation(s, i);
}

std::size_t size_of(const Series& s) { return std::min(s.x.size(), s.y.size()); }

void take_y(AxisRange& range, const Series& s, std::size_t i, bool log) {
  range.take(s.y[i]);
  for (const double end : {s.y[i] - deviation(s, i), s.y[i] + deviation(s, i)}) {
    if (drawable(end, log)) range.take(end);
  }
}

std::string error_bar(double x, double low, double high) {
  const std::string cap = 'h' + tenths(2 * kCap);
  return 'M' + point(x, low) + 'V' + tenths(high) + 'M' + point(x - kCap, low) + cap + 'M' +
         point(x - kCap, high) + cap;
}

// Widens the range that is short for its side of the plot. `unit`: of x, in units of y.
void equalise(AxisRange& x, AxisRange& y, double width, double unit) {
  const double per_pixel =
      kMapMargin * std::max(x.width() * unit / width, y.width() / ChartFrame::kPlotHeight);
  x.widen_to(per_pixel * width / unit);
  y.widen_to(per_pixel * ChartFrame::kPlotHeight);
}

double longitude_unit(const AxisRange& latitude) {
  const double middle = (latitude.low + latitude.high) / 2;
  return std::max(0.1, std::cos(middle * std::numbers::pi / 180));  // at the poles it would be 0
}

Plane make_plane(const std::string& title, const Axis& x, const Axis& y,
                 const std::vector<Series>& series, Aspect aspect) {
  AxisRange xs;
  AxisRange ys;
  for (const Series& s : series) {
    for (std::size_t i = 0; i < size_of(s); ++i) {
      if (!drawable(s.x[i], x.log) || !drawable(s.y[i], y.log)) continue;
      xs.take(s.x[i]);
      take_y(ys, s, i, y.log);
    }
  }
  const bool equal = aspect != Aspect::kFree && !xs.empty() && !x.log && !y.log;
  if (equal) {
    const double width = ChartFrame(title, y.title, AxisScale(ys, false)).plot_width();
    equalise(xs, ys, width, aspect == Aspect::kMap ? longitude_unit(ys) : 1);
  }
  const auto ends = equal ? AxisScale::Ends::kAsGiven : AxisScale::Ends::kOnTicks;
  const AxisScale y_scale(ys, y.log, ends);
  Plane plane{AxisScale(xs, x.log, ends), y_scale, ChartFrame(title, y.title, y_scale)};
  plane.frame.value_axis(plane.x, x.title);
  if (xs.empty()) plane.frame.say_empty();
  return plane;
}

std::string markers(const Plane& plane, const Series& s, std::size_t index) {
  std::string out;
  for (std::size_t i = 0; i < size_of(s); ++i) {
    if (!plane.shows(s, i)) continue;
    out += marker(point(plane.px(s.x[i]), plane.py(s.y[i])), index, tooltip(s, i));
  }
  return out;
}

std::string error_bars(const Plane& plane, const Series& s) {
  std::string d;
  for (std::size_t i = 0; i < size_of(s); ++i) {
    const double by = deviation(s, i);
    if (!plane.shows(s, i) || std::isnan(by)) continue;
    d += error_bar(plane.px(s.x[i]), plane.py(s.y[i] - by), plane.py(s.y[i] + by));
  }
  if (d.empty()) return "";
  return "<path d=\"" + d + "\" stroke=\"currentColor\" stroke-opacity=\".6\"/>";
}

// h0 makes a dot of a point that has a gap on both sides.
std::string line(const Plane& plane, const Series& s, const char* dash) {
  std::string d;
  bool drawing = false;
  for (std::size_t i = 0; i < size_of(s); ++i) {
    if (!plane.shows(s, i)) {
      drawing = false;
      continue;
    }
    d += drawing ? 'L' : 'M';
    d += point(plane.px(s.x[i]), plane.py(s.y[i]));
    if (!drawing) d += "h0";
    drawing = true;
  }
  if (d.empty()) return "";
  return "<path d=\"" + d + "\" stroke=\"currentColor\" stroke-width=\"1.8\"" + dash +
         " stroke-linejoin=\"round\" stroke-linecap=\"round\"><title>" + escaped(s.name) +
         "</title></path>";
}

// All dots of a series as one path of points with round ends; any two in one place are one.
std::string dots(const Plane& plane, const Series& s) {
  std::vector<std::pair<long, long>> places;  // in tenths of a pixel
  for (std::size_t i = 0; i < size_of(s); ++i) {
    if (!plane.shows(s, i)) continue;
    places.emplace_back(std::lround(plane.px(s.x[i]) * 10), std::lround(plane.py(s.y[i]) * 10));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::string d;
  for (const auto& [x, y] : places) {
    d += 'M' + point(static_cast<double>(x) / 10, static_cast<double>(y) / 10) + "h0";
  }
  if (d.empty()) return "";
  return "<path d=\"" + d + "\" stroke=\"currentColor\" stroke-width=\"2.6\" " +
         "stroke-opacity=\".6\" stroke-linecap=\"round\"><title>" + escaped(s.name) +
         "</title></path>";
}

std::string bar(const Plane& plane, double left, double width, double value,
                const std::string& tip) {
  const double top = plane.py(std::max(value, 0.0));
  const double height = plane.py(std::min(value, 0.0)) - top;
  return "<rect x=\"" + tenths(left) + "\" y=\"" + tenths(top) + "\" width=\"" + tenths(width) +
         "\" height=\"" + tenths(height) + "\" fill=\"currentColor\"><title>" + escaped(tip) +
         "</title></rect>";
}

// The bars of series `index` of `count`, each within its group's slot.
std::string bars(const Plane& plane, const std::vector<std::string>& groups, const Series& s,
                 std::size_t index, std::size_t count) {
  const double slot = plane.frame.plot_width() / static_cast<double>(groups.size());
  const double width = slot * 0.8 / static_cast<double>(count);
  std::string out;
  std::string errors;
  for (std::size_t i = 0; i < std::min(groups.size(), s.y.size()); ++i) {
    if (!drawable(s.y[i], false)) continue;
    const double left = plane.frame.x(0) + slot * (static_cast<double>(i) + 0.1) +
                        width * static_cast<double>(index);
    const std::string tip = groups[i] + (s.name.empty() ? "" : "\n" + s.name);
    // A sliver of space between neighbours, so that they are told apart without outlines.
    out += bar(plane, left, std::max(width - 1, 0.5), s.y[i], tip + ": " + with_deviation(s, i));
    const double by = deviation(s, i);
    if (std::isnan(by)) continue;
    errors += error_bar(left + width / 2, plane.py(s.y[i] - by), plane.py(s.y[i] + by));
  }
  if (!errors.empty())
    out += "<path d=\"" + errors + "\" style=\"stroke:var(--chart-text,#444)\"/>";
  return out;
}

}  // namespace

std::string line_chart(const std::string& title, const Axis& x, const Axis& y,
                       const std::vector<Series>& series) {
  Plane plane = make_plane(title, x, y, series, Aspect::kFree);
  std::vector<ChartFrame::LegendEntry> legend;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const bool marked = size_of(series[i]) <= kMostLineMarkers;
    const char* dash = marked ? "" : kDashes[i % kDashes.size()];
    plane.frame.add(coloured(i, line(plane, series[i], dash) + error_bars(plane, series[i]) +
                                    (marked ? markers(plane, series[i], i) : "")));
    const std::string swatch =
        std::string("<path d=\"M0 0h20\" stroke=\"currentColor\" stroke-width=\"1.8\"") + dash +
        "/>" + (marked ? marker("10 0", i, "") : "");
    legend.push_back({series[i].name, coloured(i, swatch)});
  }
  plane.frame.legend(legend);
  return plane.frame.svg();
}

std::string bar_chart(const std::string& title, const std::string& y_title,
                      const std::vector<std::string>& groups, const std::vector<Series>& series) {
  AxisRange ys{0, 0};  // bars start at zero
  bool empty = true;
  for (const Series& s : series) {
    for (std::size_t i = 0; i < std::min(groups.size(), s.y.size()); ++i) {
      if (!drawable(s.y[i], false)) continue;
      take_y(ys, s, i, false);
      empty = false;
    }
  }
  const AxisScale y_scale(ys, false);
  Plane plane{AxisScale({}, false), y_scale, ChartFrame(title, y_title, y_scale)};
  plane.frame.group_axis(groups);
  if (empty) plane.frame.say_empty();
  std::vector<ChartFrame::LegendEntry> legend;
  for (std::size_t i = 0; i < series.size(); ++i) {
    plane.frame.add(coloured(i, bars(plane, groups, series[i], i, series.size())));
    legend.push_back(
        {series[i].name, coloured(i, "<path d=\"M4-6h12v12h-12z\" fill=\"currentColor\"/>")});
  }
  plane.frame.legend(legend);
  return plane.frame.svg();
}

std::string scatter_chart(const std::string& title, const Axis& x, const Axis& y,
                          const std::vector<Series>& series, Aspect aspect) {
  Plane plane = make_plane(title, x, y, series, aspect);
  std::vector<ChartFrame::LegendEntry> legend;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const bool marked = size_of(series[i]) <= kMostScatterMarkers;
    plane.frame.add(
        coloured(i, error_bars(plane, series[i]) +
                        (marked ? markers(plane, series[i], i) : dots(plane, series[i]))));
    const std::string dot =
        "<path d=\"M10 0h0\" stroke=\"currentColor\" stroke-width=\"7\" stroke-linecap=\"round\"/>";
    legend.push_back({series[i].name, coloured(i, marked ? marker("10 0", i, "") : dot)});
  }
  plane.frame.legend(legend);
  return plane.frame.svg();
}

}  // namespace headroom::sim
