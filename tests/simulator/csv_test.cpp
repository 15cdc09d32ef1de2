#include "simulator/csv.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "headroom/base/error.hpp"
#include "support/catch.hpp"

using namespace headroom::sim;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string message_of(const std::filesystem::path& path) {
  try {
    CsvWriter writer(path, {"a"});
    writer.row({1});
    writer.close();
  } catch (const headroom::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a CSV file has its header once and quotes what needs it") {
  const auto path = std::filesystem::temp_directory_path() / "headroom_csv_test.csv";
  CsvWriter writer(path, {"name", "value, in %"});
  writer.row({"plain", 0.1});
  writer.row({"a,b", 1e6});
  writer.row({"say \"hi\"", -3});
  writer.row({std::string("two\nlines"), std::size_t{12}});
  writer.row({"", std::nan("")});
  writer.close();
  CHECK(contents(path) ==
        "name,\"value, in %\"\r\n"
        "plain,0.1\r\n"
        "\"a,b\",1000000\r\n"
        "\"say \"\"hi\"\"\",-3\r\n"
        "\"two\nlines\",12\r\n"
        ",\r\n");
  std::filesystem::remove(path);
}

TEST_CASE("numbers in CSV read back as they were") {
  for (const double value : {1.0 / 3, -1e300, 2.5e-308, 123456.75, 1e15, 9e15, 1e22}) {
    CHECK(std::stod(CsvCell(value).text()) == value);
  }
  CHECK(CsvCell(100000.0).text() == "100000");
  CHECK(CsvCell(INFINITY).text() == "inf");
}

TEST_CASE("a CSV file that can't be written is named") {
  CHECK(message_of("/nonexistent/folder/a.csv") ==
        "/nonexistent/folder/a.csv: can't be written: No such file or directory");
  if (std::filesystem::exists("/dev/full")) {
    CHECK(message_of("/dev/full") == "/dev/full: can't be written: No space left on device");
  }
}
