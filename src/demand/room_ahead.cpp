#include <algorithm>
#include <cmath>

#include "headroom/demand/seat_book.hpp"

// The rule `ahead`: how many seats may be offered so that the chance of overload stays below the
// item's risk at every horizon. See SeatBook.

namespace headroom {

namespace {

using std::chrono::milliseconds;

constexpr double kMostRoom = 1e9;  // seats
// A slot in which a new hold arrives a tenth as often as in its best one is not its concern.
constexpr double kConcerned = 0.1;
constexpr double kAlone = 0.01;  // people

// Organic people are counted over a few hours, against what is so of all items as if so many had
// been seen.
constexpr milliseconds kOrganicMemory = std::chrono::hours(4);
constexpr double kPriorOrganicPeople = 2.0;
// ... and that share of all capacities against this one, known of so many seats over one turn.
constexpr double kPriorShare = 0.1, kPriorSeats = 10.0;

double seats_of(Seats steps) { return static_cast<double>(steps) / static_cast<double>(kSeat); }
double count_of(milliseconds time) { return static_cast<double>(time.count()); }

// Organic people of so long ago count so much.
double faded(milliseconds ago) { return std::exp(-count_of(ago) / count_of(kOrganicMemory)); }

// People that come or stay with this chance, in parties.
void add(double people, double squares, double chance, double& mean, double& variance) {
  mean += people * chance;
  variance += squares * chance * (1.0 - chance);
}

}  // namespace

double SeatBook::room_ahead(const Row& r, std::vector<Book::Horizon>* told) const {
  switch (r.capacity->kind) {
    case CapacityKind::kSeats:
      return room_of_seats(r, told);
    case CapacityKind::kStock:
      return room_of_stock(r, told);
    case CapacityKind::kRate:
      return room_of_rate(r, told);
  }
  return 0.0;
}

// The mean that may still come, where people beyond `free` seats are too many: the certain part of
// those expected, M - V, takes seats, the rest is Poisson.
double SeatBook::more(const Row& r, double free, const Sums& sums) const {
  return (*gammas_[r.aim])(free - (sums.mean - sums.variance) + 1.0) - sums.variance;
}

double SeatBook::room_of_seats(const Row& r, std::vector<Book::Horizon>* told) const {
  const double seats = std::floor(r.capacity->limit);
  if (seats < 1.0) return 0.0;
  const Course& course = outlook_.course(r.course);
  ByHorizon mean{}, variance{};
  for (const Aged& aged : r.present_by_age) {
    const ByHorizon& stays = course.stay_at(part_ - aged.part);
    for (std::size_t d = 0; d < kHorizons; ++d) {
      add(static_cast<double>(aged.people), static_cast<double>(aged.squares), stays[d], mean[d],
          variance[d]);
    }
  }
  for (const Aged& aged : r.coming_by_age) {
    const ByHorizon& there = Course::at(course.way, part_ - aged.part);
    for (std::size_t d = 0; d < kHorizons; ++d) {
      add(static_cast<double>(aged.people), static_cast<double>(aged.squares), there[d], mean[d],
          variance[d]);
    }
  }
  for (std::size_t age = 0; age < kAges && r.held != 0; ++age) {
    const std::size_t place = ring_place(part_ - static_cast<std::int64_t>(age));
    if (r.held_by_age[place] == 0) continue;
    const double held = seats_of(r.held_by_age[place]), lumps = seats_of(r.lumps_by_age[place]);
    const double squares = seats_of(r.squares_by_age[place]);
    for (std::size_t d = 0; d < kHorizons; ++d) {
      const double there = course.hold[age][d];
      mean[d] += held * there;
      variance[d] += lumps * there - squares * there * there;
    }
  }
  const double organic = organic_rate(r);
  double room = kMostRoom;
  for (std::size_t d = 0; d < kHorizons; ++d) {
    if (!course.counts[d]) continue;
    const Sums sums{mean[d] + organic * course.organic[d],
                    std::max(variance[d], 0.0) + organic * course.organic[d]};
    const double fits = std::max(more(r, seats, sums), 0.0) / course.fresh[d];
    room = std::min(room, fits);
    if (told != nullptr) {
      told->push_back(
          {milliseconds(std::llround(outlook_.horizons()[d])), sums.mean, sums.variance, fits});
    }
  }
  return room;
}

// A follow takes its copy at once, and nobody brings one back: what counts is who follows in the
// end. Who buys without a list is only expected where that was seen, for as long as lists are open.
double SeatBook::room_of_stock(const Row& r, std::vector<Book::Horizon>* told) const {
  const double left = std::floor(r.capacity->limit) - static_cast<double>(r.gone);
  if (left < 1.0) return 0.0;
  const Coming& coming = outlook_.coming();
  Sums sums;
  for (std::size_t age = 0; age < kAges && r.held != 0; ++age) {
    const std::size_t place = ring_place(part_ - static_cast<std::int64_t>(age));
    const double follows = coming.hold_follows[age];
    sums.mean += seats_of(r.held_by_age[place]) * follows;
    sums.variance += seats_of(r.lumps_by_age[place]) * follows -
                     seats_of(r.squares_by_age[place]) * follows * follows;
  }
  const double organic = organic_rate(r) * count_of(options_.window);
  sums.mean += organic;
  sums.variance = std::max(sums.variance, 0.0) + organic;
  // Hardly anybody else is expected: one who is alone is not too many, or the last copy would stay.
  const double alone = sums.mean > kAlone ? 0.0 : 1.0;
  const double fits = std::max(more(r, left, sums) / coming.fresh_follows, alone);
  if (told != nullptr) told->push_back({options_.window, sums.mean, sums.variance, fits});
  return std::min(fits, kMostRoom);
}

// Who arrives in a slot: holds and ways by the chance that they do, organic people by its length.
SeatBook::Sums SeatBook::arriving(const Row& r, const Slot& slot) const {
  const Coming& coming = outlook_.coming();
  const auto within = [&](const ByTime& cdf) {
    return Coming::by(cdf, slot.to / coming.unit) - Coming::by(cdf, slot.from / coming.unit);
  };
  Sums sums;
  for (const Aged& aged : r.coming_by_age) {
    add(static_cast<double>(aged.people), static_cast<double>(aged.squares),
        within(Coming::at(coming.way, part_ - aged.part)), sums.mean, sums.variance);
  }
  for (std::size_t age = 0; age < kAges && r.held != 0; ++age) {
    const std::size_t place = ring_place(part_ - static_cast<std::int64_t>(age));
    if (r.held_by_age[place] == 0) continue;
    const double arrives = within(coming.hold[age]);
    sums.mean += seats_of(r.held_by_age[place]) * arrives;
    sums.variance += seats_of(r.lumps_by_age[place]) * arrives -
                     seats_of(r.squares_by_age[place]) * arrives * arrives;
  }
  const double organic = organic_rate(r) * (slot.to - slot.from);
  return {sums.mean + organic, std::max(sums.variance, 0.0) + organic};
}

double SeatBook::room_of_rate(const Row& r, std::vector<Book::Horizon>* told) const {
  const double limit = std::floor(r.capacity->limit);
  if (limit < 1.0) return 0.0;
  const Coming& coming = outlook_.coming();
  const milliseconds per = r.capacity->per;
  const Time now{outlook_.age_step() * part_};  // the beginning of the part, for all of it
  const auto fresh_in = [&](const Slot& slot) {
    return Coming::by(coming.fresh, slot.to / coming.unit) -
           Coming::by(coming.fresh, slot.from / coming.unit);
  };
  std::vector<std::pair<Slot, double>> slots;
  double best = 0.0;
  const double reach = coming.unit * static_cast<double>(kGrid);
  Time end{per * (now.time_since_epoch() / per + 1)};
  for (Time from = now; count_of(from - now) < reach; from = end, end += per) {
    const Slot slot{count_of(from - now), count_of(end - now),
                    end == r.slot_end ? static_cast<double>(r.arrivals) : 0.0};
    slots.emplace_back(slot, fresh_in(slot));
    best = std::max(best, slots.back().second);
  }
  double room = kMostRoom;
  for (const auto& [slot, fresh] : slots) {
    if (fresh < kConcerned * best || fresh <= 0.0) continue;
    const Sums sums = arriving(r, slot);
    const double fits = std::max(more(r, limit - slot.arrived, sums), 0.0) / fresh;
    room = std::min(room, fits);
    if (told != nullptr) {
      told->push_back(
          {milliseconds(std::llround(slot.from)), sums.mean + slot.arrived, sums.variance, fits});
    }
  }
  return room;
}

double SeatBook::room_when_empty(const Row& r) const {
  const double seats = std::floor(r.capacity->limit);
  if (seats < 1.0) return 0.0;
  const Coming& coming = outlook_.coming();
  double fresh = coming.fresh[kGrid];
  if (r.capacity->kind == CapacityKind::kStock) fresh = coming.fresh_follows;
  if (r.capacity->kind == CapacityKind::kSeats) {
    const ByHorizon& by = outlook_.course(r.course).fresh;
    fresh = *std::max_element(by.begin(), by.end());
  }
  return fresh > 0.0 ? more(r, seats, {}) / fresh : 0.0;
}

// --- People who come without a list ---

void SeatBook::count_organic(ItemIx item, Party people) {
  watch_.changing(item);
  Row& r = row(item);
  ++r.organic;
  r.organic_people = r.organic_people * faded(now_ - r.organic_at) + people;
  r.organic_at = now_;
  if (r.capacity) outlook_.organic_came();
  refresh(item);
}

// In which an item's capacity is used once.
double SeatBook::turnover(const Row& r) const {
  if (r.capacity->kind == CapacityKind::kRate) return count_of(milliseconds(r.capacity->per));
  return std::max(outlook_.course(r.course).mean_stay, 1.0);
}

double SeatBook::organic_watched(const Row& r, Time at) const {
  const Time since = std::max(r.watched, started_);
  return at > since ? count_of(kOrganicMemory) * (1.0 - faded(at - since)) : 0.0;
}

// As of the last fit or, if that is later, the last one who came: between these it stands still.
double SeatBook::organic_rate(const Row& r) const {
  const Time at = std::max(outlook_.fitted_at(), r.organic_at);
  const double seen = r.organic_people * faded(at - r.organic_at);
  const double watched = organic_watched(r, at);
  if (r.capacity->kind == CapacityKind::kStock) return seen / (watched + count_of(options_.window));
  const double believed = outlook_.organic_share() * r.capacity->limit / turnover(r);
  if (believed <= 0.0) return seen / (watched + turnover(r));
  return (kPriorOrganicPeople + seen) / (kPriorOrganicPeople / believed + watched);
}

double SeatBook::organic_share() const {
  double seen = kPriorShare * kPriorSeats, capacity = kPriorSeats;
  for (const Row& r : rows_) {
    if (!r.capacity || r.capacity->kind == CapacityKind::kStock) continue;
    seen += r.organic_people * faded(now_ - r.organic_at);
    capacity += organic_watched(r, now_) * r.capacity->limit / turnover(r);
  }
  return seen / capacity;
}

}  // namespace headroom
