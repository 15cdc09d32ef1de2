#include "simulator/page.hpp"

#include "simulator/chart.hpp"
#include "support/catch.hpp"
#include "support/tag_balance.hpp"

using namespace headroom::sim;
using headroom::test::occurrences;
using headroom::test::tag_fault;

namespace {

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("a page escapes its text and stays well formed") {
  const std::string bad = "</p><script>\"&'";
  Page page(bad, bad);
  page.paragraph(bad);
  page.section(bad, bad);
  page.claim({bad, Verdict::kHeld, bad, bad});
  page.table({bad, {bad, bad}, {{bad}, {bad, bad, bad}}});
  page.charts({line_chart(bad, {bad}, {bad}, {})});
  page.manifest("{\"a\": \"" + bad + "\"}");
  const std::string html = page.html();
  CHECK(tag_fault(html) == "");
  CHECK_FALSE(contains(html, "<script"));
  CHECK(contains(html, "&lt;/p&gt;&lt;script&gt;"));
}

TEST_CASE("a page asks no host for anything") {
  Page page("t", "i");
  page.charts({line_chart("t", {"x"}, {"y"}, {})});
  const std::string html = page.html();
  CHECK(occurrences(html, "://") == occurrences(html, "xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK_FALSE(contains(html, "url("));
  CHECK_FALSE(contains(html, "@import"));
  CHECK(contains(html, "default-src 'none'"));
}

TEST_CASE("the summary counts the claims and links to their sections") {
  Page page("t", "");
  page.claim({"before any section", Verdict::kHeld, "", ""});
  page.section("Accuracy", "accuracy");
  page.claim({"a", Verdict::kHeld, "0.1", ""});
  page.claim({"b", Verdict::kHeld, "", "n"});
  page.claim({"c", Verdict::kNotHeld, "", ""});
  page.section("Speed", "speed");
  page.claim({"d", Verdict::kNotRun, "", ""});
  CHECK(page.count(Verdict::kHeld) == 3);
  CHECK(page.count(Verdict::kNotHeld) == 1);
  CHECK(page.count(Verdict::kNotRun) == 1);

  const std::string html = page.html();
  CHECK(tag_fault(html) == "");
  const std::string head = html.substr(0, html.find("</header>"));
  CHECK(contains(head, " 3 held</span>"));
  CHECK(contains(head, " 2 held</span>"));
  CHECK(occurrences(head, " 1 not held</span>") == 2);
  CHECK(occurrences(head, " 1 not run</span>") == 2);
  CHECK(contains(head, "<a href=\"#accuracy\">Accuracy</a>"));
  CHECK(contains(html, "<section id=\"accuracy\">"));
  CHECK(occurrences(html, "<div class=\"claim held\">") == 3);
  CHECK(occurrences(html, "<p class=\"measured\">") == 1);
  CHECK(occurrences(html, "<p class=\"note\">") == 1);
}

TEST_CASE("a page without claims has no counts") {
  Page page("t", "");
  page.section("Notes", "notes");
  CHECK_FALSE(contains(page.html(), "class=\"totals\""));
  CHECK_FALSE(contains(page.html(), "<details>"));
}

TEST_CASE("anchors are plain and unique") {
  Page page("t", "");
  page.section("One", "By  data set!");
  page.section("Two", "by-data-set");
  page.section("Three", "α");
  const std::string html = page.html();
  CHECK(contains(html, "id=\"by-data-set\""));
  CHECK(contains(html, "id=\"by-data-set-2\""));
  CHECK(contains(html, "href=\"#by-data-set-2\""));
  CHECK(contains(html, "id=\"section\""));
}

TEST_CASE("columns of numbers are aligned right, short rows are filled up") {
  Page page("t", "");
  page.table({"",
              {"set", "items", "recall", "when"},
              {{"1M", "1,234", "0.08 ± 0.01", "day 3"}, {"NYC", "n/a", "-1.5e-3", "4"}, {"x"}}});
  const std::string html = page.html();
  CHECK(tag_fault(html) == "");
  CHECK(contains(html, "<th>set</th>"));
  CHECK(contains(html, "<th class=\"number\">items</th>"));
  CHECK(contains(html, "<td class=\"number\">0.08 ± 0.01</td>"));
  CHECK(contains(html, "<td>day 3</td>"));
  CHECK(occurrences(html, "<td") == 12);
}
