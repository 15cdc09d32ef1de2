#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "crash/process.hpp"

namespace headroom::crash {

// A real broker of our own, by scripts/kafka; down and its data gone with the object, or with us.
// The commands of one thread.
class Broker {
 public:
  // Its folder becomes one in this one. Throws Skipped where there is no Java for it.
  Broker(const std::filesystem::path& folder, const std::string& version);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  const std::string& address() const { return address_; }
  // As a crash would; its data stay.
  void kill();
  void up();
  // Changes with each kill and when it is up again. Any thread.
  int changes() const { return changes_; }
  bool is_up() const { return changes_ % 2 == 0; }

 private:
  Command script(const std::string& command, const std::vector<std::string>& more = {}) const;

  std::filesystem::path folder_, broker_;
  std::string address_;
  std::atomic<int> changes_ = 0;
  Process guard_;
};

// A record of a topic, as another client reads it.
struct Kept {
  unsigned partition = 0;
  std::size_t offset = 0;
  bool has_value = true;
  std::string key, value;
};

// kcat: a client that is none of ours.
Command kcat(const Broker& broker, const std::vector<std::string>& words);
// Everything in a topic, each partition in its order; what kcat said stays in the folder.
std::vector<Kept> read_topic(const Broker& broker, const std::string& topic,
                             const std::filesystem::path& folder,
                             const std::string& isolation = "read_committed");

}  // namespace headroom::crash
