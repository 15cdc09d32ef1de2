#pragma once

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace headroom::crash {

using Clock = std::chrono::steady_clock;

// What to start. Output is appended to files, so that several lives end up in one.
struct Command {
  std::vector<std::string> words;
  std::vector<std::string> environment;  // NAME=VALUE, added to ours
  std::filesystem::path out = "/dev/null", err = "/dev/null";
  bool pipe_in = false;  // its standard input is write_all(), else nothing
  std::optional<std::size_t> largest_file;
};

// A program that was started here, and is gone with the object at the latest (and with us).
class Process {
 public:
  Process() = default;
  explicit Process(const Command& command) {
    int ends[2] = {-1, -1};
    if (command.pipe_in && pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    auto words = pointers(command.words);
    std::vector<std::string> all;
    for (char** at = environ; *at != nullptr; ++at) all.emplace_back(*at);
    all.insert(all.end(), command.environment.begin(), command.environment.end());
    auto environment = pointers(all);
    const int in = command.pipe_in ? ends[0] : open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = open_to_append(command.out), err = open_to_append(command.err);
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ == 0) run(words, environment, in, out, err, command);
    for (const int fd : {in, out, err}) close(fd);
    if (command.pipe_in) in_ = ends[1];
  }
  Process(Process&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        in_(std::exchange(other.in_, -1)),
        code_(std::exchange(other.code_, std::nullopt)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(in_, other.in_);
    std::swap(code_, other.code_);
    return *this;
  }
  ~Process() {
    close_in();
    if (pid_ <= 0 || code_) return;
    kill(SIGKILL);
    wait();
  }

  void kill(int signal) const {
    if (!code_) ::kill(pid_, signal);
  }
  // The exit code, or minus the signal that ended it; nothing while it runs.
  std::optional<int> ended() {
    int status = 0;
    if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) take(status);
    return code_;
  }
  std::optional<int> wait_for(std::chrono::milliseconds most) {
    const auto deadline = Clock::now() + most;
    while (!ended() && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return code_;
  }
  int wait() {
    int status = 0;
    while (!code_) {
      if (waitpid(pid_, &status, 0) == pid_) take(status);
    }
    return *code_;
  }

  // False if it no longer reads.
  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto put = write(in_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }
  void close_in() {
    if (in_ >= 0) close(std::exchange(in_, -1));
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (const auto& word : words) list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    return list;
  }
  static int open_to_append(const std::filesystem::path& path) {
    return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  // In the child of a program with threads: system calls only.
  [[noreturn]] static void run(const std::vector<char*>& words,
                               const std::vector<char*>& environment, int in, int out, int err,
                               const Command& command);
  void take(int status) { code_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status); }

  pid_t pid_ = 0;
  int in_ = -1;
  std::optional<int> code_;
};

}  // namespace headroom::crash
