#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace headroom::crash {

// A record that was made: what its line says.
struct Made {
  std::string id;
  std::string asker;  // the user, if it is a good request
  bool good = false;  // else it must become a dead letter
};

// People and places that send events of every kind, good and bad, once and again, and answer the
// lists that they were given. Any thread.
class World {
 public:
  enum class Time : std::uint8_t { kWall, kEvent };
  World(std::uint64_t seed, Time time);

  // Further records, one a line.
  std::vector<std::string> some(std::size_t count);
  // A list that was delivered, to be answered by some.
  void deliver(const std::string& list, const std::string& user, std::vector<std::string> items);

  // What a line is, or nothing if it was never made.
  const Made* find(const std::string& line) const;
  std::size_t size() const { return made_.size(); }
  std::vector<std::string> all_lines() const;

 private:
  struct Delivered {
    std::string list, user;
    std::vector<std::string> items;
  };

  std::string one();
  std::string good(std::string_view event, const std::string& user, const std::string& fields);
  std::string dated(std::string_view event, const std::string& id, std::int64_t at,
                    const std::string& user, const std::string& fields);
  std::string request();
  std::string feedback();
  std::string impression();
  std::string item();
  std::string bad();
  std::string far_off();
  std::string again();
  std::string keep(std::string line, Made made);

  std::int64_t now();
  std::string new_id();
  std::string user();
  std::string place();
  std::string party();
  const Delivered& some_list();
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  Time time_;
  std::chrono::steady_clock::time_point begun_;
  std::uint64_t ids_ = 0;
  std::unordered_map<std::string, Made> made_;
  std::vector<const std::string*> good_lines_;
  std::deque<Delivered> lists_;
  std::deque<std::pair<std::string, std::string>> on_the_way_;  // user, place
};

}  // namespace headroom::crash
