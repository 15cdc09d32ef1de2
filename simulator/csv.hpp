#pragma once

#include <concepts>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace headroom::sim {

// Text, or a number in the fewest digits that read back as the same one. NaN is an empty cell.
class CsvCell {
 public:
  CsvCell(std::string text) : text_(std::move(text)) {}  // implicit, so that a row is a braced list
  CsvCell(const char* text) : text_(text) {}
  CsvCell(double number);
  CsvCell(std::integral auto number) : text_(std::to_string(number)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Writes a CSV file as RFC 4180 has it. Throws Error, which names the path, if it can't be written.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& path, const std::vector<std::string>& header);

  void row(const std::vector<CsvCell>& cells);  // as many as the header has
  void close();  // throws if the last rows can't be written, which the destructor can't tell

 private:
  void write(const std::vector<CsvCell>& cells);
  void check();

  std::string path_;
  std::size_t columns_;
  std::ofstream file_;
};

}  // namespace headroom::sim
