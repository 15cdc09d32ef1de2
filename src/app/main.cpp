#include "headroom/app/commands.hpp"
#include "headroom/app/program.hpp"
#include "headroom/app/version.hpp"

int main(int argc, char** argv) {
  CLI::App app("headroom: gives each user the best list that fits into what is left", "headroom");
  app.set_version_flag("--version", std::string(headroom::version()));
  headroom::add_serve_command(app);
  headroom::add_send_command(app);
  headroom::add_repeat_command(app);
  headroom::add_dead_letters_command(app);
  headroom::add_state_command(app);
  headroom::add_config_command(app);
  headroom::add_topics_command(app);
  headroom::add_tail_command(app);
  return headroom::run_program(app, argc, argv);
}
