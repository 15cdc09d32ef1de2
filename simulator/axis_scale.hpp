#pragma once

#include <limits>
#include <vector>

namespace headroom::sim {

struct AxisRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  bool empty() const { return !(low <= high); }
  double width() const { return high - low; }
  void take(double value);
  void widen_to(double width);  // about the same middle
};

// Can the value be drawn at all? Not NaN, not infinite and, on a log axis, above zero.
bool drawable(double value, bool log);

// Maps values to 0..1 along an axis and chooses its ticks: 1, 2 or 5 times a power of ten.
class AxisScale {
 public:
  enum class Ends {
    kOnTicks,  // the axis grows to whole ticks, so these cover the data
    kAsGiven,  // the axis ends where the range does
  };

  // The range holds drawable values only; if it is empty, the scale is an arbitrary one.
  AxisScale(AxisRange range, bool log, Ends ends = Ends::kOnTicks);

  bool log() const { return log_; }
  const std::vector<double>& ticks() const { return ticks_; }
  double at(double value) const;

 private:
  void choose_linear_ticks();
  void choose_log_ticks();

  bool log_;
  AxisRange range_;
  std::vector<double> ticks_;
};

}  // namespace headroom::sim
