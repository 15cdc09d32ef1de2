#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headroom::test {

inline std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

// What is wrong with the nesting of the tags, or "" if nothing is. Enough for our own markup: no
// comments, and no "<" or ">" in attributes or style sheets.
inline std::string tag_fault(const std::string& markup) {
  std::vector<std::string> open;
  for (std::size_t at = markup.find('<'); at != std::string::npos; at = markup.find('<', at + 1)) {
    const std::size_t end = markup.find('>', at);
    if (end == std::string::npos) return "no end: " + markup.substr(at, 40);
    const std::string tag = markup.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return "a tag in a tag: " + tag;
    if (occurrences(tag, "\"") % 2 != 0) return "open quote: " + tag;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name == "!doctype" || name == "meta" || tag.back() == '/') continue;
    if (name.front() != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return "unexpected end: " + tag;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "never ended: " + open.back();
}

}  // namespace headroom::test
