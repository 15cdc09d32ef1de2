#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <stdexcept>
#include <utility>

namespace headroom::test {

// A forked process that does one thing, e.g. until it is killed. Reaped with the object at the
// latest. No assertion of a test belongs into it: its exit code speaks (99: an exception).
class Child {
 public:
  template <class Run>
  explicit Child(Run&& run) : pid_(fork()) {
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ > 0) return;
    int code = 0;
    try {
      run();
    } catch (const std::exception&) {
      code = 99;
    }
    _exit(code);
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill();
    wait();
  }

  void kill() const { ::kill(pid_, SIGKILL); }
  bool is_running() const {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid == 0;
  }
  // The exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

}  // namespace headroom::test
