#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "crash/site.hpp"

namespace headroom::crash {

// Several programs at a time that send what the world makes, from a thread each: steadily, now and
// then ended and begun anew, now and then killed; what was perhaps not sent is sent again.
class Senders {
 public:
  // One program from its start to its end. `carried`: what must be sent (again), and what the life
  // adds to it with `more`; emptied when all of it is known to be in the log.
  using Life = std::function<void(Senders& senders, std::mt19937_64& random,
                                  std::vector<std::string>& carried)>;

  // most: so many records; 0: until finish.
  Senders(World& world, Life life, std::uint64_t seed, std::uint64_t most = 0,
          std::size_t count = 2);
  ~Senders();

  // What serve has taken so far: senders wait rather than be far ahead of it.
  void taken(std::uint64_t records) { taken_ = records; }
  // All that was wanted is in the log. Throws what a sender threw.
  bool done();
  // Everything that was made is in the log on return.
  void finish();
  std::uint64_t kills() const { return kills_; }

  // For a life: the next few records after a moment; none when it is to end.
  std::vector<std::string> more(std::mt19937_64& random);
  bool stops() const { return stop_ || (most_ > 0 && sent_ >= most_); }
  void killed() { ++kills_; }

 private:
  void run(std::mt19937_64 random);
  void rethrow();

  World& world_;
  Life life_;
  const std::uint64_t most_;
  std::atomic<bool> stop_ = false, given_up_ = false;
  std::atomic<std::uint64_t> taken_ = 0, sent_ = 0, kills_ = 0;
  std::atomic<std::size_t> at_work_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

std::string joined(const std::vector<std::string>& lines);

// `headroom send`; one in three is killed.
Senders::Life sending_to(const Site& site);

}  // namespace headroom::crash
