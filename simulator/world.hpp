#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "headroom/base/list.hpp"
#include "headroom/base/random.hpp"
#include "headroom/base/time.hpp"

namespace headroom::sim {

// A town that answers lists: people ask, listen or not, choose, set out, stay and leave, others
// come by themselves. Nothing of it is told to who makes the lists but what people do.

struct WorldOptions {
  std::vector<double> capacity;  // seats of each item
  std::size_t places = 10;       // of a list
  double overload = 0.4;         // of all who would follow lists without capacities, beyond a seat
  double organic = 0.2;          // of the seats are taken by who comes without a list, on average
  double listen_a = 1.2, listen_b = 2.8;   // listen propensities are drawn from this Beta
  double rank_weight = 1.1;                // of the choice: log weight = taste - this x log rank
  double answer_minutes = 5.0;             // on average, exponential
  double way_from = 5.0, way_to = 15.0;    // minutes, uniform
  double lost = 0.05;                      // of those who set out do not arrive
  double dwell_minutes = 45.0;             // on average
  double dwell_shape = 4.0;                // of a gamma; 0: exactly so long
  double shock = 1.0;                      // more requests by this factor from half of the time on
  double warm_hours = 24.0, hours = 24.0;  // to learn, and to be looked at
  std::uint64_t seed = 1;
};

// Who makes the lists. Users and items are known by their number.
class Host {
 public:
  struct Served {
    std::uint32_t user;
    OutputId list;
    std::vector<std::uint32_t> items;  // in the order of ranks
  };
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  virtual void ask(std::uint32_t user, Time at) = 0;
  virtual void follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) = 0;
  virtual void check_in(std::uint32_t user, std::uint32_t item, Time at) = 0;
  virtual void check_out(std::uint32_t user, std::uint32_t item, Time at) = 0;
  // All that was said since the last call is taken; lists for all who asked.
  virtual std::vector<Served> settle(Time now) = 0;
};

// What the clock saw of one item, once the town was warm.
struct ItemSeen {
  double capacity = 0.0, demand = 0.0;  // demand: people, if capacities did not matter
  double minutes = 0.0, overload_minutes = 0.0;
  double seat_minutes = 0.0;              // used, of capacity x minutes
  double arrivals = 0.0, met_full = 0.0;  // of those that a list brought
};
struct Seen {
  std::vector<ItemSeen> items, after;  // after: the second half, where a shock is
  double asked = 0.0, followed = 0.0;
  double value = 0.0;  // sum over follows of the chance that they are glad of it
};

class World {
 public:
  explicit World(const WorldOptions& options);

  std::uint32_t users() const { return static_cast<std::uint32_t>(listen_.size()); }
  double taste(std::uint32_t user, std::uint32_t item) const;
  Seen run(Host& host);

 private:
  enum class What : std::uint8_t { kAsk, kFollow, kArrive, kLeave, kOrganic };
  struct Due {
    Time at;
    std::uint64_t order;
    What what;
    std::uint32_t user, item;
    OutputId list;
  };
  struct Later {
    bool operator()(const Due& a, const Due& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  void calibrate();
  std::vector<double> choices(std::uint32_t user, std::span<const std::uint32_t> ranked) const;
  std::vector<std::uint32_t> best(std::uint32_t user) const;
  double gamma(double shape);
  double dwell();
  void plan(Time at, What what, std::uint32_t user, std::uint32_t item, OutputId list = {});
  void happen(const Due& due, Host& host);
  void take(const Host::Served& served, Time now);
  void look(std::vector<ItemSeen>& items) const;

  static constexpr std::size_t kTaste = 4;
  WorldOptions options_;
  Draws draws_;
  std::vector<double> listen_, user_taste_, item_taste_, popularity_;
  std::vector<double> demand_;
  double asks_per_minute_ = 0.0;
  std::vector<bool> busy_;
  std::vector<std::uint32_t> strangers_;  // numbers of organic visitors that are free again
  std::uint32_t next_stranger_ = 0;
  std::vector<int> present_;
  std::priority_queue<Due, std::vector<Due>, Later> queue_;
  std::uint64_t planned_ = 0;
  bool warm_ = false;
  Time start_{}, half_{};
  Seen seen_;
};

}  // namespace headroom::sim
