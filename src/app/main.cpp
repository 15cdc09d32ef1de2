#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "headroom/app/commands.hpp"
#include "headroom/app/version.hpp"
#include "headroom/base/error.hpp"

namespace {

constexpr int kOk = 0, kBug = 1, kRefused = 2;

// One line, whatever a file's name or a flag's value holds.
int end_with(int code, std::string reason) {
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  std::fprintf(stderr, "headroom: %s\n", reason.c_str());
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("headroom: gives each user the best list that fits into what is left", "headroom");
  app.set_version_flag("--version", std::string(headroom::version()));
  app.require_subcommand(1);
  headroom::add_serve_command(app);
  headroom::add_send_command(app);
  headroom::add_repeat_command(app);
  headroom::add_dead_letters_command(app);
  headroom::add_state_command(app);
  headroom::add_config_command(app);
  headroom::add_demo_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return kOk;
  } catch (const CLI::ParseError& error) {
    const auto unknown = app.remaining();
    if (app.get_subcommands().empty() && !unknown.empty()) {
      return end_with(kRefused, "there is no command or flag '" + unknown.front() + "'");
    }
    return end_with(kRefused, error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.flush()) {
    return end_with(kRefused, "standard output: cannot be written to the end");
  }
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const headroom::Error& error) {
    return end_with(kRefused, error.what());
  } catch (const std::exception& error) {
    return end_with(kBug, std::string("failed: ") + error.what());
  }
}
