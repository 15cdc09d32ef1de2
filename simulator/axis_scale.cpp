#include "simulator/axis_scale.hpp"

#include <algorithm>
#include <cmath>

namespace headroom::sim {
namespace {

constexpr double kIntervals = 5;    // aimed at on a linear scale
constexpr long kMostPowers = 8;     // of ten on a log scale
constexpr double kLargest = 1e150;  // beyond it the arithmetic of steps could overflow
constexpr double kSmallest = 1e-150;
constexpr double kSlack = 1e-9;  // of an interval, so that rounding errors add no tick

double nice_step(double width) {
  const double raw = width / kIntervals;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1 + kSlack)) return factor * power;
  }
  return 10 * power;
}

// A range of no width can't be a scale: gives it one that suits its value.
AxisRange with_width(AxisRange range, bool log) {
  if (range.empty()) return log ? AxisRange{1, 10} : AxisRange{0, 1};
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.width() > size * kSlack && range.width() > kSmallest) return range;
  if (log) return {range.low / 2, range.high * 2};
  if (size < kSmallest) return {0, 1};
  return {range.low - size / 10, range.high + size / 10};
}

}  // namespace

void AxisRange::take(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

void AxisRange::widen_to(double width) {
  const double middle = low + this->width() / 2;
  low = middle - width / 2;
  high = middle + width / 2;
}

bool drawable(double value, bool log) {
  return std::abs(value) <= kLargest && (!log || value >= kSmallest);
}

AxisScale::AxisScale(AxisRange range, bool log, Ends ends)
    : log_(log), range_(with_width(range, log)) {
  if (log_) {
    choose_log_ticks();
  } else {
    choose_linear_ticks();
  }
  if (ends == Ends::kOnTicks) {
    range_ = {ticks_.front(), ticks_.back()};
  } else {
    std::erase_if(ticks_, [&](double tick) { return tick < range_.low || tick > range_.high; });
  }
}

double AxisScale::at(double value) const {
  if (!log_) return (value - range_.low) / range_.width();
  return std::log10(value / range_.low) / std::log10(range_.high / range_.low);
}

void AxisScale::choose_linear_ticks() {
  const double step = nice_step(range_.width());
  const long first = std::lround(std::floor(range_.low / step + kSlack));
  const long last = std::lround(std::ceil(range_.high / step - kSlack));
  // Multiples rather than sums, so that zero is zero and errors don't grow.
  for (long i = first; i <= last; ++i) ticks_.push_back(static_cast<double>(i) * step);
}

void AxisScale::choose_log_ticks() {
  const long first = std::lround(std::floor(std::log10(range_.low) + kSlack));
  const long last = std::lround(std::ceil(std::log10(range_.high) - kSlack));
  const long stride = std::max(1L, (last - first + kMostPowers - 1) / kMostPowers);
  const bool between = last - first <= 2;  // whole powers alone would be two or three ticks
  for (long power = first; power < last + stride; power += stride) {
    ticks_.push_back(std::pow(10, static_cast<double>(power)));
    if (between && power < last) {
      ticks_.push_back(2 * ticks_.back());
      ticks_.push_back(2.5 * ticks_.back());
    }
  }
  // Only the outermost ticks that the data need.
  while (ticks_.size() > 2 && ticks_[1] <= range_.low * (1 + kSlack)) ticks_.erase(ticks_.begin());
  while (ticks_.size() > 2 && ticks_.end()[-2] >= range_.high * (1 - kSlack)) ticks_.pop_back();
}

}  // namespace headroom::sim
