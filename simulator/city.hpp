#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headroom/base/event.hpp"
#include "headroom/base/workers.hpp"
#include "simulator/alias.hpp"
#include "simulator/dataset.hpp"
#include "simulator/rhythm.hpp"

namespace headroom::sim {

// A made-up city of any size: districts with places of several kinds, people with a home, a place
// of work, tastes and habits, and what they do by themselves on each day of a year or more. All of
// it follows from the plan: a day's visits can be asked for in any order and on any thread.

struct CityPlan {
  std::size_t users = 1000, items = 300;
  std::size_t days = 365;
  std::chrono::sys_days first_day{std::chrono::year{2026} / 1 / 1};
  double visits = 0.5;      // of a person on an average day; people differ
  double habit = 0.5;       // of the visits go to a place where one is a regular
  double supply = 1.2;      // capacity of a place over its usual peak, on average; places differ
  std::size_t bursts = 40;  // in the whole time: concerts, and places that everybody talks about
  std::uint64_t seed = 1;
};

// A place of the city.
struct Spot {
  Place at;
  std::uint32_t district;
  Kind kind;
  std::uint8_t habit;     // of hours_of
  double popularity;      // beside others of its kind in its district
  double visits_per_day;  // expected, without bursts
  Capacity capacity;
};

// Days on which many more come than usual.
struct Burst {
  std::uint32_t item;
  std::size_t day;
  bool concert;          // one evening; else a place that is talked about, for weeks
  std::size_t slot;      // of the day, at which the concert begins
  double people_at_top;  // on the day on which most come
  double people_on(std::size_t day) const;
};

struct Visit {
  Time at;
  std::uint32_t user, item;
};
// In the order of time; who comes at the same moment in the order of names.
inline bool before(const Visit& a, const Visit& b) {
  return a.at != b.at ? a.at < b.at : a.user != b.user ? a.user < b.user : a.item < b.item;
}

class City {
 public:
  // Throws Error where the plan makes no city.
  City(const CityPlan& plan, Workers& workers);

  const CityPlan& plan() const { return plan_; }
  const std::vector<Spot>& spots() const { return spots_; }
  const std::vector<Burst>& bursts() const { return bursts_; }
  const Rhythm& rhythm() const { return rhythm_; }
  std::size_t districts() const { return districts_.size(); }
  bool is_open(std::uint32_t item, Time at) const { return open_at(item, slot_of(at)); }
  Place home(std::uint32_t user) const { return districts_[people_[user].home]; }

  // The logarithm of how often somebody goes there, beside other places of all kinds: from home,
  // and habits apart.
  double taste(std::uint32_t user, std::uint32_t item) const;
  // Where somebody goes by themselves at this time; none if all that they think of is closed.
  std::optional<std::uint32_t> own_choice(std::uint32_t user, Time at, Draws& draws) const;
  // Adds what the users [first, last) do on a day, each in no order of time.
  void add_visits(std::size_t day, std::uint32_t first, std::uint32_t last,
                  std::vector<Visit>& into) const;
  // How long a visit lasts.
  std::chrono::milliseconds stay(const Visit& visit) const;

  // The image of a place for the log.
  ItemUpdate image(std::uint32_t item) const;

 private:
  struct Person {
    float visits;  // beside others
    std::uint16_t home, work;
    std::array<float, kKinds> taste;
  };

  void found_districts();
  void open_spots();
  void expect_visits();
  void size_spots();
  void plan_bursts();
  void settle(Workers& workers);
  Person draw_person(std::uint32_t user) const;
  bool open_at(std::uint32_t item, std::size_t slot) const {
    const Spot& spot = spots_[item];
    return open_[static_cast<std::size_t>(spot.kind) * kHabits + spot.habit][slot];
  }
  std::optional<std::uint32_t> any_spot(std::uint16_t from, Kind kind, Draws& draws) const;
  std::optional<std::uint32_t> favourite(std::uint32_t user, Kind kind, std::uint32_t n) const;
  Kind draw_kind(const Person& person, std::size_t slot, Draws& draws) const;
  Time draw_time(std::size_t day, Draws& draws) const;
  void add_burst(std::size_t day, std::uint32_t user, Draws& draws, std::vector<Visit>& into) const;

  CityPlan plan_;
  Rhythm rhythm_;
  std::vector<OpenSlots> open_;  // by kind and habit
  std::vector<Place> districts_;
  std::vector<double> busy_;              // by district: how much goes on there
  std::vector<AliasTable> going_;         // by district: where those go who are there
  std::vector<double> log_going_;         // the same, by district and district
  std::vector<AliasTable> slots_of_day_;  // by day of the week
  std::array<double, 7> day_weight_{};    // by day of the week, 1 on average
  std::vector<Spot> spots_;
  std::vector<std::vector<std::uint32_t>> cells_;  // by district and kind: places
  std::vector<AliasTable> cell_tables_;
  std::vector<double> crowd_;  // by district and kind: popularity of all
  std::vector<Person> people_;
  std::vector<Burst> bursts_;
  std::vector<std::vector<std::uint32_t>> bursts_on_;  // by day
};

}  // namespace headroom::sim
