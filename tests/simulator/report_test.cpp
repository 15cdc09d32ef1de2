#include "simulator/report.hpp"

#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

#include "simulator/report_template.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What a browser takes for the data: the text of the element, which no markup in it can end.
Json data_of(const std::string& page) {
  const std::string head = "<script type=\"application/json\" id=\"data\">";
  const auto from = page.find(head) + head.size();
  return Json::parse(page.substr(from, page.find("</script", from) - from));
}

LiveRuns small_runs(LifeOptions life, std::size_t seeds) {
  const EngineOptions engine;
  Workers workers(2);
  auto policies = live_policies(engine, {});
  std::erase_if(policies, [](const LivePolicy& policy) {
    return !policy.is_default && policy.name != "unconstrained" && policy.name != "random";
  });
  return run_live(life, engine, policies, seeds, workers);
}

LifeOptions small_life() {
  LifeOptions life;
  life.users = 200;
  life.items = 30;
  life.history_days = 2;
  life.days = 2;
  life.warm_days = 1;
  return life;
}

}  // namespace

TEST_CASE("whatever the data says, it stays data in the page") {
  for (const char* const words :
       {"</script><script>alert(1)</script>", "<!--", "<script", "</ScRiPt >", "-->", "]]>",
        "a\"b\\c", "\xe2\x80\xa8 line", "&lt;", "\xff no UTF-8", "@REPORT@"}) {
    const Json report = {{"kind", "live"}, {words, words}};
    const std::string page = report_page(report);
    const std::string bare = report_page(Json::object());
    const auto tags = [](const std::string& text) {
      return std::count(text.begin(), text.end(), '<');
    };
    CHECK(tags(page) == tags(bare));
    CHECK(data_of(page) == Json::parse(one_line(report)));
  }
}

TEST_CASE("the page needs nothing from anywhere") {
  const std::string page(report_template());
  CHECK(page.find("@REPORT@") == page.rfind("@REPORT@"));
  for (const char* const load :
       {R"re(<link\b)re", R"re(<(img|iframe|script|source|object|embed)[^>]*\s(src|data)\s*=)re",
        R"re(@import)re", R"re(url\(\s*["']?(https?:)?//)re", R"re(\bimport\s*\(\s*["'`])re",
        R"re(\bfrom\s*["'](https?:)?//)re", R"re((src|href)\s*=\s*["']?(https?:)?//)re",
        R"re(\bfetch\(\s*["'`])re", R"re(importScripts|XMLHttpRequest|WebSocket)re"}) {
    INFO(load);
    CHECK(!std::regex_search(page, std::regex(load, std::regex::icase)));
  }
}

TEST_CASE("numbers are rounded, and nothing else changes") {
  const Json before = {{"a", 0.123456789},
                       {"b", 12345678.0},
                       {"c", {1, -2.0, std::nan(""), true}},
                       {"d", "0.123456789"}};
  CHECK(rounded(before).dump() ==
        R"({"a":0.123457,"b":12345678,"c":[1,-2,null,true],"d":"0.123456789"})");
}

TEST_CASE("a report is two files with the same data") {
  const TempDir dir;
  const Json report = {{"kind", "live"}, {"value", 1.0 / 3.0}, {"words", "</script>"}};
  const auto folder = dir.path() / "deep" / "er";
  write_report(report, folder);
  const Json data = Json::parse(text_of(folder / "report.json"));
  CHECK(data == rounded(report));
  CHECK(data_of(text_of(folder / "report.html")) == data);
  write_report({{"kind", "replay"}}, folder);  // a shorter one over it
  CHECK(Json::parse(text_of(folder / "report.json")) == Json({{"kind", "replay"}}));
  dir.write("taken", "");
  CHECK(contains(error_of([&] { write_report(report, dir.path() / "taken"); }), "taken"));
}

TEST_CASE("the report of a live run has what the run had") {
  const LifeOptions life = small_life();
  const LiveRuns runs = small_runs(life, 2);
  const LifePlan plan(life);
  const Json report = report_data(runs, plan);
  REQUIRE(report["policies"].size() == 3);
  CHECK(report["seeds"] == 2);
  const std::size_t moments = runs.at(0, 0).curve.size();
  CHECK(report["moments"].size() == moments);
  for (std::size_t p = 0; p < 3; ++p) {
    double seated = 0.0;
    for (const Json& value : report["policies"][p]["curve"]["seated"])
      seated += value.get<double>();
    CHECK(seated == runs.at(p, 0).all().seated);
  }
  const Json& map = report["map"];
  REQUIRE(map["places"].size() == life.items);
  CHECK(map["places"][3]["capacity"] == plan.capacity(3).limit);
  REQUIRE(map["loads"].size() == 3);
  CHECK(map["loads"][0]["policy"] == runs.policies[runs.default_policy()].name);
  CHECK(map["loads"][1]["policy"] == "unconstrained");
  const LifeSeen& shown = runs.at(runs.default_policy(), 0);
  for (std::size_t n = 0; n < moments; ++n) {
    const double people = map["loads"][0]["people"][7][n];
    REQUIRE(people == Approx(static_cast<double>(shown.load[n][7])).margin(0.0051));
  }
}

TEST_CASE("a report of many days stays small, and its curves keep their means") {
  LifeOptions life = small_life();
  life.users = 60;
  life.days = 12;
  const LiveRuns runs = small_runs(life, 1);
  const Json report = report_data(runs, LifePlan(life));
  const std::size_t quarters = runs.at(0, 0).curve.size();
  REQUIRE(quarters == 11 * 96);
  REQUIRE(report["moments"].size() == quarters / 3);
  CHECK(report["moment_minutes"] == 45);
  double asked = 0.0;
  for (const Json& value : report["policies"][0]["curve"]["asked"]) asked += value.get<double>();
  CHECK(3.0 * asked == Approx(runs.at(0, 0).asked).epsilon(0.01));
}

TEST_CASE("the report of a replay joins periods by their events") {
  std::vector<ReplayRun> runs;
  for (const ReplayPolicy policy : {ReplayPolicy::kNone, ReplayPolicy::kPrice}) {
    for (const std::uint64_t seed : {1, 2}) {
      ReplayRun& run = runs.emplace_back();
      run.policy = policy;
      run.overload = 0.4;
      run.seed = seed;
      for (int n = 0; n < 1000; ++n) {
        ReplayFigures& period = run.periods.emplace_back();
        period.from = Time(std::chrono::hours(24 * n));
        period.events = n % 2 == 0 ? 3.0 : 1.0;
        period.hit_rate = n % 2 == 0 ? 0.2 : 0.4;
        period.value_share = n % 2 == 0 ? std::nan("") : 0.5;
      }
    }
  }
  const Json report = report_data(report_of(runs, {1.0}));
  REQUIRE(report["curves"].size() == 2);  // the first seed's
  REQUIRE(report["moments"].size() == 500);
  CHECK(report["moments"][1] == 2 * 86'400'000);
  for (const Json& curve : report["curves"]) {
    REQUIRE(curve["hit_rate"].size() == 500);
    CHECK(curve["hit_rate"][7] == Approx(0.25));
    CHECK(curve["value_share"][7] == Approx(0.5));
  }
}
