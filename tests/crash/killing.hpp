#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "crash/checks.hpp"
#include "crash/senders.hpp"

namespace headroom::crash {

// `serve` under load, killed again and again.
class Killing {
 public:
  // Lines of lists that were delivered since it was last asked.
  using Lists = std::function<std::vector<std::string>()>;

  // points: the kill points that `serve` passes here.
  Killing(const Site& site, World& world, Senders& senders, Lists lists,
          std::vector<std::string> points, std::uint64_t seed);

  // For serve alone.
  void set(const std::string& assignment) { more_.insert(more_.end(), {"--set", assignment}); }
  void unset() { more_.clear(); }
  void at_each_look(std::function<void()> run) { at_look_ = std::move(run); }

  // A life that gets to work: killed some batches after it was ready, and not before so many
  // records were taken.
  void kill_at_work(std::uint64_t records = 0);
  // A life that ends before it is ready, or just after.
  void kill_at_start();
  // True if it got there.
  bool kill_at_point(const std::string& point);
  // Work must happen between the kills: never two in a row before it is ready.
  void kill_somehow(std::uint64_t records = 0);

  // The parts of such a life.
  Process start(const std::string& kill_at = "");
  void wait_ready(Process& serve);
  // It must live meanwhile, and go on.
  void work_until(Process& serve, const std::function<bool()>& done);
  void work(Process& serve, std::uint64_t batches);
  void kill(Process& serve);
  // A moment passes; the world gets its lists, and the senders know how far serve is.
  void look();

  std::uint64_t status(const char* figure) const;  // 0 if there is none yet
  std::uint64_t taken() const;
  std::uint64_t random() { return random_(); }
  int kills() const { return kills_; }

  // Ends it under load, with SIGTERM.
  void stop(Process& serve);
  void print(const Figures& figures) const;

 private:
  void died(Process& serve);
  void answer();
  std::pair<std::uint64_t, std::uint64_t> repeated() const;

  const Site& site_;
  World& world_;
  Senders& senders_;
  Lists lists_;
  std::vector<std::string> points_;
  std::mt19937_64 random_;
  std::vector<std::string> more_;
  std::function<void()> at_look_;
  Clock::time_point started_;
  std::chrono::milliseconds typical_start_{100}, stopped_{0};
  std::vector<std::chrono::milliseconds> starts_;
  bool was_early_ = false;
  int kills_ = 0, early_ = 0, at_points_ = 0;
};

}  // namespace headroom::crash
