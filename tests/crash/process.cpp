#include "crash/process.hpp"

#include <sys/resource.h>

namespace headroom::crash {

void Process::run(const std::vector<char*>& words, const std::vector<char*>& environment, int in,
                  int out, int err, const Command& command) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_DFL);
  if (command.largest_file) {
    const rlimit small{*command.largest_file, *command.largest_file};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execve(words[0], words.data(), environment.data());
  _exit(127);
}

}  // namespace headroom::crash
