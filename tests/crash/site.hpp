#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "crash/process.hpp"
#include "crash/world.hpp"

namespace headroom::crash {

// What went wrong; ends the scenario, whose folder is kept.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void require(bool fine, const std::string& words) {
  if (!fine) throw Failure(words);
}

// What a program printed, and how it ended.
struct Ended {
  int code = 0;
  std::string out, err;
};

std::string bytes_of(const std::filesystem::path& file);
// Runs it to its end, what it prints in files in this folder; a Failure if that takes longer.
Ended finish(Command command, const std::filesystem::path& folder,
             std::chrono::seconds most = std::chrono::seconds(600));

// A folder that `headroom` works on, with its settings and the commands on it.
class Site {
 public:
  Site(std::filesystem::path binary, std::filesystem::path folder, World::Time time);

  const std::filesystem::path& data() const { return data_; }
  void put_data_at(std::filesystem::path data) { data_ = std::move(data); }
  std::filesystem::path topic(const std::string& name, unsigned partition = 0) const;
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path serve_log() const { return folder_ / "serve.log"; }
  World::Time time() const { return time_; }
  void set(const std::string& assignment) { settings_.push_back(assignment); }
  // From here on its log is in Kafka.
  void use_kafka(const std::string& address) { kafka_ = address; }

  // `headroom NAME` with the settings and what is extra.
  Command command(const std::string& name, const std::vector<std::string>& extra = {}) const;
  // Runs to its end.
  Ended run(const std::string& name, const std::vector<std::string>& extra = {}) const;
  Ended finish(Command command) const { return crash::finish(std::move(command), folder_); }
  void send(const std::vector<std::string>& lines) const;
  // kill_at: HEADROOM_KILL_AT.
  Process serve(const std::string& kill_at = "", const std::vector<std::string>& extra = {}) const;
  // Takes everything there is; it must end well.
  void serve_to_end() const;

  // status.json of this start of `serve`; nothing yet if it has not written it.
  std::optional<nlohmann::json> status() const;
  // Waits until `serve` is ready; false if it ended before.
  bool wait_ready(Process& serve) const;
  // SIGTERM: it must end with 0 within 10 seconds.
  void stop(Process& serve) const;
  std::string last_words() const;  // of serve, for failures

 private:
  std::filesystem::path binary_, folder_, data_;
  World::Time time_;
  std::vector<std::string> settings_;
  std::string kafka_;
};

inline constexpr unsigned kPartitions = 3;

}  // namespace headroom::crash
