#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "crash/site.hpp"

namespace headroom::crash {

// `headroom send`, several at a time, from a thread each: steadily, now and then ended and begun
// anew, now and then killed; what a killed one had in hand is sent again.
class Senders {
 public:
  Senders(const Site& site, World& world, std::uint64_t seed, std::size_t count = 2);
  ~Senders();

  // What serve has taken so far: senders wait rather than be far ahead of it.
  void taken(std::uint64_t records) { taken_ = records; }
  // Everything that was made is in the log on return.
  void finish();
  std::uint64_t kills() const { return kills_; }

 private:
  void run(std::mt19937_64 random);
  void live(std::mt19937_64& random, std::vector<std::string>& carried);
  void wait_for_room(std::mt19937_64& random) const;

  const Site& site_;
  World& world_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> taken_ = 0, sent_ = 0, kills_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace headroom::crash
