// Kills `headroom serve` and looks whether everything was still done exactly once.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "crash/scenarios.hpp"
#include "crash/site.hpp"

namespace {

using headroom::crash::Wanted;
using Scenario = void (*)(const Wanted&);

const std::map<std::string, Scenario> kScenarios = {
    {"edges", headroom::crash::look_at_edges},
    {"kafka", headroom::crash::kill_with_kafka},
    {"kills", headroom::crash::kill_at_random},
    {"points", headroom::crash::kill_at_each_point},
    {"retention", headroom::crash::kill_while_removing},
};

constexpr int kSkipped = 77;

int run(const std::string& name, const Wanted& wanted) {
  const auto begun = headroom::crash::Clock::now();
  try {
    kScenarios.at(name)(wanted);
  } catch (const headroom::crash::Skipped& reason) {
    std::printf("SKIPPED: %s\n", reason.what());
    std::filesystem::remove_all(wanted.folder);
    return kSkipped;
  } catch (const std::exception& failure) {
    std::printf(
        "FAILED: %s\n  look into %s: data/ is headroom's folder, serve.log and send.log "
        "are what it said, repeated/ is what `headroom repeat` made of the journal; with Kafka "
        "read/ is what kcat read of the topics\n",
        failure.what(), wanted.folder.c_str());
    return 1;
  }
  const std::chrono::duration<double> took = headroom::crash::Clock::now() - begun;
  std::printf("  all as it must be, after %.1f s\n", took.count());
  std::filesystem::remove_all(wanted.folder);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  signal(SIGPIPE, SIG_IGN);
  CLI::App app("Kills headroom and looks whether everything was still done exactly once.");
  Wanted wanted;
  std::vector<std::string> names;
  std::string folder;
  app.add_option("--binary", wanted.binary, "the program headroom")->required();
  app.add_option("--kills", wanted.kills, "of serve, at random moments")
      ->check(CLI::Range(2, 1000000));
  app.add_option("--events", wanted.events, "kafka: how many records are made")
      ->check(CLI::Range(1000, 100'000'000))
      ->capture_default_str();
  app.add_option("--broker-kills", wanted.broker_kills,
                 "kafka: of the broker, among those of serve")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--version", wanted.version, "kafka: of the broker, 4 or 3.9")
      ->capture_default_str();
  app.add_option("--seed", wanted.seed, "of the events and the moments");
  app.add_option("--folder", folder, "to work in; a temporary one without it");
  app.add_option("--seconds", wanted.seconds, "no more kills after this long; 0: no limit");
  app.add_option("scenario", names,
                 "kills, points, retention, edges or kafka; without any all but kafka");
  CLI11_PARSE(app, argc, argv);
  if (names.empty()) {
    for (const auto& [name, scenario] : kScenarios) {
      if (name != "kafka") names.push_back(name);
    }
  }
  if (folder.empty()) {
    folder = (std::filesystem::temp_directory_path() / "headroom-crash-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return 2;
  }
  int failed = 0, skipped = 0;
  for (const auto& name : names) {
    if (kScenarios.count(name) == 0) {
      std::fprintf(stderr, "there is no scenario '%s'\n", name.c_str());
      return 2;
    }
    auto one = wanted;
    one.folder = std::filesystem::path(folder) / name;
    std::filesystem::create_directories(one.folder);
    std::printf("%s: seed %llu, in %s\n", name.c_str(),
                static_cast<unsigned long long>(wanted.seed), one.folder.c_str());
    const int code = run(name, one);
    failed += code == 1 ? 1 : 0;
    skipped += code == kSkipped ? 1 : 0;
  }
  if (failed > 0) return 1;
  std::filesystem::remove(folder);
  return skipped > 0 ? kSkipped : 0;
}
