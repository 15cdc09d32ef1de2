#include "simulator/chart_frame.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulator/markup.hpp"

namespace headroom::sim {
namespace {

constexpr double kMargin = 10;
constexpr double kLine = 15;  // from one line of text to the next
constexpr double kChar = 7;   // a character at 12 px in the widest of the usual system fonts
constexpr double kBoldChar = 9;
constexpr double kSwatch = 20;
constexpr std::size_t kLongestSlanted = 16;  // characters
constexpr int kTickDigits = 10;              // hides 0.30000000000000004

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

double width_of(const std::string& text) { return kChar * static_cast<double>(characters(text)); }

// The words in lines of at most `most` characters; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, double most) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    from = end + 1;
    if (word.empty()) continue;
    if (!lines.empty() && static_cast<double>(characters(lines.back() + word) + 1) <= most) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string shortened(const std::string& text, std::size_t most) {
  if (characters(text) <= most) return text;
  std::string out;
  for (const char c : text) {
    const bool starts = (static_cast<unsigned char>(c) >> 6) != 2;
    if (starts && characters(out) + 1 == most) break;
    out += c;
  }
  return out + "…";
}

std::vector<std::string> tick_labels(const AxisScale& scale) {
  std::vector<std::string> labels;
  for (const double tick : scale.ticks()) labels.push_back(compact(tick, kTickDigits));
  return labels;
}

double widest(const std::vector<std::string>& labels) {
  return std::accumulate(labels.begin(), labels.end(), 0.0, [](double most, const auto& label) {
    return std::max(most, width_of(label));
  });
}

}  // namespace

ChartFrame::ChartFrame(const std::string& title, const std::string& y_title,
                       const AxisScale& y_scale)
    : title_(title) {
  double at = 4;
  for (const std::string& line : wrapped(title, (kWidth - 2 * kMargin) / kBoldChar)) {
    at += kLine + 2;
    text(kMargin, at, line, R"( font-size="14" font-weight="600")", "var(--chart-title,#222)");
  }
  for (const std::string& line : wrapped(y_title, (kWidth - 2 * kMargin) / kChar)) {
    at += kLine + 1;
    text(kMargin, at, line, "");
  }
  top_ = at + 17;
  end_ = bottom();

  const std::vector<std::string> labels = tick_labels(y_scale);
  left_ = std::max(left_, widest(labels) + 14);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double height = y(y_scale.at(y_scale.ticks()[i]));
    grid_line(left_, height, kRight, height, !y_scale.log() && y_scale.ticks()[i] == 0);
    text(left_ - 6, height + 4, labels[i], R"( text-anchor="end")");
  }
}

void ChartFrame::value_axis(const AxisScale& scale, const std::string& title) {
  const std::vector<std::string> labels = tick_labels(scale);
  const double gap = plot_width() / std::max(1.0, static_cast<double>(labels.size()) - 1);
  const auto stride = static_cast<std::size_t>(std::ceil((widest(labels) + 8) / gap));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double across = x(scale.at(scale.ticks()[i]));
    grid_line(across, y(1), across, bottom(), false);
    if (i % stride == 0) text(across, bottom() + 16, labels[i], R"( text-anchor="middle")");
  }
  grid_line(left_, bottom(), kRight, bottom(), true);
  end_ = bottom() + 20;
  for (const std::string& line : wrapped(title, plot_width() / kChar)) {
    end_ += kLine;
    text(x(0.5), end_, line, R"( text-anchor="middle")");
  }
}

void ChartFrame::group_axis(const std::vector<std::string>& groups) {
  grid_line(left_, bottom(), kRight, bottom(), true);
  const double slot = plot_width() / std::max(1.0, static_cast<double>(groups.size())) - 4;
  const bool fit = std::all_of(groups.begin(), groups.end(), [&](const std::string& group) {
    return widest(wrapped(group, slot / kChar)) <= slot;
  });
  if (fit) {
    wrapped_labels(groups);
  } else {
    slanted_labels(groups);
  }
}

void ChartFrame::wrapped_labels(const std::vector<std::string>& labels) {
  const auto n = static_cast<double>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double at = bottom() + 1;
    for (const std::string& line : wrapped(labels[i], (plot_width() / n - 4) / kChar)) {
      at += kLine;
      text(x((static_cast<double>(i) + 0.5) / n), at, line, R"( text-anchor="middle")");
    }
    end_ = std::max(end_, at + 4);
  }
}

void ChartFrame::slanted_labels(const std::vector<std::string>& labels) {
  const auto n = static_cast<double>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string label = shortened(labels[i], kLongestSlanted);
    body_ += "<g transform=\"translate(" + tenths(x((static_cast<double>(i) + 0.5) / n) + 3) + ' ' +
             tenths(bottom() + 13) + ") rotate(-60)\">";
    text(0, 0, label, R"( text-anchor="end")");
    body_ += "</g>";
    end_ = std::max(end_, bottom() + 14 + width_of(label) * 0.87);
  }
}

void ChartFrame::legend(const std::vector<LegendEntry>& entries) {
  const double room = kWidth - 2 * kMargin;
  double across = 0;
  double at = end_ + 20;
  bool any = false;
  for (const LegendEntry& entry : entries) {
    if (entry.name.empty()) continue;
    const std::string name =
        shortened(entry.name, static_cast<std::size_t>((room - kSwatch) / kChar));
    const double width = kSwatch + 5 + width_of(name);
    if (across > 0 && across + width > room) {
      across = 0;
      at += kLine + 3;
    }
    body_ += "<g transform=\"translate(" + tenths(kMargin + across) + ' ' + tenths(at - 4) +
             ")\">" + entry.swatch + "</g>";
    text(kMargin + across + kSwatch + 5, at, name, "");
    across += width + 14;
    any = true;
  }
  if (any) end_ = at;
}

void ChartFrame::say_empty() {
  text(x(0.5), y(0.5), "no data", R"( text-anchor="middle" font-style="italic")");
}

std::string ChartFrame::svg() const {
  const std::string height = tenths(end_ + kMargin);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" width=\"" +
         tenths(kWidth) + "\" height=\"" + height + "\" viewBox=\"0 0 " + tenths(kWidth) + ' ' +
         height + "\" font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,sans-serif\" " +
         "font-size=\"12\" fill=\"none\"><title>" + escaped(title_) + "</title>" + body_ +
         "</svg>\n";
}

void ChartFrame::grid_line(double x0, double y0, double x1, double y1, bool strong) {
  const char* colour = strong ? "var(--chart-axis,#777)" : "var(--chart-grid,#ddd)";
  body_ += "<path d=\"M" + tenths(x0) + ' ' + tenths(y0) + 'L' + tenths(x1) + ' ' + tenths(y1) +
           "\" style=\"stroke:" + colour + "\"/>";
}

void ChartFrame::text(double x, double y, const std::string& words, const char* attributes,
                      const char* colour) {
  body_ += "<text x=\"" + tenths(x) + "\" y=\"" + tenths(y) + '"' + attributes +
           " style=\"fill:" + colour + "\">" + escaped(words) + "</text>";
}

}  // namespace headroom::sim
