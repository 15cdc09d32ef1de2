#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "simulator/city.hpp"
#include "simulator/truth.hpp"
#include "simulator/world.hpp"

namespace headroom::sim {

// The closed loop: the people of a made-up city ask for lists, listen or not, go, find a seat, wait
// or give up, and tell of it what they tell. Who goes out when, who would listen, what each would
// choose from which list, how long each waits and stays are drawn for each trip by itself: the same
// whoever makes the lists, so that policies differ in nothing else.

struct LifeOptions {
  // The city. Its history is told to who makes the lists before anybody asks.
  std::size_t city = 1;  // its number: another number, another city; 0: another for each seed
  std::size_t users = 6000, items = 100;
  std::size_t history_days = 28, days = 8, warm_days = 2;  // of `days`; not measured
  // The first day begins and the last one ends at these hours, and so much more is not measured.
  std::size_t from_hour = 0, to_hour = 24, warm_hours = 0;
  double visits = 0.5, habit = 0.5;  // as of CityPlan
  // The rush: on every day so large a share goes out around an hour.
  double rush = 0.5, rush_hour = 19.25, rush_minutes = 40.0;
  double undecided = 0.7;  // of those who go out in the rush do so only if a list leads them
  double overload =
      0.4;  // of those whom lists without capacity send, beyond a seat; sets the seats
  // Those who ask, and how they listen, choose and go.
  double asks = 0.8;
  TruthKind listening = TruthKind::kConstant;
  std::size_t places = 10;               // of a list
  double rank_weight = 1.1;              // log weight of a place = taste - this x log rank
  double answer_minutes = 5.0;           // on average, exponential
  double way_from = 5.0, way_to = 15.0;  // minutes
  double no_show = 0.05;                 // of those who set out
  double queues = 0.7;                   // of those who meet a full place wait, the others go
  double patience_minutes = 15.0;        // on average, exponential
  double checkouts = 0.8;                // of visits
  // What is told of lists.
  double ignores = 0.3;                    // of lists that were not followed, said so
  double late = 0.0, late_minutes = 45.0;  // share, and by how much on average
  double twice = 0.0, lost = 0.0, wrong = 0.0;
  std::uint64_t seed = 1;
};

// Throws Error with one line where two of them contradict each other.
void check_life(const LifeOptions& options);

// Who makes the lists of the city.
class ListMaker : public Host {
 public:
  virtual void put(const ItemUpdate& item) = 0;  // before all else
  virtual void ignore(std::uint32_t user, const OutputId& list, Time at) = 0;
  // By list of the last settle(): with which chance it was thought to be followed; empty: not
  // known.
  virtual std::vector<float> expected_listening() const { return {}; }
};

// What became of those who went out while it was measured, those whom a list sent and the others.
struct Crowd {
  double went = 0.0;         // and came to a place
  double seated = 0.0;       // at once or after a wait
  double turned_away = 0.0;  // met a full place, and did not wait
  double gave_up = 0.0;      // waited, and went
  double met_full = 0.0;     // turned away, or had to wait
  double waited = 0.0;       // minutes, of all who met a full place
  double value = 0.0;        // sum over the seated of the chance that they are glad of it
};

// A quarter of an hour of the whole city.
struct LifeSlice {
  Time from;
  double asked = 0.0, followed = 0.0, seated = 0.0, turned_away = 0.0, gave_up = 0.0;
  double waiting = 0.0;           // people, on average
  double overloaded_items = 0.0;  // on average
  double value = 0.0;
};
inline constexpr std::chrono::minutes kLifeSlice{15};

struct LifeSeen {
  Crowd by_list, by_themselves;
  double asked = 0.0, listed = 0.0, followed = 0.0;
  // Of (item with seats, minute while it is open): more people than seats; by who came themselves.
  double item_minutes = 0.0, overload_minutes = 0.0, organic_overload_minutes = 0.0;
  std::vector<std::uint32_t> shown;  // by item: places of lists
  // Listening as it was thought, beside the truth, over lists.
  // `bias` is beside what they did: to go to a place of the list, by it or by themselves.
  double judged = 0.0, bias = 0.0, squares = 0.0, regret = 0.0;
  std::vector<LifeSlice> curve;
  std::vector<std::vector<float>> load;  // by slice and item: people there and waiting, on average

  Crowd all() const;
};

// What happens whoever makes the lists: the city, its capacities, its trips.
class LifePlan {
 public:
  // One time that somebody goes out.
  struct Trip {
    Time at;                  // they think of it
    std::uint32_t user, own;  // own: where they would go by themselves
    bool asks = false, measured = false;
    bool undecided = false;  // stays at home without a list
    // Drawn for whatever comes: of uniform [0, 1), and times in minutes.
    double listens = 0.0, answer = 0.0, way = 0.0, patience = 0.0, stay = 0.0;
    bool shows = true, queues = true, checks_out = true;
    bool says_no = false, lost = false, twice = false, wrong = false;
    double late = 0.0;
  };

  explicit LifePlan(const LifeOptions& options);

  const LifeOptions& options() const { return options_; }
  const City& city() const { return *city_; }
  const std::vector<Visit>& history() const { return history_; }
  const std::vector<Trip>& trips() const { return trips_; }
  Time live_from() const { return live_from_; }
  Time measured_from() const { return measured_from_; }
  Time end() const { return end_; }
  ItemUpdate image(std::uint32_t item) const;  // with the capacity that the overload asks for
  const Capacity& capacity(std::uint32_t item) const { return capacity_[item]; }
  // Copies of a stock that went before the live days.
  std::uint32_t sold(std::uint32_t item) const { return sold_[item]; }

  // The truth of taste: the chance to be glad of it.
  double glad(std::uint32_t user, std::uint32_t item) const;
  // Which place of a list somebody takes who listens on this trip.
  std::size_t choose(std::size_t trip, const std::vector<std::uint32_t>& list) const;
  // How many too many lists without capacity send in truth, at these capacities.
  double unconstrained_overload() const { return overload_; }

 private:
  void make_history();
  void make_trips();
  void add_trip(const Visit& wish, bool undecided);
  void size_places();
  void centre_taste();

  LifeOptions options_;
  std::unique_ptr<City> city_;
  Time live_from_, measured_from_, end_;
  std::vector<Visit> history_;
  std::vector<std::uint32_t> sold_;
  std::vector<Trip> trips_;
  std::vector<Capacity> capacity_;
  std::vector<double> taste_;  // by user and item
  double overload_ = 0.0;
};

// Looks on during the live days, before lists are asked for: what was measured so far. It may take
// its time, or throw to end the run.
using Onlooker = std::function<void(Time now, const LifeSeen& so_far)>;

// One run of the plan with one maker of lists.
LifeSeen live(const LifePlan& plan, ListMaker& lists, const Onlooker& onlooker = nullptr);

}  // namespace headroom::sim
