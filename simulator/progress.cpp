#include "simulator/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace headroom::sim {

namespace {

// Of the terminal; a longer line would wrap and scroll.
std::size_t columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

ProgressBar::ProgressBar(std::string bound)
    : bound_(std::move(bound)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double done, const std::string& words) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!on_terminal_ || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr int kWidth = 12;
  const double part = std::clamp(done, 0.0, 1.0);
  std::string bar(kWidth, '.');
  std::fill_n(bar.begin(), static_cast<int>(part * kWidth), '#');
  const double spent = std::chrono::duration<double>(now - began_).count();
  const std::string left =
      part > 0.0 ? ", " + bound_ + " " + short_duration(spent * (1.0 - part) / part) + " left" : "";
  std::string line = "[" + bar + "] " + words + left;
  line.resize(std::min(line.size(), columns() - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

std::string short_duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + "s";
  if (whole < 3600) return std::to_string(whole / 60) + "m" + std::to_string(whole % 60) + "s";
  return std::to_string(whole / 3600) + "h" + std::to_string(whole % 3600 / 60) + "m";
}

}  // namespace headroom::sim
