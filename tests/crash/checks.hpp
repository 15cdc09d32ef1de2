#pragma once

#include <map>
#include <string>
#include <tuple>
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

// Where a record lies, as dead letters say it: topic, partition, offset.
using Place = std::tuple<std::string, unsigned, std::size_t>;

struct Record {
  std::string line;
  bool removes = false;  // no line: a record of Kafka without a value, which removes an item
  bool dead = false;
};

using Log = std::map<Place, Record>;

// What there was to take, and the output that was delivered: a line each, in the order of the ids.
struct Found {
  Log log;
  std::string lists, letters;
};

// In the log in the site's folder, read without any code of the program.
Found found_in(const Site& site);

struct Figures {
  std::size_t records = 0, events = 0, duplicates = 0, letters = 0, lists = 0, batches = 0;
};

// A folder that was stopped cleanly: everything sent was learned from exactly once, every list and
// dead letter is there exactly once and whole, and the journal repeated elsewhere gives the same
// bytes and the same state. Else a Failure. `sent`: what must be in the log. `from`: a copy of the
// store to repeat from, where the journal no longer goes back to the beginning.
Figures check(const Site& site, const World& world, const std::vector<std::string>& sent,
              Found found, const std::filesystem::path& from = {});
inline Figures check(const Site& site, const World& world, const std::vector<std::string>& sent,
                     const std::filesystem::path& from = {}) {
  return check(site, world, sent, found_in(site), from);
}

}  // namespace headroom::crash
