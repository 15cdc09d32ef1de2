#pragma once

#include <string>
#include <vector>

#include "simulator/axis_scale.hpp"

namespace headroom::sim {

// What surrounds the marks of a chart: titles, axes, grid and legend. Used by chart.cpp only.
class ChartFrame {
 public:
  static constexpr double kWidth = 440;
  static constexpr double kPlotHeight = 210;
  static constexpr double kRight = kWidth - 14;

  struct LegendEntry {
    std::string name;
    std::string swatch;  // markup about the origin, 20 wide
  };

  // Draws the titles and the y axis; one of the x axes and then the legend follow.
  ChartFrame(const std::string& title, const std::string& y_title, const AxisScale& y);

  void value_axis(const AxisScale& x, const std::string& title);
  void group_axis(const std::vector<std::string>& groups);
  void legend(const std::vector<LegendEntry>& entries);  // those without a name are left out
  void add(const std::string& markup) { body_ += markup; }
  void say_empty();  // for a chart without a single mark

  // From 0..1 along an axis to the drawing.
  double x(double along) const { return left_ + along * (kRight - left_); }
  double y(double along) const { return bottom() - along * kPlotHeight; }
  double bottom() const { return top_ + kPlotHeight; }
  double plot_width() const { return kRight - left_; }

  std::string svg() const;

 private:
  void grid_line(double x0, double y0, double x1, double y1, bool strong);
  void text(double x, double y, const std::string& words, const char* attributes,
            const char* colour = "var(--chart-text,#444)");
  void slanted_labels(const std::vector<std::string>& labels);
  void wrapped_labels(const std::vector<std::string>& labels);

  std::string title_;
  std::string body_;
  double left_ = 44;
  double top_ = 0;
  double end_ = 0;  // how far down the drawing reaches
};

}  // namespace headroom::sim
