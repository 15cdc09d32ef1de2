#include "headroom/app/demo_town.hpp"

#include <algorithm>
#include <charconv>

namespace headroom {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

const Time kEvening = std::chrono::sys_days{std::chrono::year{2026} / 3 / 6} + hours{18};
constexpr int kStay = 60;  // minutes

std::string name_of(char kind, int number) { return kind + std::to_string(number); }
int number_in(const std::string& name) {
  int number = 0;
  std::from_chars(name.data() + 1, name.data() + name.size(), number);
  return number;
}

}  // namespace

DemoTown::DemoTown(std::uint64_t seed, bool tell_seats)
    : tell_seats_(tell_seats), draws_(seed, Purpose::kWorld, 0) {
  for (int n = 0; n < kPeople; ++n) {
    const double u = draws_.uniform();
    people_.push_back({0.1 + 0.8 * u * u, static_cast<int>(draws_.below(kKitchens))});
  }
  for (int n = 0; n < kPlaces; ++n) {
    const auto seats = 6 + static_cast<int>(draws_.below(9));
    places_.push_back({seats, n % kKitchens, 1.0 / (1.0 + n / kKitchens)});
  }
}

Event DemoTown::event(Time at) {
  Event event;
  event.at = at;
  event.id = "demo-" + std::to_string(++ids_);
  return event;
}

std::vector<Event> DemoTown::places() {
  std::vector<Event> events;
  for (int n = 0; n < kPlaces; ++n) {
    ItemUpdate image;
    image.item = name_of('p', n);
    image.title = "Place " + std::to_string(n);
    image.dwell = minutes{kStay};
    if (tell_seats_) {
      image.capacity = Capacity{CapacityKind::kSeats, static_cast<double>(places_[n].seats), {}};
    }
    events.push_back(event(kEvening - days{7}));
    events.back().what = image;
  }
  return events;
}

// Four times in five the kitchen that one likes, the famous places more often.
int DemoTown::taste_pick(const Person& person) {
  const bool liked = draws_.uniform() < 0.8;
  double all = 0.0;
  const auto weight = [&](const Place& place) {
    return !liked || place.kitchen == person.likes ? place.fame : 0.0;
  };
  for (const Place& place : places_) all += weight(place);
  double left = all * draws_.uniform();
  for (int n = 0; n < kPlaces; ++n) {
    left -= weight(places_[n]);
    if (left < 0.0) return n;
  }
  return kPlaces - 1;
}

std::vector<Event> DemoTown::last_week() {
  std::vector<Event> events;
  constexpr int kVisits = 6000;
  for (int n = 0; n < kVisits; ++n) {
    const auto person = static_cast<int>(draws_.below(kPeople));
    events.push_back(event(kEvening - days{7} + n * (days{6} / kVisits)));
    CheckIn what;
    what.user = name_of('u', person);
    what.item = name_of('p', taste_pick(people_[person]));
    events.back().what = what;
  }
  return events;
}

std::vector<Event> DemoTown::minute(int minute) {
  std::vector<Event> events = std::exchange(answers_, {});
  act(minute, events);
  for (int person = 0; person < kPeople; ++person) {
    if (draws_.uniform() * kMinutes >= 1.5) continue;  // one and a half times each
    events.push_back(event(kEvening + minutes{minute}));
    Request what;
    what.user = name_of('u', person);
    what.n = 5;
    events.back().what = what;
  }
  return events;
}

// Who arrives finds a seat or not; who finds none goes home.
void DemoTown::act(int minute, std::vector<Event>& events) {
  const auto due = std::stable_partition(plans_.begin(), plans_.end(),
                                         [&](const Plan& plan) { return plan.minute > minute; });
  std::vector<Plan> now(due, plans_.end());
  plans_.erase(due, plans_.end());
  for (const Plan& plan : now) {
    Place& place = places_[plan.place];
    if (!plan.arrives) {
      --place.present;
      continue;
    }
    events.push_back(event(kEvening + minutes{minute}));
    CheckIn what;
    what.user = name_of('u', plan.person);
    what.item = name_of('p', plan.place);
    events.back().what = what;
    ++place.present;
    ++(place.present <= place.seats ? count_.seated : count_.no_seat);
    plans_.push_back({minute + kStay, plan.person, plan.place, false});
    const double crowd = static_cast<double>(place.present) / place.seats;
    if (crowd > count_.worst) {
      count_.worst = crowd;
      count_.worst_people = place.present;
      count_.worst_seats = place.seats;
    }
  }
}

// Who listens takes the first of the list that pleases, mostly the first one, and sets out.
void DemoTown::answer(const RankedList& list, int minute) {
  ++count_.lists;
  const int person = number_in(list.user);
  const bool busy = std::any_of(plans_.begin(), plans_.end(),
                                [&](const Plan& plan) { return plan.person == person; });
  Event said = event(kEvening + minutes{minute + 1});
  Feedback what;
  what.user = list.user;
  what.recommendation = to_text('r', list.id);
  what.outcome = FeedbackOutcome::kIgnore;
  const bool listens = draws_.uniform() < people_[person].listens;
  std::size_t rank = 0;
  while (draws_.uniform() < 0.4 && rank + 1 < list.items.size()) ++rank;
  if (listens && !busy && !list.items.empty()) {
    what.outcome = FeedbackOutcome::kFollow;
    what.item = list.items[rank].item;
    ++count_.followed;
    const auto way = 5 + static_cast<int>(draws_.below(10));
    plans_.push_back({minute + way, person, number_in(*what.item), true});
  }
  said.what = what;
  answers_.push_back(std::move(said));
}

}  // namespace headroom
