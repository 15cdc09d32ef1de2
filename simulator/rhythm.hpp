#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "headroom/base/event.hpp"
#include "headroom/base/time.hpp"

namespace headroom::sim {

// When people go where: kinds of places, their hours and how much they are wanted through a week.
// The week is cut into half hours, from Monday at 00:00.

enum class Kind : std::uint8_t { kRestaurant, kCafe, kBar, kMuseum, kGym, kShop, kHall };
inline constexpr std::size_t kKinds = 7;

inline constexpr std::size_t kSlotsADay = 48, kSlots = 7 * kSlotsADay;
inline constexpr std::chrono::minutes kSlot{30};
inline std::size_t slot_of(Time at) {
  const auto monday = std::chrono::sys_days{std::chrono::year{1970} / 1 / 5};
  constexpr std::int64_t kWeek = std::chrono::milliseconds(kSlot).count() * kSlots;
  const std::int64_t since = ((at - Time(monday)).count() % kWeek + kWeek) % kWeek;
  return static_cast<std::size_t>(since / std::chrono::milliseconds(kSlot).count());
}

// How much a kind is wanted in a half hour, beside its other half hours and the other kinds.
class Rhythm {
 public:
  Rhythm();
  double of(Kind kind, std::size_t slot) const {
    return wanted_[slot][static_cast<std::size_t>(kind)];
  }
  const std::array<double, kKinds>& at(std::size_t slot) const { return wanted_[slot]; }
  double all(std::size_t slot) const;
  double share(Kind kind) const;  // of all visits of a week
  double peak(Kind kind) const;   // the most of a half hour over the mean day

 private:
  std::array<std::array<double, kKinds>, kSlots> wanted_{};
};

// What is fixed for a kind.
struct KindTraits {
  const char* name;
  double share;  // of the places
  CapacityKind capacity;
  int dwell_minutes;
};
const KindTraits& traits(Kind kind);

// The hours that places of a kind keep: some open longer, some close on a day of the week.
inline constexpr std::size_t kHabits = 16;
std::vector<OpeningHours> hours_of(Kind kind, std::size_t habit);

// Whether places with these hours are open, by half hour.
using OpenSlots = std::array<bool, kSlots>;
OpenSlots open_slots(const std::vector<OpeningHours>& hours);

}  // namespace headroom::sim
