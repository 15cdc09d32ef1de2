#include "headroom/app/status.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "headroom/app/npy.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/log_records.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

Status some() {
  Status status;
  status.phase = Phase::kReady;
  status.batch = 7;
  status.counters.events = 11;
  status.counters.rejects[0] = 3;
  status.counters.rejects[1] = 4;
  status.events_per_second = 12.6;
  return status;
}

TEST_CASE("the status is JSON") {
  auto status = some();
  auto json = nlohmann::json::parse(status_json(status));
  CHECK(json["phase"] == "ready");
  CHECK(json["ready"] == true);
  CHECK(json["problem"].is_null());
  CHECK(json["now"].is_null());
  CHECK(json["batch"] == 7);
  CHECK(json["events_total"] == 11);
  CHECK(json["events_per_second"] == 13);
  CHECK(json["dead_letters_total"] == 7);
  CHECK(json["dead_letters"]["too_long"] == 3);
  status.phase = Phase::kFailed;
  status.problem = "a \"quote\"\nand a line";
  status.now = Time{};
  json = nlohmann::json::parse(status_json(status));
  CHECK(json["phase"] == "failed");
  CHECK(json["ready"] == false);
  CHECK(json["problem"] == status.problem);
  CHECK(json["now"] == "1970-01-01T00:00:00.000Z");
  status.problem = "no UTF-8: \xff";
  CHECK_NOTHROW(nlohmann::json::parse(status_json(status)));
}

TEST_CASE("the metrics are in the Prometheus text format, and only totals are counters") {
  const auto text = status_metrics(some());
  const std::regex sample(R"(([a-z_]+)(\{kind="[a-z_0-9]+"\})? [0-9]+(\.[0-9]+)?)");
  const std::regex type(R"(# TYPE ([a-z_]+) (counter|gauge))");
  const std::regex help(R"(# HELP [a-z_]+ [^\\]+\.)");
  std::set<std::string> known, samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    std::smatch parts;
    if (line.starts_with("# HELP")) {
      CHECK(std::regex_match(line, help));
    } else if (std::regex_match(line, parts, type)) {
      CHECK(known.insert(parts[1]).second);
      CHECK((parts[2] == "counter") == parts[1].str().ends_with("_total"));
    } else {
      REQUIRE(std::regex_match(line, parts, sample));
      CHECK(known.contains(parts[1]));
      CHECK(samples.insert(parts[1].str() + parts[2].str()).second);
    }
  }
  CHECK(text.ends_with("\n"));
  CHECK(samples.contains("headroom_ready"));
  CHECK(samples.contains("headroom_dead_letters_total{kind=\"far_time\"}"));
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) {
    WARN("no promtool on PATH: not checked with it");
    return;
  }
  const test::FastTempDir dir;
  const auto file = dir.write("metrics.prom", text);
  CHECK(std::system(("promtool check metrics <'" + file.string() + "'").c_str()) == 0);
}

TEST_CASE("a file is rewritten as a whole") {
  const test::FastTempDir dir;
  const auto file = dir.path() / "status.json";
  rewrite(file, "one");
  const std::ifstream old(file);
  rewrite(file, "two");
  CHECK(test::bytes_of(file) == "two");
  std::ostringstream still;
  still << old.rdbuf();
  CHECK(still.str() == "one");  // who has it open reads the old one to its end
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
  CHECK(test::contains(test::error_of([&] { rewrite(dir.path() / "no/status.json", "x"); }),
                       "cannot be written"));
}

TEST_CASE("NumPy files: the header to the byte, then the floats") {
  const test::FastTempDir dir;
  const auto file = dir.path() / "x.npy";
  const std::pair<std::size_t, std::size_t> shapes[] = {{2, 3}, {0, 16}, {1000, 1}, {1, 123456}};
  for (const auto& [rows, columns] : shapes) {
    std::vector<float> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 3;
    write_npy(file, values, rows, columns);
    const auto bytes = test::bytes_of(file);
    const std::string words = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                              std::to_string(rows) + ", " + std::to_string(columns) + "), }";
    const std::size_t size = bytes.size() - 4 * values.size();
    CHECK(size % 64 == 0);
    CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    CHECK(static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]) ==
          static_cast<int>(size) - 10);
    CHECK(bytes.substr(10, words.size()) == words);
    CHECK(bytes.substr(10 + words.size(), size - 11 - words.size()) ==
          std::string(size - 11 - words.size(), ' '));
    CHECK(bytes[size - 1] == '\n');
    CHECK(size - 10 - words.size() <= 64);
    CHECK(bytes.substr(size) ==
          std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size()));
  }
  CHECK(test::contains(test::error_of([&] { write_npy(dir.path() / "no/x", {}, 0, 1); }),
                       "cannot be written"));
}

}  // namespace
}  // namespace headroom
