#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace headroom::sim {

enum class Verdict { kHeld, kNotHeld, kNotRun };

// One thing the paper says, and what we found.
struct Claim {
  std::string claim;
  Verdict verdict = Verdict::kNotRun;
  std::string measured;  // our figures; may be empty
  std::string note;      // may be empty
};

struct Table {
  std::string caption;  // may be empty
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // shorter ones are filled up
};

// One HTML page that needs nothing else: no scripts, no other files, no network. Text is escaped
// here; only charts() takes markup. What is added goes into the latest section, or before the
// first one.
class Page {
 public:
  Page(std::string title, std::string intro);

  // The anchor becomes lower-case letters, digits and dashes, and unique on the page.
  void section(const std::string& heading, const std::string& anchor);
  void paragraph(const std::string& text);
  void charts(
      const std::vector<std::string>& svgs);  // from chart.hpp; side by side if there's room
  void table(const Table& table);             // columns of numbers are aligned right
  void claim(const Claim& claim);
  void manifest(std::string json);  // at the foot of the page, folded

  std::size_t count(Verdict verdict) const;
  std::string html() const;

 private:
  struct Section {
    std::string heading;
    std::string anchor;
    std::string body;
    std::array<std::size_t, 3> verdicts{};  // by Verdict
  };

  std::string free_anchor(const std::string& wanted) const;
  std::string summary() const;

  std::string title_;
  std::string intro_;
  std::vector<Section> sections_;  // the first has no heading
  std::string manifest_;
};

}  // namespace headroom::sim
