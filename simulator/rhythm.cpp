#include "simulator/rhythm.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace headroom::sim {
namespace {

constexpr std::array<KindTraits, kKinds> kTraits = {{
    {"restaurant", 0.34, CapacityKind::kSeats, 60},
    {"cafe", 0.20, CapacityKind::kSeats, 35},
    {"bar", 0.12, CapacityKind::kSeats, 90},
    {"museum", 0.05, CapacityKind::kRate, 90},
    {"gym", 0.08, CapacityKind::kRate, 75},
    {"shop", 0.16, CapacityKind::kStock, 20},
    {"hall", 0.05, CapacityKind::kSeats, 150},
}};

// An hour of the day around which people come.
struct Wave {
  double hour, width, weight;
};
struct Week {
  std::array<Wave, 2> workday, weekend;
  std::array<double, 7> days;  // from Monday
};
constexpr std::array<Week, kKinds> kWeeks = {{
    {{{{12.5, 0.8, 1.0}, {19.5, 1.2, 1.1}}},
     {{{13.0, 1.2, 1.1}, {19.8, 1.4, 1.6}}},
     {0.9, 0.9, 1.0, 1.0, 1.2, 1.3, 1.1}},
    {{{{8.5, 1.0, 0.7}, {15.5, 1.6, 0.4}}},
     {{{10.5, 1.6, 0.8}, {15.5, 1.6, 0.7}}},
     {1.0, 1.0, 1.0, 1.0, 1.0, 1.2, 1.1}},
    {{{{21.5, 1.6, 0.4}, {18.0, 0.8, 0.1}}},
     {{{22.3, 1.7, 0.8}, {18.0, 0.8, 0.1}}},
     {0.5, 0.5, 0.7, 0.9, 1.9, 1.8, 0.6}},
    {{{{11.5, 1.5, 0.10}, {15.0, 1.5, 0.12}}},
     {{{11.5, 1.5, 0.35}, {15.0, 1.8, 0.45}}},
     {0.6, 0.9, 0.9, 0.9, 1.0, 1.2, 1.3}},
    {{{{7.2, 0.8, 0.25}, {18.3, 1.2, 0.4}}},
     {{{10.5, 1.5, 0.35}, {17.0, 1.5, 0.15}}},
     {1.2, 1.1, 1.1, 1.0, 0.8, 0.9, 0.8}},
    {{{{12.8, 1.0, 0.25}, {17.8, 1.2, 0.45}}},
     {{{14.5, 2.0, 0.55}, {17.5, 1.2, 0.15}}},
     {0.9, 0.9, 0.9, 1.0, 1.1, 1.5, 0.5}},
    {{{{19.6, 0.7, 0.10}, {18.0, 0.8, 0.02}}},
     {{{19.6, 0.8, 0.25}, {15.0, 1.0, 0.06}}},
     {0.5, 0.6, 0.7, 1.0, 1.5, 1.7, 0.8}},
}};

double wave_at(std::span<const Wave> waves, double hour) {
  double sum = 0.0;
  for (const Wave& wave : waves) {
    sum += wave.weight * std::exp(-0.5 * std::pow((hour - wave.hour) / wave.width, 2.0));
  }
  return sum;
}

double on_day(const Week& week, std::size_t day, double hour) {
  return week.days[day] * wave_at(day < 5 ? week.workday : week.weekend, hour);
}

OpeningHours hours(std::uint8_t days, int from, int to) {
  return {days, std::chrono::minutes(from * 30), std::chrono::minutes(to * 30)};
}

}  // namespace

// What begins late goes on after midnight.
Rhythm::Rhythm() {
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::size_t day = slot / kSlotsADay;
    const double hour = (static_cast<double>(slot % kSlotsADay) + 0.5) * 24.0 / kSlotsADay;
    for (std::size_t k = 0; k < kKinds; ++k) {
      wanted_[slot][k] =
          on_day(kWeeks[k], day, hour) + on_day(kWeeks[k], (day + 6) % 7, hour + 24.0);
    }
  }
}

double Rhythm::all(std::size_t slot) const {
  double sum = 0.0;
  for (const double wanted : wanted_[slot]) sum += wanted;
  return sum;
}

double Rhythm::share(Kind kind) const {
  double own = 0.0, sum = 0.0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    own += of(kind, slot);
    sum += all(slot);
  }
  return own / sum;
}

double Rhythm::peak(Kind kind) const {
  double most = 0.0, sum = 0.0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    most = std::max(most, of(kind, slot));
    sum += of(kind, slot);
  }
  return most / (sum / 7.0);
}

const KindTraits& traits(Kind kind) { return kTraits[static_cast<std::size_t>(kind)]; }

std::vector<OpeningHours> hours_of(Kind kind, std::size_t habit) {
  constexpr std::uint8_t kEvery = 0x7F, kWeekend = 0x60;
  const int late = static_cast<int>(habit % 2);
  // Half of the places rest one day from Monday to Thursday.
  const auto rest = static_cast<std::uint8_t>(habit >= kHabits / 2 ? 1U << (habit % 4) : 0U);
  const auto days = static_cast<std::uint8_t>(kEvery & ~rest);
  switch (kind) {
    case Kind::kRestaurant:
      if (habit % 4 == 0) return {hours(days, 22, 46)};  // through the afternoon
      return {hours(days, 23, 30), hours(days, 35, 45 + late)};
    case Kind::kCafe:
      return {hours(days, 14 + late, 36 + 2 * late)};
    case Kind::kBar:
      return {hours(days, 34, 2 + 2 * late)};  // over midnight
    case Kind::kMuseum:
      return {hours(static_cast<std::uint8_t>(kEvery & ~1U), 20, 36 + late)};
    case Kind::kGym:
      return {hours(kEvery & ~kWeekend, 12, 44 + late), hours(kWeekend, 16, 40)};
    case Kind::kShop:
      return {hours(0x3F, 18 + late, 40)};
    case Kind::kHall:
      return {hours(kEvery, 28, 47)};
  }
  return {};
}

OpenSlots open_slots(const std::vector<OpeningHours>& all) {
  OpenSlots open{};
  for (const OpeningHours& some : all) {
    for (std::size_t day = 0; day < 7; ++day) {
      if ((some.days >> day & 1U) == 0) continue;
      const auto from = static_cast<std::size_t>(some.from / kSlot);
      auto to = static_cast<std::size_t>(some.to / kSlot);
      if (to <= from) to += kSlotsADay;
      for (std::size_t at = from; at < to; ++at) open[(day * kSlotsADay + at) % kSlots] = true;
    }
  }
  return open;
}

}  // namespace headroom::sim
