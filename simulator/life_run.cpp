#include <algorithm>
#include <cmath>

#include "simulator/life.hpp"

namespace headroom::sim {
namespace {

using std::chrono::milliseconds;
using Trip = LifePlan::Trip;

constexpr milliseconds kTick = std::chrono::seconds(20);
constexpr milliseconds kMinute = std::chrono::minutes(1);
constexpr milliseconds kHistoryTick = std::chrono::minutes(10);

milliseconds minutes(double count) {
  return milliseconds(static_cast<std::int64_t>(count * 60'000.0));
}
double in_minutes(milliseconds time) {
  return std::chrono::duration<double, std::ratio<60>>(time).count();
}

// The people of one run.
class Life {
 public:
  Life(const LifePlan& plan, ListMaker& lists);
  LifeSeen run(const Onlooker& onlooker);

 private:
  enum class What : std::uint8_t { kAsk, kDecide, kTell, kArrive, kGiveUp, kLeave };
  struct Due {
    Time at;
    std::uint64_t order;
    What what;
    std::uint32_t trip;
  };
  struct Later {
    bool operator()(const Due& a, const Due& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  enum class Stage : std::uint8_t { kOut, kWaits, kIn, kGone };
  // What a trip has come to.
  struct Course {
    OutputId list;
    std::vector<std::uint32_t> offer;
    float expected = 0.0F;  // that the list is followed; below 0: not said
    std::uint32_t item = 0, told = 0;
    bool deciding = false, by_list = false, follows = false;
    Stage stage = Stage::kOut;
    Time came{};
  };
  struct Room {
    Capacity capacity;
    double taken = 0.0;  // people, copies or this slot's arrivals
    std::int64_t slot = 0;
    int present = 0, waiting = 0, by_themselves = 0;  // the last: of those there or waiting
    std::deque<std::uint32_t> queue;                  // trips; some have given up
  };

  void tell_history();
  void plan(Time at, What what, std::uint32_t trip) { due_.push({at, planned_++, what, trip}); }
  void happen(const Due& due);
  void ask(std::uint32_t n, Time at);
  void take(const Host::Served& served, float expected);
  void decide(std::uint32_t n, Time at);
  void set_out(std::uint32_t n, Time at);
  void tell(std::uint32_t n, Time at);
  void arrive(std::uint32_t n, Time at);
  void seat(std::uint32_t n, Time at);
  void leave(std::uint32_t n, Time at);
  void give_up(std::uint32_t n, Time at);
  bool has_seat(Room& room, Time at) const;
  void admit(Room& room, Time at);
  void look(Time now);
  Crowd* crowd(std::uint32_t n) {
    if (!plan_.trips()[n].measured) return nullptr;
    return courses_[n].by_list ? &seen_.by_list : &seen_.by_themselves;
  }
  LifeSlice& slice(Time at) {
    const auto n = static_cast<std::size_t>(std::max(milliseconds(0), at - plan_.measured_from()) /
                                            milliseconds(kLifeSlice));
    return seen_.curve[std::min(n, seen_.curve.size() - 1)];
  }

  const LifePlan& plan_;
  ListMaker& lists_;
  ListeningTruth truth_;
  std::vector<Course> courses_;
  std::vector<std::uint32_t> trip_of_;  // by user: the newest trip with a list
  std::vector<Room> rooms_;
  std::priority_queue<Due, std::vector<Due>, Later> due_;
  std::uint64_t planned_ = 0;
  LifeSeen seen_;
};

Life::Life(const LifePlan& plan, ListMaker& lists)
    : plan_(plan),
      lists_(lists),
      truth_(plan.options().listening, plan.options().users, plan.options().seed),
      courses_(plan.trips().size()),
      trip_of_(plan.options().users) {
  const auto items = static_cast<std::uint32_t>(plan.options().items);
  for (std::uint32_t j = 0; j < items; ++j) {
    rooms_.emplace_back().capacity = plan.capacity(j);
    lists_.put(plan.image(j));
  }
  for (std::uint32_t n = 0; n < plan.trips().size(); ++n) {
    this->plan(plan.trips()[n].at, What::kAsk, n);
  }
  seen_.shown.resize(items);
  for (Time at = plan.measured_from(); at < plan.end(); at += kLifeSlice) {
    seen_.curve.emplace_back().from = at;
    seen_.load.emplace_back(items);
  }
}

void Life::tell_history() {
  Time now = plan_.history().empty() ? plan_.live_from() : plan_.history().front().at;
  lists_.settle(now);
  std::size_t n = 0;
  const auto& history = plan_.history();
  while (n < history.size()) {
    now = history[n].at + kHistoryTick;
    for (; n < history.size() && history[n].at < now; ++n) {
      lists_.check_in(history[n].user, history[n].item, history[n].at);
    }
    lists_.settle(std::min(now, plan_.live_from()));
  }
}

LifeSeen Life::run(const Onlooker& onlooker) {
  tell_history();
  bool said = false;
  for (Time now = plan_.live_from() + kTick; now <= plan_.end(); now += kTick) {
    while (!due_.empty() && due_.top().at < now) {
      const Due next = due_.top();
      due_.pop();
      happen(next);
      said = true;
    }
    if (onlooker) onlooker(now, seen_);
    const bool minute = (now - plan_.live_from()) % kMinute == milliseconds(0);
    if (said || minute) {
      const auto served = lists_.settle(now);
      const auto expected = lists_.expected_listening();
      for (std::size_t n = 0; n < served.size(); ++n) {
        take(served[n], expected.empty() ? -1.0F : expected[n]);
      }
      said = false;
    }
    if (minute) look(now);
  }
  return seen_;
}

void Life::happen(const Due& due) {
  switch (due.what) {
    case What::kAsk:
      return ask(due.trip, due.at);
    case What::kDecide:
      return decide(due.trip, due.at);
    case What::kTell:
      return tell(due.trip, due.at);
    case What::kArrive:
      return arrive(due.trip, due.at);
    case What::kGiveUp:
      return give_up(due.trip, due.at);
    case What::kLeave:
      return leave(due.trip, due.at);
  }
}

void Life::ask(std::uint32_t n, Time at) {
  const Trip& trip = plan_.trips()[n];
  if (!trip.asks) {
    courses_[n].item = trip.own;
    return set_out(n, at);
  }
  courses_[n].deciding = true;
  trip_of_[trip.user] = n;
  lists_.ask(trip.user, at);
  if (trip.measured) {
    seen_.asked += 1.0;
    slice(at).asked += 1.0;
  }
  plan(at + kTick + minutes(trip.answer), What::kDecide, n);
}

// Who still decides looks at the newest list; a list for anybody else is not looked at.
void Life::take(const Host::Served& served, float expected) {
  Course& course = courses_[trip_of_[served.user]];
  if (!course.deciding) return;
  course.list = served.list;
  course.offer = served.items;
  course.expected = expected;
}

void Life::decide(std::uint32_t n, Time at) {
  const Trip& trip = plan_.trips()[n];
  Course& course = courses_[n];
  course.deciding = false;
  const double chance = truth_.chance(trip.user, at);
  course.follows = !course.offer.empty() && trip.listens < chance;
  course.by_list = course.follows;
  course.item = course.follows ? course.offer[plan_.choose(n, course.offer)] : trip.own;
  course.told = course.item;
  if (trip.measured && !course.offer.empty()) {
    seen_.listed += 1.0;
    seen_.followed += course.follows ? 1.0 : 0.0;
    slice(at).followed += course.follows ? 1.0 : 0.0;
    for (const std::uint32_t item : course.offer) ++seen_.shown[item];
    if (course.expected >= 0.0F) {
      const double q = std::clamp(static_cast<double>(course.expected), 1e-4, 1.0 - 1e-4);
      const double p = std::clamp(chance, 1e-9, 1.0 - 1e-9);
      seen_.judged += 1.0;
      const auto& offer = course.offer;
      const bool goes = course.follows || !trip.undecided;
      const bool there = goes && std::find(offer.begin(), offer.end(), course.item) != offer.end();
      seen_.bias += q - (there ? 1.0 : 0.0);
      seen_.squares += (q - p) * (q - p);
      seen_.regret += p * std::log(p / q) + (1.0 - p) * std::log((1.0 - p) / (1.0 - q));
    }
  }
  const bool speaks = !course.offer.empty() && !trip.lost && (course.follows || trip.says_no);
  if (speaks) {
    // Who is wrong names another place of the list, or follows where they did not.
    if (trip.wrong) course.told = course.offer[n % course.offer.size()];
    plan(at + minutes(trip.late), What::kTell, n);
    if (trip.twice) plan(at + minutes(trip.late + 1.0), What::kTell, n);
  }
  if (course.follows || !trip.undecided) set_out(n, at);
}

void Life::tell(std::uint32_t n, Time at) {
  const Trip& trip = plan_.trips()[n];
  const Course& course = courses_[n];
  if (course.follows || trip.wrong) {
    lists_.follow(trip.user, course.list, course.told, at);
  } else {
    lists_.ignore(trip.user, course.list, at);
  }
}

void Life::set_out(std::uint32_t n, Time at) {
  const Trip& trip = plan_.trips()[n];
  if (trip.shows) plan(at + minutes(trip.way), What::kArrive, n);
}

bool Life::has_seat(Room& room, Time at) const {
  if (room.capacity.kind == CapacityKind::kRate) {
    const std::int64_t slot = at.time_since_epoch() / room.capacity.per;
    if (slot != room.slot) room.taken = 0.0;
    room.slot = slot;
  }
  return room.taken < room.capacity.limit;
}

void Life::arrive(std::uint32_t n, Time at) {
  Course& course = courses_[n];
  Room& room = rooms_[course.item];
  course.came = at;
  Crowd* const crowd = this->crowd(n);
  if (crowd != nullptr) crowd->went += 1.0;
  if (!course.by_list) ++room.by_themselves;
  if (has_seat(room, at)) return seat(n, at);
  const Trip& trip = plan_.trips()[n];
  if (course.by_list) truth_.met_full(trip.user, at);
  if (crowd != nullptr) crowd->met_full += 1.0;
  // Nobody waits for a copy that is sold.
  if (trip.queues && room.capacity.kind != CapacityKind::kStock) {
    course.stage = Stage::kWaits;
    ++room.waiting;
    room.queue.push_back(n);
    plan(at + minutes(trip.patience), What::kGiveUp, n);
    return;
  }
  course.stage = Stage::kGone;
  if (!course.by_list) --room.by_themselves;
  if (crowd != nullptr) {
    crowd->turned_away += 1.0;
    slice(at).turned_away += 1.0;
  }
}

void Life::seat(std::uint32_t n, Time at) {
  const Trip& trip = plan_.trips()[n];
  Course& course = courses_[n];
  Room& room = rooms_[course.item];
  course.stage = Stage::kIn;
  room.taken += 1.0;
  ++room.present;
  lists_.check_in(trip.user, course.item, at);
  if (Crowd* const crowd = this->crowd(n); crowd != nullptr) {
    const double glad = plan_.glad(trip.user, course.item);
    crowd->seated += 1.0;
    crowd->waited += in_minutes(at - course.came);
    crowd->value += glad;
    slice(at).seated += 1.0;
    slice(at).value += glad;
  }
  const int dwell = traits(plan_.city().spots()[course.item].kind).dwell_minutes;
  plan(at + minutes(std::max(1.0, dwell * trip.stay)), What::kLeave, n);
}

void Life::leave(std::uint32_t n, Time at) {
  const Trip& trip = plan_.trips()[n];
  Course& course = courses_[n];
  Room& room = rooms_[course.item];
  course.stage = Stage::kGone;
  --room.present;
  if (!course.by_list) --room.by_themselves;
  if (trip.checks_out) lists_.check_out(trip.user, course.item, at);
  if (room.capacity.kind != CapacityKind::kSeats) return;
  room.taken -= 1.0;
  admit(room, at);
}

void Life::admit(Room& room, Time at) {
  while (!room.queue.empty() && has_seat(room, at)) {
    const std::uint32_t n = room.queue.front();
    room.queue.pop_front();
    if (courses_[n].stage != Stage::kWaits) continue;
    --room.waiting;
    seat(n, at);
  }
}

void Life::give_up(std::uint32_t n, Time at) {
  Course& course = courses_[n];
  if (course.stage != Stage::kWaits) return;
  course.stage = Stage::kGone;
  Room& room = rooms_[course.item];
  --room.waiting;
  if (!course.by_list) --room.by_themselves;
  if (Crowd* const crowd = this->crowd(n); crowd != nullptr) {
    crowd->gave_up += 1.0;
    crowd->waited += in_minutes(at - course.came);
    slice(at).gave_up += 1.0;
  }
}

// Once a minute: who gets into a new slot, and how full it is.
void Life::look(Time now) {
  for (Room& room : rooms_) {
    if (room.capacity.kind == CapacityKind::kRate) admit(room, now);
  }
  if (now <= plan_.measured_from()) return;
  const auto at =
      static_cast<std::size_t>((now - kMinute - plan_.measured_from()) / milliseconds(kLifeSlice));
  constexpr float kPart = 1.0F / static_cast<float>(kLifeSlice / std::chrono::minutes(1));
  LifeSlice& slice = seen_.curve[at];
  for (std::uint32_t j = 0; j < rooms_.size(); ++j) {
    const Room& room = rooms_[j];
    const bool seats = room.capacity.kind == CapacityKind::kSeats;
    const double people = (seats ? room.present : room.taken) + room.waiting;
    seen_.load[at][j] += kPart * static_cast<float>(people);
    slice.waiting += static_cast<double>(kPart) * room.waiting;
    const bool over = people > room.capacity.limit;
    slice.overloaded_items += over ? static_cast<double>(kPart) : 0.0;
    if (!seats || !plan_.city().is_open(j, now)) continue;
    seen_.item_minutes += 1.0;
    seen_.overload_minutes += over ? 1.0 : 0.0;
    seen_.organic_overload_minutes += room.by_themselves > room.capacity.limit ? 1.0 : 0.0;
  }
}

}  // namespace

LifeSeen live(const LifePlan& plan, ListMaker& lists, const Onlooker& onlooker) {
  return Life(plan, lists).run(onlooker);
}

}  // namespace headroom::sim
