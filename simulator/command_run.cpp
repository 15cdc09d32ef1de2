#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/experiment_file.hpp"

namespace headroom::sim {
namespace {

void run(const std::string& file, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = arguments_of(file, more);
  std::string command_line = "headroom-sim";
  for (const std::string& word : arguments) command_line += " " + word;
  CLI::App app("headroom-sim: an experiment of a file", "headroom-sim");
  app.require_subcommand(1);
  add_commands(app, command_line);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  if (std::none_of(commands.begin(), commands.end(),
                   [&](const CLI::App* one) { return one->get_name() == arguments.front(); })) {
    throw Error(file + ": command: there is none called '" + arguments.front() + "'");
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  app.parse(std::move(arguments));
}

}  // namespace

void add_run_command(CLI::App& app) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "run", "an experiment of config/experiments: a file that names a command and its flags");
  command->add_option("file", *file, "YAML: `command`, and flags without their dashes")->required();
  command->allow_extras();
  command->footer("All other arguments go to the command, over what the file says.");
  command->callback([command, file] { run(*file, command->remaining()); });
}

}  // namespace headroom::sim
