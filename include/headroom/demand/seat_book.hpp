#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/changed_rows.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"
#include "headroom/demand/gamma.hpp"
#include "headroom/demand/outlook.hpp"

namespace headroom {

// Expected seats in steps of 2^-20, so that sums are exact in any order and what is freed is what
// was booked. Holds round up to a step, limits down.
using Seats = std::int64_t;
inline constexpr Seats kSeat = Seats{1} << 20;
Seats seats_up(float seats);

// Open holds by the age of their list, in six parts of the window and the part that is running.
inline constexpr std::size_t kAges = kAgeParts + 1;

// People at an item at one time vary by about this share of its limit, as a variance.
inline constexpr double kPresentVariance = 0.28;

// How rooms are made, where an item says nothing else.
struct SeatOptions {
  std::chrono::milliseconds window{}, way{}, dwell{};
  RoomRule rule = RoomRule::kAhead;
  double risk = 0.05;
};

// What people see of an item's row, in seats.
struct Book {
  struct People {
    std::chrono::milliseconds age;  // at least; they came within one part of time
    std::int64_t people;
  };
  // What the rule `ahead` expects: at a horizon (`rate`: in a slot from then on).
  struct Horizon {
    std::chrono::milliseconds ahead;
    double expected = 0.0, variance = 0.0;  // people, of all that is booked
    double room = 0.0;
  };

  std::optional<Capacity> capacity;  // none: unlimited
  RoomRule rule = RoomRule::kAhead;
  double risk = 0.0;
  double aim = 0.0;  // of `ahead`: the chance that rooms are made for, so that the risk comes true
  double taken = 0.0;   // present, or copies gone, or arrivals of this slot
  double on_way = 0.0;  // followed, not yet arrived; of a stock always 0
  double held = 0.0;
  std::array<double, kAges> held_by_age{};     // sum of h; [0] is the youngest
  std::array<double, kAges> squares_by_age{};  // sum of h^2
  std::vector<People> present_by_age, coming_by_age;
  std::uint64_t organic = 0;                     // check-ins without a list of ours, ever
  double organic_rate = 0.0;                     // people an hour, as expected from now on
  double expected_follows = 0.0, follows = 0.0;  // of lists that are over; old ones fade
  float factor = 1.0F;
  std::vector<Horizon> horizons;  // of `ahead`
  float room = 0.0F;
};

// One row for each item: how many it holds, who is there, who comes, what is held, and the room
// that is left of it. Whatever follows from the users' rows (present, on the way, held) is counted
// here but not saved here: loading those rows counts it again, exactly.
//
// A room is a pure function of the row, the tables and the part of time in which `now` lies. It is
// made anew when the row changes, when a new part begins and when the tables were fitted, the last
// two only by advance(). So nothing but what is booked on an item itself changes its room between
// two calls of advance(), and what was checked against a room may be booked as it is.
//
// Rule `ahead`, RECIPES' B2: the people present at a horizon have mean M and variance V and are
// taken for M - V plus a Poisson variate of mean V; a hold that is booked now adds to it. The room
// is what may be added at the worst horizon. `rate`: the same for the people who arrive in each
// slot ahead. `stock`: for copies gone in the end.
//
// Rule `now`, `rate`: a hold or a way may arrive in any slot from now until it lapses, so all of
// them count in the slot of now, none of them in a later slot only, and no one has arrived in a
// later slot yet. The least room over all slots ahead is therefore always that of the slot of now,
// the only slot that needs a count of arrivals.
//
// One thread.
class SeatBook {
 public:
  SeatBook(const SeatOptions& options, RowWatch& watch);

  // Time goes on: first, before what ends by then is taken out of the rows, and after that.
  void begin_advance(Time now);
  void end_advance();
  void begin_anew();

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
  // About the chance that who is sent there now finds it full: the risk where no room is left, less
  // the more there is. By rule `now` nobody knows: 0.
  float crowded(ItemIx item) const;
  Book book(ItemIx item) const;
  double taken(ItemIx item) const;
  std::uint8_t level(ItemIx item) const;  // of RiskGauge, as of the last fit
  // What follows of the item there were for each that was expected, near 1 while little is known.
  float factor(ItemIx item) const;
  const Outlook& outlook() const { return outlook_; }
  Outlook& outlook() { return outlook_; }  // to tell it what happened
  std::chrono::milliseconds dwell(ItemIx item) const;
  bool is_stock(ItemIx item) const;
  std::int64_t gone(ItemIx item) const;  // copies, whatever the item is now
  void set_gone(ItemIx item, std::int64_t copies);
  bool idle(ItemIx item) const;  // no capacity, nothing names it, nobody unnamed is there
  std::vector<ItemIx> take_idle() { return std::exchange(idle_, {}); }  // that became so
  // Rows whose room, use or factor may be another than at the last call.
  std::vector<std::uint32_t> take_changed() { return changed_.take(); }
  std::uint64_t mentions(ItemIx item) const;

  // From the users' rows.
  void mention(ItemIx item, int count);  // lists, ways and visits that name it, +-
  // Of a list for so many people, shown then.
  void hold(ItemIx item, Seats seats, Party party, Time shown);
  void free(ItemIx item, Seats seats, Party party, Time shown);
  // One party on the way since then, or present; `count` is 1 or -1.
  void come(ItemIx item, int count, Party party, Time since);
  void stay(ItemIx item, int count, Party party, Time since);

  // Of the item's own row.
  void sell(ItemIx item, Party copies);                              // of a stock, for good
  void count_arrival(ItemIx item, Party people, Time at, Time now);  // of a rate, in its slot
  void count_organic(ItemIx item, Party people);
  // Present, but no user's row says so.
  void stay_unnamed(ItemIx item, Party people, Time since, Time until);
  // A visit of `seats` is over; none: it took all of its time.
  void count_visit(ItemIx item, std::optional<std::chrono::milliseconds> stayed);
  void count_follows(ItemIx item, double expected, double followed);  // of a list that is over

  Time due(ItemIx item) const;  // when the row next changes by itself; Time::max(): never
  void expire(ItemIx item, Time upto);

  std::size_t size() const { return rows_.size(); }
  void save(ItemIx item, ByteWriter& out) const;
  void load(ItemIx item, ByteReader& in);
  void save_shared(ByteWriter& out) const;
  void load_shared(ByteReader& in, Time now);  // after the rows

 private:
  static constexpr float kUnlimited = std::numeric_limits<float>::infinity();
  static constexpr std::size_t kRing = kAges + 1;

  struct Unnamed {
    Time since, until;
    Party people;
  };
  // People by the part of time in which they came or set out, in its order.
  struct Aged {
    std::int64_t part;
    std::int64_t people, squares;  // sums of parties and of their squares
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
    double organic_people = 0.0;   // that came of late: fades
    Time organic_at{};             // as of then
    Time watched{};                // organic people are counted from here on
    double expected = 0.0, followed = 0.0;
    float pressure = 0.0F;   // the share of time of late in which it had no room left
    std::uint8_t level = 0;  // of it, as of the last fit
    // Follows from the capacity.
    RoomRule rule = RoomRule::kAhead;
    double risk = 0.0, quantile = 0.0;  // the normal one of the risk
    RiskGauge::Aim aim = 0;             // at which its rooms are made, for the risk to come true
    std::uint8_t course = 0;            // of the outlook
    bool ageing = false;                // its room changes as time goes on; is in ageing_
    // Counted.
    std::vector<Aged> present_by_age, coming_by_age;
    // Counted, by time shown: rings. Lumps are sums of h times the party: people come together.
    std::array<Seats, kRing> held_by_age{}, squares_by_age{}, lumps_by_age{};
  };
  struct Sums {  // of the people at a horizon
    double mean = 0.0, variance = 0.0;
  };
  struct Slot {  // of a `rate`: a stretch of time from now, in milliseconds
    double from, to;
    double arrived;
  };

  Row& row(ItemIx item);
  const Row* find(ItemIx item) const;
  std::int64_t taken(const Row& row) const;
  std::int64_t coming(const Row& row) const;
  static std::size_t ring_place(std::int64_t part);
  void book_hold(ItemIx item, int count, Seats seats, Party party, Time shown);
  void count(std::vector<Aged>& by_age, int count, Party party, Time since);
  void adopt(Row& row);   // what follows from its capacity
  void aim(Row& row);     // by what came true
  void look_at_demand();  // what came true
  void note_levels();
  static bool is_gauged(const Row& row);  // what came true is looked at
  bool is_pressed(ItemIx item) const;
  bool lists_matter(const Row& row) const;
  Outlook::Ongoing ongoing() const;
  double room_ahead(const Row& row, std::vector<Book::Horizon>* told = nullptr) const;
  double room_of_seats(const Row& row, std::vector<Book::Horizon>* told) const;
  double room_of_stock(const Row& row, std::vector<Book::Horizon>* told) const;
  double room_of_rate(const Row& row, std::vector<Book::Horizon>* told) const;
  double more(const Row& row, double free, const Sums& sums) const;
  double room_when_empty(const Row& row) const;  // and nobody organic is expected
  Sums arriving(const Row& row, const Slot& slot) const;
  double organic_rate(const Row& row) const;              // people in a millisecond
  double organic_watched(const Row& row, Time at) const;  // milliseconds, old ones fade
  double turnover(const Row& row) const;
  double organic_share() const;
  void refresh(ItemIx item);
  void refresh_all();
  void report_idle(ItemIx item);

  SeatOptions options_;
  RowWatch& watch_;
  Outlook outlook_;
  std::vector<std::unique_ptr<GammaTable>> gammas_;  // by aim, where one is asked for
  Time now_{}, started_{};                           // the first time that was told
  std::int64_t part_ = 0;                            // of now
  std::int64_t new_parts_ = 0;
  std::vector<Row> rows_;
  std::vector<ItemIx> idle_, ageing_;
  ChangedRows changed_;
  std::vector<float> rooms_;  // apart from the rows, so that the allocator reads them in one run
};

}  // namespace headroom
