#include "headroom/app/program.hpp"
#include "simulator/cli.hpp"

int main(int argc, char** argv) {
  using namespace headroom::sim;
  CLI::App app("headroom-sim: replays data sets and reproduces the paper's experiments",
               "headroom-sim");
  app.set_version_flag("--version", version());
  std::string command_line = "headroom-sim";
  for (int at = 1; at < argc; ++at) command_line += std::string(" ") + argv[at];
  add_data_command(app, command_line);
  add_paper_command(app, command_line);
  add_figures_command(app, command_line);
  add_quality_command(app, command_line);
  add_epochs_command(app, command_line);
  add_allot_command(app, command_line);
  add_risk_command(app, command_line);
  add_replay_command(app, command_line);
  add_live_command(app, command_line);
  add_generate_command(app, command_line);
  add_evening_command(app, command_line);
  return headroom::run_program(app, argc, argv);
}
