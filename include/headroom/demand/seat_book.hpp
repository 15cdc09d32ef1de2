#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"

namespace headroom {

// Expected seats in steps of 2^-20, so that sums are exact in any order and what is freed is what
// was booked. Holds round up to a step, limits down.
using Seats = std::int64_t;
inline constexpr Seats kSeat = Seats{1} << 20;
Seats seats_up(float seats);

// Open holds by the age of their list, in six parts of the window and the part that is running.
inline constexpr std::size_t kAges = 7;

// What people see of an item's row, in seats.
struct Book {
  std::optional<Capacity> capacity;  // none: unlimited
  double taken = 0.0;                // present, or copies gone, or arrivals of this slot
  double on_way = 0.0;               // followed, not yet arrived; of a stock always 0
  double held = 0.0;
  std::array<double, kAges> held_by_age{};     // sum of h; [0] is the youngest
  std::array<double, kAges> squares_by_age{};  // sum of h^2: the variance is h - h^2
  std::uint64_t organic = 0;                   // check-ins without a list of ours, ever
  float room = 0.0F;
};

// One row for each item: how many it holds, who is there, who comes, what is held, and the room
// that is left of it. Whatever follows from the users' rows (present, on the way, held) is counted
// here but not saved here: loading those rows counts it again, exactly.
//
// `rate`: a hold or a way may arrive in any slot from now until it lapses, so all of them count in
// the slot of now, none of them in a later slot only, and no one has arrived in a later slot yet.
// The least room over all slots ahead is therefore always that of the slot of now, the only slot
// that needs a count of arrivals.
//
// One thread.
class SeatBook {
 public:
  SeatBook(std::chrono::milliseconds window, std::chrono::milliseconds dwell, RowWatch& watch);

  // Copies that are gone stay gone, whatever the item is called in between: a limit counts all
  // copies ever put on sale.
  void set(ItemIx item, const std::optional<Capacity>& capacity,
           std::optional<std::chrono::minutes> dwell);
  void remove(ItemIx item);  // no user's row may name it any more

  // Never negative; infinite where there is no capacity, and for an item never set.
  float room(ItemIx item) const {
    return index(item) < rooms_.size() ? rooms_[index(item)] : kUnlimited;
  }
  bool full(ItemIx item) const;                            // of people: there or on the way
  std::span<const float> rooms() const { return rooms_; }  // by item; those beyond are unlimited
  float used(ItemIx item) const;  // 1 - room / room when empty; 0 without capacity
  Book book(ItemIx item, Time now) const;
  std::chrono::milliseconds dwell(ItemIx item) const;
  bool is_stock(ItemIx item) const;
  std::int64_t gone(ItemIx item) const;  // copies, whatever the item is now
  void set_gone(ItemIx item, std::int64_t copies);
  bool idle(ItemIx item) const;  // no capacity, nothing names it, nobody unnamed is there
  std::vector<ItemIx> take_idle() { return std::exchange(idle_, {}); }  // that became so
  std::uint64_t mentions(ItemIx item) const;

  // From the users' rows.
  void mention(ItemIx item, int count);             // lists, ways and visits that name it, +-
  void hold(ItemIx item, Seats seats, Time shown);  // of a list shown then
  void free(ItemIx item, Seats seats, Time shown);
  void come(ItemIx item, int people);  // on the way, +-
  void stay(ItemIx item, int people);  // present, +-

  // Of the item's own row.
  void sell(ItemIx item, Party copies);                              // of a stock, for good
  void count_arrival(ItemIx item, Party people, Time at, Time now);  // of a rate, in its slot
  void count_organic(ItemIx item);
  void stay_unnamed(ItemIx item, Party people, Time until);  // present, but no user's row says so

  Time due(ItemIx item) const;  // when the row next changes by itself; Time::max(): never
  void expire(ItemIx item, Time upto);

  std::size_t size() const { return rows_.size(); }
  void save(ItemIx item, ByteWriter& out) const;
  void load(ItemIx item, ByteReader& in);

 private:
  static constexpr float kUnlimited = std::numeric_limits<float>::infinity();
  static constexpr std::size_t kRing = kAges + 1;

  struct Unnamed {
    Time until;
    Party people;
  };
  static bool stays_longer(const Unnamed& a, const Unnamed& b) { return a.until > b.until; }
  // What every check-in touches comes first and lies together.
  struct Row {
    // Counted from the users' rows.
    std::uint64_t mentions = 0;
    std::int64_t present = 0;  // unnamed people as well
    std::int64_t coming = 0;
    Seats held = 0;
    // Saved.
    std::int64_t gone = 0;      // copies of a stock
    std::int64_t arrivals = 0;  // of a rate, in the slot that ends at slot_end
    Time slot_end = Time::max();
    std::uint64_t organic = 0;
    std::optional<Capacity> capacity;
    Seats limit = 0;  // the capacity's
    std::optional<std::chrono::minutes> dwell;
    std::vector<Unnamed> unnamed;  // a heap, the first to leave on top; saved as it lies
    // Counted, by time shown: rings.
    std::array<Seats, kRing> held_by_age{}, squares_by_age{};
  };

  Row& row(ItemIx item);
  const Row* find(ItemIx item) const;
  std::int64_t taken(const Row& row) const;
  std::int64_t coming(const Row& row) const;
  std::int64_t age_part(Time at) const;
  static std::size_t ring_place(std::int64_t part);
  void book_hold(ItemIx item, Seats seats, Seats squares, Time shown);
  void refresh(ItemIx item);
  void report_idle(ItemIx item);

  std::chrono::milliseconds age_step_, dwell_;
  RowWatch& watch_;
  std::vector<Row> rows_;
  std::vector<ItemIx> idle_;
  std::vector<float> rooms_;  // apart from the rows, so that the allocator reads them in one run
};

}  // namespace headroom
