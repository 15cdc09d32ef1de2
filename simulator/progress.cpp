#include "simulator/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headroom::sim {

ProgressBar::ProgressBar() : on_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double done, const std::string& words) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!on_terminal_ || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr int kWidth = 24;
  const double part = std::clamp(done, 0.0, 1.0);
  std::string bar(kWidth, '.');
  std::fill_n(bar.begin(), static_cast<int>(part * kWidth), '#');
  const double spent = std::chrono::duration<double>(now - began_).count();
  const std::string left =
      part > 0.0 ? "  at most " + short_duration(spent * (1.0 - part) / part) + " left" : "";
  std::fprintf(stderr, "\r\033[K[%s] %s%s", bar.c_str(), words.c_str(), left.c_str());
  std::fflush(stderr);
}

std::string short_duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + "s";
  if (whole < 3600) return std::to_string(whole / 60) + "m" + std::to_string(whole % 60) + "s";
  return std::to_string(whole / 3600) + "h" + std::to_string(whole % 3600 / 60) + "m";
}

}  // namespace headroom::sim
