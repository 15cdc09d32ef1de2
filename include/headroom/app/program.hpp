#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "headroom/base/error.hpp"

namespace headroom {

// How every program of ours ends: 0, or one line on standard error and 2 for what it was given or
// 1 for our own bug. Header only, so that a program binds to nothing else of this room by it.

// One line, whatever a file's name or a flag's value holds.
inline int end_with(const CLI::App& app, int code, std::string reason) {
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), reason.c_str());
  return code;
}

// Where a standard descriptor is closed the first file opened would get its number, and be taken
// for standard output. Reading from or writing to what stands in for it is an error.
inline void open_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
      throw Error("/dev/null: cannot stand in for a closed standard descriptor");
    }
  }
}

// Parses the flags, which runs the command they name; returns the exit code.
inline int run_program(CLI::App& app, int argc, char** argv) {
  constexpr int kOk = 0, kBug = 1, kRefused = 2;
  app.require_subcommand(1);
  try {
    open_standard_descriptors();
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
  } catch (const CLI::ParseError& error) {
    const auto unknown = app.remaining();
    if (app.get_subcommands().empty() && !unknown.empty()) {
      return end_with(app, kRefused, "there is no command or flag '" + unknown.front() + "'");
    }
    return end_with(app, kRefused, error.what());
  } catch (const Error& error) {
    return end_with(app, kRefused, error.what());
  } catch (const std::exception& error) {
    return end_with(app, kBug, std::string("failed: ") + error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.flush()) {
    return end_with(app, kRefused, "standard output: cannot be written to the end");
  }
  return kOk;
}

}  // namespace headroom
