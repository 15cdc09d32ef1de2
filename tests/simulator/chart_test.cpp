#include "simulator/chart.hpp"

#include <cmath>
#include <numeric>

#include "support/catch.hpp"
#include "support/tag_balance.hpp"

using namespace headroom::sim;
using headroom::test::occurrences;
using headroom::test::tag_fault;

namespace {

const double kNaN = std::nan("");

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

// The `d` of the path that carries the series' line or dots.
std::string path_titled(const std::string& svg, const std::string& name) {
  const std::size_t title = svg.find("<title>" + name + "</title></path>");
  if (title == std::string::npos) return "";
  const std::size_t from = svg.rfind("d=\"", title) + 3;
  return svg.substr(from, svg.find('"', from) - from);
}

Series ramp(std::size_t n) {
  Series s{"ramp", std::vector<double>(n), std::vector<double>(n), {}};
  std::iota(s.x.begin(), s.x.end(), 0.0);
  std::iota(s.y.begin(), s.y.end(), 5.0);
  return s;
}

void check_sound(const std::string& svg) {
  CHECK(tag_fault(svg) == "");
  CHECK(contains(svg, "role=\"img\""));
  CHECK_FALSE(contains(svg, "nan"));
  CHECK_FALSE(contains(svg, "inf"));
}

}  // namespace

TEST_CASE("a line chart has a line, markers with tooltips, and a legend") {
  const std::string svg = line_chart("Recall", {"weight"}, {"recall"},
                                     {{"PMF", {0, 1, 2}, {0.1, 0.2, 0.3}, {0.01, 0.02, kNaN}}});
  check_sound(svg);
  CHECK(contains(svg, "<title>Recall</title>"));
  CHECK(contains(svg, "<title>PMF\n1: 0.2 ± 0.02</title>"));
  CHECK(contains(svg, "<title>PMF\n2: 0.3</title>"));
  CHECK(contains(svg, ">PMF</text>"));
  CHECK(occurrences(path_titled(svg, "PMF"), "L") == 2);
  CHECK(occurrences(svg, "stroke-opacity=\".6\"") == 1);
}

TEST_CASE("chart text is escaped") {
  const std::string bad = "<script>\"&'";
  const Series s{bad, {1, 2}, {1, 2}, {}};
  for (const std::string& svg :
       {line_chart(bad, {bad}, {bad}, {s}), scatter_chart(bad, {bad}, {bad}, {s}),
        bar_chart(bad, bad, {bad, bad}, {s}),
        bar_chart(bad, bad, std::vector<std::string>(30, bad), {s})}) {
    check_sound(svg);
    CHECK_FALSE(contains(svg, "<script"));
    CHECK(contains(svg, "&lt;script&gt;&quot;&amp;&#39;"));
  }
}

TEST_CASE("NaN breaks a line") {
  const std::string svg =
      line_chart("t", {"x"}, {"y"}, {{"s", {0, 1, 2, 3, 4}, {1, 2, kNaN, 2, 1}, {}}});
  check_sound(svg);
  CHECK(occurrences(path_titled(svg, "s"), "M") == 2);
  CHECK(occurrences(svg, "<title>s\n") == 4);
}

TEST_CASE("a log axis leaves out what is not above zero") {
  const Series s{"s", {0, 1, 10, 100, -5}, {1, 1, 10, 0, 3}, {0, 2, 0, 0, 0}};
  const std::string svg = line_chart("t", {"x", true}, {"y", true}, {s});
  check_sound(svg);
  CHECK(occurrences(svg, "<title>s\n") == 2);
  CHECK(contains(svg, "<title>s\n1: 1 ± 2</title>"));
}

TEST_CASE("charts without data say so") {
  const Series nothing{"s", {1, kNaN}, {kNaN, 1}, {}};
  for (const std::string& svg :
       {line_chart("t", {"x"}, {"y"}, {}), line_chart("t", {"x"}, {"y"}, {nothing}),
        line_chart("", {"", true}, {"", true}, {{"", {0}, {0}, {}}}),
        scatter_chart("t", {"x"}, {"y"}, {}, Aspect::kMap), bar_chart("t", "y", {}, {}),
        bar_chart("t", "y", {"a"}, {{"s", {}, {kNaN}, {}}})}) {
    check_sound(svg);
    CHECK(contains(svg, "no data"));
  }
}

TEST_CASE("a single point and a flat line are drawn") {
  for (const bool log : {false, true}) {
    const std::string one = line_chart("t", {"x", log}, {"y", log}, {{"s", {3}, {7}, {}}});
    check_sound(one);
    CHECK(contains(one, "<title>s\n3: 7</title>"));
    check_sound(line_chart("t", {"x", log}, {"y", log}, {{"s", {1, 2}, {7, 7}, {}}}));
  }
  check_sound(scatter_chart("t", {"x"}, {"y"}, {{"s", {3}, {7}, {}}}, Aspect::kEqual));
}

TEST_CASE("long lines have no markers") {
  CHECK(occurrences(line_chart("t", {"x"}, {"y"}, {ramp(40)}), "<title>ramp\n") == 40);
  const std::string svg = line_chart("t", {"x"}, {"y"}, {ramp(41)});
  check_sound(svg);
  CHECK(occurrences(svg, "<title>ramp\n") == 0);
  CHECK(occurrences(path_titled(svg, "ramp"), "L") == 40);
}

TEST_CASE("a line needs as many x as y") {
  const std::string svg = line_chart("t", {"x"}, {"y"}, {{"s", {1, 2, 3}, {1, 2}, {}}});
  CHECK(occurrences(svg, "<title>s\n") == 2);
}

TEST_CASE("a bar chart has one bar per group and series, from zero, and error bars") {
  const std::string svg =
      bar_chart("Recall", "recall", {"NYC", "Tokyo"},
                {{"PMF", {}, {4, 2}, {1, 0.5}}, {"Cap-PMF", {}, {-1, kNaN}, {}}});
  check_sound(svg);
  CHECK(occurrences(svg, "<rect ") == 3);
  CHECK(contains(svg, "<title>NYC\nPMF: 4 ± 1</title>"));
  CHECK(contains(svg, "<title>NYC\nCap-PMF: -1</title>"));
  CHECK(contains(svg, ">Tokyo</text>"));
  CHECK(contains(svg, ">0</text>"));
}

TEST_CASE("a scatter chart of thousands of dots is compact") {
  Series s = ramp(5000);
  s.x.insert(s.x.end(), 20000, 77.0);
  s.y.insert(s.y.end(), 20000, 82.0);
  const std::string svg = scatter_chart("t", {"x"}, {"y"}, {s});
  check_sound(svg);
  CHECK(svg.size() < 100'000);
  CHECK(occurrences(path_titled(svg, "ramp"), "M") > 3000);
}

TEST_CASE("a scatter chart can keep the aspect") {
  // The corners of a square, and of what a square is on the map at 60 degrees north.
  const Series square{"s", {0, 0, 1, 1}, {0, 1, 0, 1}, {}};
  const Series north{"s", {0, 0, 2, 2}, {59.5, 60.5, 59.5, 60.5}, {}};
  for (const std::string& svg : {scatter_chart("t", {"x"}, {"y"}, {square}, Aspect::kEqual),
                                 scatter_chart("t", {"x"}, {"y"}, {north}, Aspect::kMap)}) {
    check_sound(svg);
    double x[4];
    double y[4];
    std::size_t at = 0;
    for (int i = 0; i < 4; ++i) {
      const std::size_t tip = svg.find("<title>s\n", at);
      const std::string d = svg.substr(svg.rfind("d=\"M", tip) + 4, 20);
      x[i] = std::stod(d);
      y[i] = std::stod(d.substr(d.find(' ')));
      at = tip + 1;
    }
    CHECK(x[2] - x[0] == Approx(y[0] - y[1]).margin(0.3));
  }
}
