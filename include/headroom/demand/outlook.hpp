#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/time.hpp"
#include "headroom/demand/risk_gauge.hpp"

namespace headroom {

inline constexpr std::size_t kHorizons = 5;
using ByHorizon = std::array<double, kHorizons>;

// Ages go in parts of time that all rows share, a sixth of the window each: what was shown, set out
// or came in one part has one age, the number of parts since.
inline constexpr std::size_t kAgeParts = 6;

// What becomes of holds, ways and visits at items where a visit ends after `limit` at the latest.
// Every chance is of being present at a horizon, from now.
struct Course {
  std::chrono::milliseconds limit{};
  ByHorizon fresh{};             // a hold that is booked now, for each of its expected seats
  std::vector<ByHorizon> hold;   // one not answered yet, by age, for each of its expected seats
  std::vector<ByHorizon> way;    // a person on the way, by age
  std::vector<ByHorizon> stay;   // a person present, by age / stay_stride
  std::int64_t stay_stride = 1;  // long visits are looked at in coarser steps
  ByHorizon organic{};           // of one who comes in each millisecond from now on: people
  std::array<bool, kHorizons> counts{};  // horizons at which who is offered a seat may be there
  double mean_stay = 1.0;                // milliseconds

  static const ByHorizon& at(const std::vector<ByHorizon>& rows, std::int64_t age);
  const ByHorizon& stay_at(std::int64_t age) const { return at(stay, age / stay_stride); }
};

// The same of coming at all, as `rate` and `stock` need it: by a time on a grid.
inline constexpr std::size_t kGrid = 64;
using ByTime = std::array<double, kGrid + 1>;
struct Coming {
  double unit = 1.0;           // of the grid, in milliseconds
  ByTime fresh{};              // arrived by then
  std::vector<ByTime> hold;    // by age
  std::vector<ByTime> way;     // by age
  double fresh_follows = 1.0;  // at any time
  std::vector<double> hold_follows;

  static double by(const ByTime& cdf, double units);  // between the points of the grid
  static const ByTime& at(const std::vector<ByTime>& rows, std::int64_t age);
};

// The tables of the rule `ahead`, learned from the stream: how long an answer takes, how long the
// way, and who never arrives; how long people stay, as a share of the longest that the item says;
// and how much of the capacities organic visitors take. Counts are taken as they come; the tables
// change only by fit(), at moments that depend on counts and the time of events. What is old is
// forgotten by halves, so that the newest 20,000 or so of each count. One thread.
class Outlook {
  static constexpr std::size_t kStays = 32;
  static constexpr std::size_t kCourses = 256;
  using Stays = std::array<double, kStays + 1>;  // by share of the limit; the last: all of it

 public:
  Outlook(std::chrono::milliseconds window, std::chrono::milliseconds way);

  // A list whose window is over: how long it was open (none: to the end), and what closed it.
  enum class Answer : std::uint8_t { kNone, kFollow, kCame };  // came: without a word before
  void list_over(std::optional<std::chrono::milliseconds> open, Answer answer);
  void followed_late();                                          // when it was closed already
  void way_over(std::optional<std::chrono::milliseconds> took);  // none: did not come
  // Of an item whose visits last `limit` at most; none: all of it.
  void visit_over(std::chrono::milliseconds limit, std::optional<std::chrono::milliseconds> stayed);
  void organic_came() { ++observed_; }
  // An item in demand of so many seats, and whether there were too many people for them just now.
  void looked_at(const RiskGauge::Item& item, RiskGauge::Aim aim, bool over) {
    watched_.observe(item, aim, over);
  }

  void parts_passed(std::int64_t parts) { watched_.pass(parts); }

  // Enough is new that a fit of so many items pays.
  bool ripe(Time now, std::size_t items) const;
  // Who is present and who is on the way just now, by how long: without them, where ever more come,
  // the short visits and ways would count for all, as the long ones are not over yet.
  class Ongoing {
   public:
    explicit Ongoing(const Outlook& outlook) : outlook_(outlook) {}
    void stays(std::uint8_t course, std::int64_t age, double visits);  // of so many age parts
    void on_way(std::int64_t age, double ways);

   private:
    friend class Outlook;
    const Outlook& outlook_;
    std::map<std::uint8_t, Stays> stays_;
    ByTime ways_{};
  };
  void fit(Time now, double organic_share, const Ongoing& ongoing);
  void begin_anew() { fitted_at_ = {}; }

  std::chrono::milliseconds age_step() const { return age_step_; }
  std::int64_t age_part(Time at) const;

  // Items are put into classes of nearly the same limit, 16 to an octave. A class has a course from
  // when it is named first.
  std::uint8_t course_of(std::chrono::milliseconds limit);
  const Course& course(std::uint8_t of) const { return *courses_[of]; }
  const Course& course(std::chrono::milliseconds limit) const { return course(class_of(limit)); }
  const ByHorizon& horizons() const { return horizons_; }  // milliseconds from now
  const Coming& coming() const { return coming_; }
  double organic_share() const { return organic_share_; }  // of a capacity, over all items
  const RiskGauge& gauge() const { return gauge_; }
  Time fitted_at() const { return fitted_at_; }
  std::uint64_t observed() const { return observed_; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);  // courses that were named stay so

 private:
  struct Counts {
    double lists = 0.0, later = 0.0, ways = 0.0;
    ByTime followed{}, came{}, closed{}, arrived{};  // by time; the last: beyond the grid
    Stays stays{};
    std::map<std::uint8_t, Stays> stays_by_course;
  };
  class Chances;

  static std::uint8_t class_of(std::chrono::milliseconds limit);
  static void put(const Counts& counts, ByteWriter& out);
  static Counts get_counts(ByteReader& in);
  void forget();
  void complete(const Ongoing& ongoing);
  ByTime prior_ways() const;
  void rebuild();
  void build(std::uint8_t of);
  Stays survival(std::uint8_t of) const;

  std::chrono::milliseconds window_, way_, age_step_;
  Counts counted_, fitted_;
  std::uint64_t observed_ = 0, fitted_observed_ = 0;
  Time fitted_at_{};
  double organic_share_;
  RiskGauge watched_, gauge_;  // as counted, as fitted
  ByHorizon horizons_{};
  Coming coming_;
  std::vector<std::shared_ptr<const Course>> courses_;
};

}  // namespace headroom
