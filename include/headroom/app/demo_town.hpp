#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "headroom/base/event.hpp"
#include "headroom/base/list.hpp"
#include "headroom/base/random.hpp"

namespace headroom {

// A made-up town for the demo: people with tastes who ask where to eat, some of whom listen, and
// places with few seats. It answers lists as its people would, and counts who finds no seat.
// Whether the engine is told of the seats does not change the town.
class DemoTown {
 public:
  DemoTown(std::uint64_t seed, bool tell_seats);

  static constexpr int kPeople = 400, kPlaces = 40, kMinutes = 180;

  std::vector<Event> places();
  std::vector<Event> last_week();         // check-ins to learn from
  std::vector<Event> minute(int minute);  // of the evening
  void answer(const RankedList& list, int minute);

  struct Count {
    int lists = 0, followed = 0, seated = 0, no_seat = 0;
    double worst = 0.0;  // people for each seat, at the fullest place and minute
    int worst_people = 0, worst_seats = 0;
  };
  const Count& count() const { return count_; }

 private:
  struct Person {
    double listens;
    int likes;  // one of kKitchens
  };
  struct Place {
    int seats;
    int kitchen;
    double fame;
    int present = 0;
  };
  struct Plan {  // to arrive, or to leave
    int minute;
    int person;
    int place;
    bool arrives;
  };
  static constexpr int kKitchens = 5;

  Event event(Time at);
  int taste_pick(const Person& person);
  void act(int minute, std::vector<Event>& events);

  bool tell_seats_;
  Draws draws_;
  std::vector<Person> people_;
  std::vector<Place> places_;
  std::vector<Plan> plans_;
  std::vector<Event> answers_;  // feedback of the next minute
  std::uint64_t ids_ = 0;
  Count count_;
};

}  // namespace headroom
