#include <cstdio>
#include <exception>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"

namespace {

constexpr int kOk = 0, kBug = 1, kRefused = 2;

int refuse(const char* reason) {
  std::fprintf(stderr, "headroom-sim: %s\n", reason);
  return kRefused;
}

int run(int argc, char** argv) {
  using namespace headroom::sim;
  CLI::App app("headroom-sim: replays data sets and reproduces the paper's experiments",
               "headroom-sim");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  add_data_command(app);
  add_paper_command(app);
  add_figures_command(app);
  add_demo_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return kOk;
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  }
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const headroom::Error& error) {
    return refuse(error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "headroom-sim: failed: %s\n", error.what());
    return kBug;
  }
}
