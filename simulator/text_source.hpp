#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/byte_source.hpp"
#include "simulator/dataset.hpp"

namespace headroom::sim {

// The lines of a text file, plain or compressed, one at a time and without holding the file.
// A line ends with LF or CRLF, the last one also with the file; a UTF-8 byte order mark in front is
// no part of line 1. No line is passed over: an empty one is a line.
class TextSource {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20U;

  explicit TextSource(const std::filesystem::path& path);

  const std::string& path() const { return file_.path(); }

  // The next line, valid until the next call, or nothing at the end.
  std::optional<std::string_view> next();

  // The line that next() is going to give.
  std::optional<std::string_view> peek();

  // Throws Error if there is no line left.
  void expect_data();

  // Of the line that next() gave last, from 1.
  std::size_t line_number() const { return line_number_; }

  // Throws Error that names the file and the line that next() gave last.
  [[noreturn]] void fail_line(const std::string& reason) const;

  // Name and hash, for the list of sources. The last thing to ask for.
  SourceFile describe() { return {path(), file_.sha256()}; }

 private:
  std::optional<std::string_view> fetch();
  bool refill();

  HashedFile file_;
  std::unique_ptr<ByteSource> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::optional<std::string_view> ahead_;
  std::size_t line_number_ = 0;
};

}  // namespace headroom::sim
