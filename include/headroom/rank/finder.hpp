#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/workers.hpp"
#include "headroom/model/learner.hpp"
#include "headroom/rank/scan.hpp"
#include "headroom/rank/terms.hpp"

namespace headroom {

// Finds what may be listed, for a run of askers in one scan, and still exactly the best for each,
// though every list takes rooms and moves prices for the next.
//
// By item it keeps the room and the price as of now, and knows what they were at the scan. Whatever
// gained neither room nor a lower price since is worth no more than then; so what was not found is
// worth no more than the last that was. The few that gained are looked at one by one. Where that
// does not suffice, a scan for the one asker follows. So a list does not depend on who is looked
// for beside.
class Finder {
 public:
  Finder(const Learner& learner, Workers& workers) : learner_(learner), workers_(workers) {}

  // Hears which rows may be other than before. With other `prices` (a number) all of them are.
  void renew(const Terms& terms, std::uint64_t prices, std::span<const std::uint32_t> rows);

  // Below 0 where an item is not offered: what scan() wants to know. More than 0 where it has room
  // at all.
  std::span<const float> room() const { return room_; }

  // Looks for the best for these askers, who ask one after the other; `frozen` are the prices that
  // their certificate is told at. What was looked for before is forgotten.
  void look(const Terms& terms, std::span<const Asking> askings, std::span<const float> frozen);

  // The best `most` of all that may be listed just now for the asker at this place of the run, if
  // a place holds this share; best first. `asking` may hold other seats than at the scan.
  std::vector<Found> best(const Terms& terms, std::size_t at, const Asking& asking,
                          std::size_t most, float share) const;

  // What the list of a certified asker could be worth at most, full items included: the sums of
  // chance over the n best places, and of chance less frozen price, where that is above 0.
  struct Worth {
    double free = 0.0, priced = 0.0;
  };
  Worth most_worth(const Terms& terms, std::size_t at, const Asking& asking) const;

 private:
  // An item whose room or price moved, as it was at the scan.
  struct Moved {
    ItemIx item{};
    float room = 0.0F, price = 0.0F;
  };

  void renew(const Terms& terms, std::uint32_t row);
  std::vector<Search> searches(const Terms& terms) const;
  Seeker seeker(const Terms& terms, const Asking& asking, std::size_t most, float share) const;
  bool gained(const Moved& moved, const Seeker::Wish& wish) const;
  void add_gained(const Terms& terms, std::size_t at, const Asking& asking, float share,
                  std::vector<Found>& to) const;
  std::vector<Found> best_alone(const Terms& terms, const Asking& asking, std::size_t most,
                                float share) const;
  Worth worth_of(const FoundBest& found, std::size_t n) const;

  const Learner& learner_;
  Workers& workers_;
  std::uint64_t prices_heard_ = 0;  // their number
  std::vector<float> room_, price_;
  // Of the run.
  std::span<const float> frozen_;
  std::vector<Seeker> seekers_;
  std::vector<FoundBest> found_;
  std::vector<Moved> moved_;
  std::vector<std::uint8_t> is_moved_;  // by item
  bool offers_moved_ = false;           // an item came to be offered or not
};

}  // namespace headroom
