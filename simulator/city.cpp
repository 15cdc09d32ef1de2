#include "simulator/city.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

using std::chrono::milliseconds;

// On the equator, where a degree is the same both ways.
constexpr Place kCentre{0.5, 30.0};
constexpr double kTravel = 0.03;    // degrees: how far people like to go
constexpr double kDistrict = 0.01;  // degrees: how wide a district is
constexpr std::size_t kSpotsOfDistrict = 120, kMostDistricts = 400;
constexpr int kTries = 6;
constexpr std::uint32_t kFavourites = 3;  // of a kind
constexpr std::size_t kBurstDays = 15;    // from when a place is talked about until it is forgotten

// What random numbers of the city are for; a place of the world's purpose has these parts.
enum Part : std::uint32_t { kTown = 1, kSpot, kPerson, kDay, kFavourite, kBurst, kStay };

double away(const Place& a, const Place& b) { return std::hypot(a.lat - b.lat, a.lon - b.lon); }

// How many come in a day where so many are expected.
int poisson(double expected, Draws& draws) {
  double left = draws.uniform(), chance = std::exp(-expected);
  int count = 0;
  while (left >= chance && count < 20) {
    left -= chance;
    chance *= expected / ++count;
  }
  return count;
}

Place draw_place(const Place& around, double spread, Draws& draws) {
  return {around.lat + spread * draws.normal(), around.lon + spread * draws.normal()};
}

double people_limit(double expected, double least) { return std::max(least, std::round(expected)); }

}  // namespace

double Burst::people_on(std::size_t on) const {
  if (on < day) return 0.0;
  const auto since = static_cast<double>(on - day);
  if (concert) return since == 0.0 ? people_at_top : 0.0;
  if (on - day >= kBurstDays) return 0.0;
  return people_at_top * (since < 3.0 ? (since + 1.0) / 4.0 : std::exp(-(since - 3.0) / 4.0));
}

City::City(const CityPlan& plan, Workers& workers) : plan_(plan) {
  if (plan.users < 2 || plan.items < 20 || plan.days < 1) {
    throw Error("a city needs at least 2 users, 20 items and a day");
  }
  for (std::size_t k = 0; k < kKinds; ++k) {
    for (std::size_t habit = 0; habit < kHabits; ++habit) {
      open_.push_back(open_slots(hours_of(static_cast<Kind>(k), habit)));
    }
  }
  found_districts();
  open_spots();
  settle(workers);
  expect_visits();
  size_spots();
  plan_bursts();
}

void City::found_districts() {
  const std::size_t count = std::clamp(plan_.items / kSpotsOfDistrict, std::size_t{6},
                                       std::min(kMostDistricts, plan_.items));
  Draws draws(plan_.seed, Purpose::kWorld, 0, kTown);
  const double wide = 0.02 * std::sqrt(static_cast<double>(count));
  for (std::size_t d = 0; d < count; ++d) {
    districts_.push_back(draw_place(kCentre, wide, draws));
    busy_.push_back(
        std::exp(0.6 * draws.normal() - 0.5 * away(districts_[d], kCentre) / std::max(wide, 0.02)));
  }
  for (const Place& from : districts_) {
    std::vector<double> weights;
    for (std::size_t d = 0; d < count; ++d) {
      weights.push_back(busy_[d] * std::exp(-away(from, districts_[d]) / kTravel));
    }
    going_.emplace_back(weights);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (const double weight : weights) log_going_.push_back(std::log(weight / sum));
  }
  for (std::size_t day = 0; day < 7; ++day) {
    std::vector<double> weights;
    for (std::size_t n = 0; n < kSlotsADay; ++n) {
      weights.push_back(rhythm_.all(day * kSlotsADay + n));
      day_weight_[day] += weights.back();
    }
    slots_of_day_.emplace_back(weights);
  }
  double sum = 0.0;
  for (const double weight : day_weight_) sum += weight;
  for (double& weight : day_weight_) weight *= 7.0 / sum;
}

void City::open_spots() {
  std::vector<double> shares;
  for (std::size_t k = 0; k < kKinds; ++k) shares.push_back(traits(static_cast<Kind>(k)).share);
  const AliasTable kinds(shares), where(busy_);
  cells_.resize(districts_.size() * kKinds);
  for (std::uint32_t j = 0; j < plan_.items; ++j) {
    Draws draws(plan_.seed, Purpose::kWorld, j, kSpot);
    Spot spot{};
    spot.district = where.pick(draws);
    spot.at = draw_place(districts_[spot.district], kDistrict, draws);
    spot.kind = static_cast<Kind>(kinds.pick(draws));
    spot.habit = static_cast<std::uint8_t>(draws.below(kHabits));
    spot.popularity = std::exp(1.1 * draws.normal());
    cells_[spot.district * kKinds + static_cast<std::size_t>(spot.kind)].push_back(j);
    spots_.push_back(spot);
  }
  for (const auto& cell : cells_) {
    std::vector<double> weights;
    for (const std::uint32_t j : cell) weights.push_back(spots_[j].popularity);
    crowd_.push_back(std::accumulate(weights.begin(), weights.end(), 0.0));
    cell_tables_.push_back(cell.empty() ? AliasTable() : AliasTable(weights));
  }
}

City::Person City::draw_person(std::uint32_t user) const {
  Draws draws(plan_.seed, Purpose::kWorld, user, kPerson);
  Person person{};
  person.visits = static_cast<float>(std::exp(0.8 * draws.normal() - 0.32));  // 1 on average
  person.home = static_cast<std::uint16_t>(draws.below(static_cast<std::uint32_t>(busy_.size())));
  person.work = static_cast<std::uint16_t>(going_[person.home].pick(draws));
  for (float& taste : person.taste) taste = static_cast<float>(std::exp(0.7 * draws.normal()));
  return person;
}

void City::settle(Workers& workers) {
  constexpr std::size_t kBlock = 4096;
  people_.resize(plan_.users);
  workers.each((plan_.users + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t last = std::min(plan_.users, (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < last; ++i) {
      people_[i] = draw_person(static_cast<std::uint32_t>(i));
    }
  });
}

// Where people go from home and from work, about: by districts, kinds and popularity.
void City::expect_visits() {
  std::vector<double> flow(districts_.size());
  const std::size_t sample = std::min<std::size_t>(people_.size(), 20'000);
  Draws draws(plan_.seed, Purpose::kWorld, 1, kTown);
  for (std::size_t n = 0; n < sample; ++n) {
    const Person& person = people_[n];
    for (const std::uint16_t from : {person.home, person.work}) {
      for (int m = 0; m < 8; ++m) flow[going_[from].pick(draws)] += 1.0 / 16.0;
    }
  }
  const double visits = plan_.visits * static_cast<double>(plan_.users);
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const double here = visits * flow[cell / kKinds] / static_cast<double>(sample) *
                        rhythm_.share(static_cast<Kind>(cell % kKinds));
    for (const std::uint32_t j : cells_[cell]) {
      spots_[j].visits_per_day = here * spots_[j].popularity / crowd_[cell];
    }
  }
}

void City::size_spots() {
  for (std::uint32_t j = 0; j < spots_.size(); ++j) {
    Spot& spot = spots_[j];
    const KindTraits& kind = traits(spot.kind);
    Draws draws(plan_.seed, Purpose::kWorld, plan_.items + j, kSpot);
    const double size = plan_.supply * std::exp(0.5 * draws.normal()) * spot.visits_per_day;
    const double per_hour = size * rhythm_.peak(spot.kind) * 2.0;
    spot.capacity.kind = kind.capacity;
    switch (kind.capacity) {
      case CapacityKind::kSeats:
        spot.capacity.limit = people_limit(per_hour * kind.dwell_minutes / 60.0, 2.0);
        // A hall is built for its concerts.
        if (spot.kind == Kind::kHall) {
          spot.capacity.limit = people_limit(
              std::max(20.0, 0.004 * static_cast<double>(plan_.users) * spot.popularity), 20.0);
        }
        break;
      case CapacityKind::kRate:
        spot.capacity.limit = people_limit(per_hour, 2.0);
        spot.capacity.per = std::chrono::minutes{60};
        break;
      case CapacityKind::kStock:
        spot.capacity.limit = people_limit(size * static_cast<double>(plan_.days), 5.0);
        break;
    }
  }
}

void City::plan_bursts() {
  std::vector<std::uint32_t> halls, others;
  for (std::uint32_t j = 0; j < spots_.size(); ++j) {
    (spots_[j].kind == Kind::kHall ? halls : others).push_back(j);
  }
  const auto users = static_cast<double>(plan_.users);
  bursts_on_.resize(plan_.days);
  for (std::size_t n = 0; n < plan_.bursts; ++n) {
    Draws draws(plan_.seed, Purpose::kWorld, n, kBurst);
    Burst burst{};
    burst.concert = n % 2 == 0 && !halls.empty();
    const auto& from = burst.concert ? halls : others;
    burst.item = from[draws.below(static_cast<std::uint32_t>(from.size()))];
    burst.day = draws.below(static_cast<std::uint32_t>(plan_.days));
    burst.slot = 38 + draws.below(4);  // 19:00 to 20:30
    const Spot& spot = spots_[burst.item];
    burst.people_at_top = burst.concert
                              ? spot.capacity.limit * (0.8 + 1.2 * draws.uniform())
                              : (8.0 + 12.0 * draws.uniform()) * (spot.visits_per_day + 1.0);
    burst.people_at_top = std::min(burst.people_at_top, 0.1 * users);
    for (std::size_t d = burst.day; d < std::min(plan_.days, burst.day + kBurstDays); ++d) {
      if (burst.people_on(d) > 0.0) bursts_on_[d].push_back(static_cast<std::uint32_t>(n));
    }
    bursts_.push_back(burst);
  }
}

double City::taste(std::uint32_t user, std::uint32_t item) const {
  const Person& person = people_[user];
  const Spot& spot = spots_[item];
  const auto kind = static_cast<std::size_t>(spot.kind);
  return log_going_[person.home * districts_.size() + spot.district] +
         std::log(static_cast<double>(person.taste[kind])) +
         std::log(spot.popularity / crowd_[spot.district * kKinds + kind]);
}

Kind City::draw_kind(const Person& person, std::size_t slot, Draws& draws) const {
  const auto& wanted = rhythm_.at(slot);
  std::array<double, kKinds> weight;
  double sum = 0.0;
  for (std::size_t k = 0; k < kKinds; ++k) {
    sum += weight[k] = wanted[k] * static_cast<double>(person.taste[k]);
  }
  double left = sum * draws.uniform();
  std::size_t k = 0;
  while (k + 1 < kKinds && left >= weight[k]) left -= weight[k++];
  return static_cast<Kind>(k);
}

std::optional<std::uint32_t> City::any_spot(std::uint16_t from, Kind kind, Draws& draws) const {
  const std::size_t cell = going_[from].pick(draws) * kKinds + static_cast<std::size_t>(kind);
  if (cells_[cell].empty()) return std::nullopt;
  return cells_[cell][cell_tables_[cell].pick(draws)];
}

std::optional<std::uint32_t> City::favourite(std::uint32_t user, Kind kind, std::uint32_t n) const {
  const std::uint64_t which = static_cast<std::uint64_t>(kind) * kFavourites + n;
  Draws draws(plan_.seed, Purpose::kWorld, which << 32 | user, kFavourite);
  return any_spot(people_[user].home, kind, draws);
}

std::optional<std::uint32_t> City::own_choice(std::uint32_t user, Time at, Draws& draws) const {
  const std::size_t slot = slot_of(at), hour = slot % kSlotsADay / 2;
  const Person& person = people_[user];
  const bool at_work = slot / kSlotsADay < 5 && hour >= 9 && hour < 18;
  const Kind kind = draw_kind(person, slot, draws);
  for (int n = 0; n < kTries; ++n) {
    std::optional<std::uint32_t> item;
    if (draws.uniform() < plan_.habit) {
      const double u = draws.uniform();
      item = favourite(user, kind, u < 0.6 ? 0 : u < 0.85 ? 1 : 2);
    } else {
      item = any_spot(at_work ? person.work : person.home, kind, draws);
    }
    if (item && open_at(*item, slot)) return item;
  }
  return std::nullopt;
}

Time City::draw_time(std::size_t day, Draws& draws) const {
  const auto date = plan_.first_day + std::chrono::days(day);
  const std::size_t weekday = std::chrono::weekday(date).iso_encoding() - 1;
  const std::uint32_t slot = slots_of_day_[weekday].pick(draws);
  const auto within =
      draws.below(static_cast<std::uint32_t>(std::chrono::milliseconds(kSlot).count()));
  return Time(date) + slot * kSlot + milliseconds(within);
}

void City::add_burst(std::size_t day, std::uint32_t user, Draws& draws,
                     std::vector<Visit>& into) const {
  if (bursts_on_[day].empty()) return;
  double left = draws.uniform() * static_cast<double>(plan_.users);
  for (const std::uint32_t n : bursts_on_[day]) {
    const Burst& burst = bursts_[n];
    const double people = burst.people_on(day);
    if (left >= people) {
      left -= people;
      continue;
    }
    for (int tries = 0; tries < kTries; ++tries) {
      Time at = draw_time(day, draws);
      if (burst.concert) {
        const double minutes = std::clamp(-20.0 + 15.0 * draws.normal(), -60.0, 29.0);
        at = Time(plan_.first_day + std::chrono::days(day)) + burst.slot * kSlot +
             milliseconds(static_cast<std::int64_t>(minutes * 60'000.0));
      }
      if (!is_open(burst.item, at)) continue;
      into.push_back({at, user, burst.item});
      return;
    }
    return;
  }
}

void City::add_visits(std::size_t day, std::uint32_t first, std::uint32_t last,
                      std::vector<Visit>& into) const {
  const std::size_t weekday =
      std::chrono::weekday(plan_.first_day + std::chrono::days(day)).iso_encoding() - 1;
  const double expected = plan_.visits * day_weight_[weekday];
  for (std::uint32_t user = first; user < last; ++user) {
    Draws draws(plan_.seed, Purpose::kWorld, std::uint64_t{day} << 32 | user, kDay);
    const int count = poisson(expected * static_cast<double>(people_[user].visits), draws);
    for (int n = 0; n < count; ++n) {
      const Time at = draw_time(day, draws);
      if (const auto item = own_choice(user, at, draws)) into.push_back({at, user, *item});
    }
    add_burst(day, user, draws, into);
  }
}

milliseconds City::stay(const Visit& visit) const {
  const auto at = static_cast<std::uint64_t>(visit.at.time_since_epoch().count());
  Draws draws(plan_.seed, Purpose::kWorld, at * 0x9E3779B97F4A7C15U + visit.user, kStay);
  const double factor = std::clamp(std::exp(0.35 * draws.normal() - 0.06), 0.2, 3.0);
  const int minutes = traits(spots_[visit.item].kind).dwell_minutes;
  return milliseconds(static_cast<std::int64_t>(factor * minutes * 60'000.0));
}

ItemUpdate City::image(std::uint32_t item) const {
  const Spot& spot = spots_[item];
  const KindTraits& kind = traits(spot.kind);
  ItemUpdate image;
  image.item = std::string("i").append(std::to_string(item));
  image.title = std::string(kind.name) + " " + std::to_string(item) + ", district " +
                std::to_string(spot.district);
  image.position = Position{spot.at.lat, spot.at.lon};
  image.capacity = spot.capacity;
  image.dwell = std::chrono::minutes(kind.dwell_minutes);
  image.hours = hours_of(spot.kind, spot.habit);
  return image;
}

}  // namespace headroom::sim
