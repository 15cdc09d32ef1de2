#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"
#include "headroom/base/time.hpp"

namespace headroom::sim {

// How full every item is under some lists, counted apart from who made them: a place of an open
// list is so many expected people, a visit is one. No list is refused. Time only goes on. One
// thread.
class SeatJudge {
 public:
  // `stay`: how long a visit takes a seat; 0: it takes none.
  SeatJudge(std::span<const float> capacity, std::size_t users, std::chrono::milliseconds hold,
            std::chrono::milliseconds stay);

  // Ends what is due up to and including `now`.
  void advance(Time now);
  // A list of the user, in the place of the one before. `fits` gets the share of each place's
  // people who find a free seat as things are.
  void show(UserIx user, std::span<const ItemIx> items, std::span<const float> people,
            std::span<double> fits);
  void answer(UserIx user);  // the open list, if any, holds nothing any more
  void visit(UserIx user, ItemIx item);

  // Sums over items up to now, in seconds, and in people times seconds.
  struct Sums {
    double overloaded = 0.0;  // more people than seats
    double full = 0.0;        // as many at least
    double beyond = 0.0;      // people beyond the seats
    double people = 0.0;
  };
  Sums sums();
  Time now() const { return now_; }

 private:
  using Seats = std::int64_t;  // in small steps, so that what is freed is what was taken
  struct Item {
    Seats capacity = 0, taken = 0;
    Time since{};
  };
  struct Hold {
    ItemIx item;
    Seats seats;
  };
  struct Due {
    Time at;
    UserIx user;
    std::uint64_t number;
  };
  struct User {
    std::uint64_t list = 0, visit = 0;  // numbers; 0: none
    std::vector<Hold> holds;            // of the open list
    ItemIx at{};                        // of the visit
  };

  void change(ItemIx item, Seats by, Time at);
  void count(Item& item, Time upto);
  void end_list(UserIx user, Time at);
  void end_visit(UserIx user, Time at);

  std::chrono::milliseconds hold_, stay_;
  std::vector<Item> items_;
  std::vector<User> users_;
  std::deque<Due> lists_, visits_;  // in the order of their ends
  std::uint64_t numbers_ = 0;
  Time now_{};
  Sums sums_;
};

}  // namespace headroom::sim
