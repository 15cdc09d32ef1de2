#include "headroom/app/program.hpp"
#include "simulator/cli.hpp"

int main(int argc, char** argv) {
  using namespace headroom::sim;
  CLI::App app("headroom-sim: replays data sets and reproduces the paper's experiments",
               "headroom-sim");
  app.set_version_flag("--version", version());
  std::string command_line = "headroom-sim";
  for (int at = 1; at < argc; ++at) command_line += std::string(" ") + argv[at];
  add_commands(app, command_line);
  add_run_command(app);
  return headroom::run_program(app, argc, argv);
}
