#pragma once

#include <map>
#include <string>
#include <vector>

#include "crash/site.hpp"

namespace headroom::crash {

// The segments of a partition one after another, read without any code of the program.
std::string stream_of(const std::filesystem::path& partition);
std::vector<std::string> lines_of(const std::string& bytes);

// Reads what was delivered so far, and what more with each call.
class Follower {
 public:
  explicit Follower(std::filesystem::path partition) : partition_(std::move(partition)) {}
  std::vector<std::string> more();

 private:
  std::filesystem::path partition_;
  std::size_t read_ = 0;  // of the whole stream
};

struct Figures {
  std::size_t records = 0, events = 0, duplicates = 0, letters = 0, lists = 0, batches = 0;
};

// A folder that was stopped cleanly: everything sent was learned from exactly once, every list and
// dead letter is there exactly once and whole, and the journal repeated elsewhere gives the same
// bytes and the same state. Else a Failure. `sent`: what must be in the log. `from`: a copy of the
// store to repeat from, where the journal no longer goes back to the beginning.
Figures check(const Site& site, const World& world, const std::vector<std::string>& sent,
              const std::filesystem::path& from = {});

// Only the last of these.
void check_repeat(const Site& site, const std::filesystem::path& from = {});

}  // namespace headroom::crash
