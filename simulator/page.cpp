#include "simulator/page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "simulator/markup.hpp"
#include "simulator/page_style.hpp"

namespace headroom::sim {
namespace {

struct VerdictLook {
  const char* words;
  const char* style;  // the CSS class
  const char* sign;   // besides the colour, which not everyone sees
};
constexpr std::array<VerdictLook, 3> kLooks = {
    {{"held", "held", "✓"}, {"not held", "not-held", "✗"}, {"not run", "not-run", "–"}}};
constexpr std::array kVerdicts = {Verdict::kHeld, Verdict::kNotHeld, Verdict::kNotRun};

std::size_t index(Verdict verdict) { return static_cast<std::size_t>(verdict); }

std::string element(const std::string& tag, const std::string& text) {
  return '<' + tag + '>' + escaped(text) + "</" + tag + ">\n";
}

std::string badge(Verdict verdict, const std::string& text) {
  const VerdictLook& look = kLooks[index(verdict)];
  return std::string("<span class=\"badge ") + look.style + "\"><span aria-hidden=\"true\">" +
         look.sign + "</span> " + text + "</span>";
}

std::string count_badge(Verdict verdict, std::size_t count) {
  return badge(verdict, std::to_string(count) + ' ' + kLooks[index(verdict)].words);
}

std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += c;
    } else if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "section" : out;
}

bool is_blank(const std::string& cell) {
  return cell.empty() || cell == "-" || cell == "–" || cell == "n/a";
}

// 12, -0.5, 1,234, 3.1 ± 0.2, 45 %, 12k, 1e-5: digits first and little else.
bool is_number(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of("+-.");
  if (first == std::string_view::npos || cell[first] < '0' || cell[first] > '9') return false;
  return cell.find_first_not_of("0123456789.,+-±eEkMG% ()") == std::string_view::npos;
}

std::string cell_of(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? row[column] : "";
}

bool is_number_column(const Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    const std::string cell = cell_of(row, column);
    if (is_blank(cell)) continue;
    if (!is_number(cell)) return false;
    any = true;
  }
  return any;
}

std::string table_row(const std::string& tag, const std::vector<std::string>& cells,
                      const std::vector<bool>& numbers) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out += '<' + tag + (numbers[i] ? " class=\"number\">" : ">") + escaped(cell_of(cells, i)) +
           "</" + tag + '>';
  }
  return out + "</tr>\n";
}

}  // namespace

Page::Page(std::string title, std::string intro)
    : title_(std::move(title)), intro_(std::move(intro)), sections_(1) {}

void Page::section(const std::string& heading, const std::string& anchor) {
  sections_.push_back({heading, free_anchor(slug(anchor)), "", {}});
}

void Page::paragraph(const std::string& text) { sections_.back().body += element("p", text); }

void Page::charts(const std::vector<std::string>& svgs) {
  std::string& body = sections_.back().body;
  body += "<div class=\"charts\">\n";
  for (const std::string& svg : svgs) body += "<div class=\"card\">" + svg + "</div>\n";
  body += "</div>\n";
}

void Page::table(const Table& table) {
  std::size_t columns = table.header.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::vector<bool> numbers(columns);
  for (std::size_t i = 0; i < columns; ++i) numbers[i] = is_number_column(table, i);

  std::string& body = sections_.back().body;
  // A wide table scrolls by itself; the focus lets the keyboard do it too.
  body += "<div class=\"scroll\" tabindex=\"0\"><table>\n";
  if (!table.caption.empty()) body += element("caption", table.caption);
  body += "<thead>" + table_row("th", table.header, numbers) + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) body += table_row("td", row, numbers);
  body += "</tbody></table></div>\n";
}

void Page::claim(const Claim& claim) {
  Section& section = sections_.back();
  const VerdictLook& look = kLooks[index(claim.verdict)];
  ++section.verdicts[index(claim.verdict)];
  section.body += std::string("<div class=\"claim ") + look.style + "\">\n" +
                  badge(claim.verdict, look.words) + "\n<div>\n" + element("p", claim.claim);
  if (!claim.measured.empty()) {
    section.body += "<p class=\"measured\"><b>Measured</b> " + escaped(claim.measured) + "</p>\n";
  }
  if (!claim.note.empty()) section.body += "<p class=\"note\">" + escaped(claim.note) + "</p>\n";
  section.body += "</div>\n</div>\n";
}

void Page::manifest(std::string json) { manifest_ = std::move(json); }

std::size_t Page::count(Verdict verdict) const {
  std::size_t sum = 0;
  for (const Section& section : sections_) sum += section.verdicts[index(verdict)];
  return sum;
}

std::string Page::html() const {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      // The page asks no host for anything, and the browser holds it to that.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n";
  out += element("title", title_);
  out += "<style>\n" + std::string(kPageStyle) + "</style>\n</head>\n<body>\n<header>\n";
  out += element("h1", title_);
  if (!intro_.empty()) out += "<p class=\"intro\">" + escaped(intro_) + "</p>\n";
  out += summary() + "</header>\n<main>\n" + sections_.front().body;
  for (std::size_t i = 1; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    out += "<section id=\"" + section.anchor + "\">\n" + element("h2", section.heading) +
           section.body + "</section>\n";
  }
  out += "</main>\n";
  if (!manifest_.empty()) {
    out += "<footer><details><summary>Manifest of this run</summary>\n<pre tabindex=\"0\">" +
           escaped(manifest_) + "</pre>\n</details></footer>\n";
  }
  return out + "</body>\n</html>\n";
}

std::string Page::free_anchor(const std::string& wanted) const {
  std::string anchor = wanted;
  const auto taken = [&](const Section& section) { return section.anchor == anchor; };
  for (int n = 2; std::any_of(sections_.begin(), sections_.end(), taken); ++n) {
    anchor = wanted + '-' + std::to_string(n);
  }
  return anchor;
}

// How many claims held, then the sections with the same of each.
std::string Page::summary() const {
  std::string out;
  if (count(Verdict::kHeld) + count(Verdict::kNotHeld) + count(Verdict::kNotRun) > 0) {
    out += "<p class=\"totals\">";
    for (const Verdict verdict : kVerdicts) out += count_badge(verdict, count(verdict)) + ' ';
    out += "</p>\n";
  }
  if (sections_.size() == 1) return out;
  out += "<nav aria-label=\"Sections\"><ul>\n";
  for (std::size_t i = 1; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    out += "<li><a href=\"#" + section.anchor + "\">" + escaped(section.heading) + "</a><span>";
    for (const Verdict verdict : kVerdicts) {
      const std::size_t n = section.verdicts[index(verdict)];
      if (n > 0) out += ' ' + count_badge(verdict, n);
    }
    out += "</span></li>\n";
  }
  return out + "</ul></nav>\n";
}

}  // namespace headroom::sim
