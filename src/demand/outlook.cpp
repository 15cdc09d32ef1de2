#include "headroom/demand/outlook.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headroom {

namespace {

using std::chrono::milliseconds;

// Before anything is seen, and worth so many lists, ways and visits: of lists 3 in 10 are followed,
// within a sixth of the window on average; a way takes a sixth of the longest, 1 in 20 does not
// come; a visit takes as long as the item says; a tenth of every capacity is organic.
constexpr double kPriorLists = 50.0, kPriorFollowed = 0.3;
constexpr double kPriorWays = 20.0, kPriorLost = 0.05;
constexpr double kPriorStays = 20.0;
constexpr double kPriorOrganic = 0.1;

constexpr double kRemembered = 20'000.0;
constexpr std::size_t kMostStayAges = 256;
constexpr int kPerOctave = 16;

// Horizons, as shares of the time by which all but one in 20 of those to come have come.
constexpr ByHorizon kReach = {1.0 / 3, 0.5, 2.0 / 3, 1.0, 4.0 / 3};
constexpr double kMostlyHere = 0.95;
// A horizon at which a new hold is present a tenth as often as at its best one is not its concern.
constexpr double kConcerned = 0.1;

double count_of(milliseconds time) { return static_cast<double>(time.count()); }

// Where between what points of a row of equal steps, held within it.
double between(const double* row, std::size_t last, double at) {
  if (at <= 0.0) return row[0];
  const auto n = static_cast<std::size_t>(at);
  if (n >= last) return row[last];
  return row[n] + (at - static_cast<double>(n)) * (row[n + 1] - row[n]);
}

// Milliseconds that visits of a class last at most.
double limit_of(std::uint8_t course) {
  return std::exp2(static_cast<double>(course) / kPerOctave) * 60'000.0;
}

// Ages that one part may mean, in parts, and how often: the clock stands anywhere in its part.
struct Age {
  double parts, weight;
};
std::array<Age, 4> ages_of(std::size_t part) {
  const auto at = static_cast<double>(part);
  if (part == 0) return {{{0.125, 0.875}, {0.375, 0.625}, {0.625, 0.375}, {0.875, 0.125}}};
  return {{{at - 0.75, 0.25}, {at - 0.25, 0.75}, {at + 0.25, 0.75}, {at + 0.75, 0.25}}};
}

}  // namespace

const ByHorizon& Course::at(const std::vector<ByHorizon>& rows, std::int64_t age) {
  return rows[static_cast<std::size_t>(
      std::clamp<std::int64_t>(age, 0, static_cast<std::int64_t>(rows.size()) - 1))];
}

double Coming::by(const ByTime& cdf, double units) { return between(cdf.data(), kGrid, units); }

const ByTime& Coming::at(const std::vector<ByTime>& rows, std::int64_t age) {
  return rows[static_cast<std::size_t>(
      std::clamp<std::int64_t>(age, 0, static_cast<std::int64_t>(rows.size()) - 1))];
}

// --- Chances, from counts with what was believed before ---

// Times are in units of the grid.
class Outlook::Chances {
 public:
  Chances(const Counts& counts, double unit, double window, const ByTime& prior_ways)
      : followed_(counts.followed),
        came_(counts.came),
        closed_(counts.closed),
        arrived_(counts.arrived),
        later_(counts.later) {
    const double wanted = kPriorLists * kPriorFollowed;
    double followed = later_;
    for (std::size_t n = 0; n <= kGrid; ++n) {
      const double prior = wanted * in_bin(n, window / 6.0 / unit);
      followed_[n] += prior;
      closed_[n] += prior;
      if (n < kGrid) arrived_[n] += prior_ways[n];
      followed += followed_[n] + came_[n];
    }
    lists_ = counts.lists + kPriorLists;
    ways_ = counts.ways + kPriorWays;
    per_list_ = followed / lists_;
  }

  // The chance, for each follow that a new list lets expect, that one of this age which is not
  // answered yet is followed, arrives and is there `ahead` later, where `there` says the chance of
  // being there so long after the follow, `staying` so long after arriving.
  template <class There, class Staying>
  double of_hold(double age, double ahead, const There& there, const Staying& staying) const {
    return (over(followed_, age, ahead, there) + over(came_, age, ahead, staying)) /
           std::max(open_at(age), 1e-9) / per_list_;
  }
  double follows(double age) const {
    double sum = later_;
    for (std::size_t n = 0; n <= kGrid; ++n) sum += (followed_[n] + came_[n]) * after(n, age);
    return sum / std::max(open_at(age), 1e-9) / per_list_;
  }
  template <class Staying>
  double of_way(double age, double ahead, const Staying& staying) const {
    double gone = 0.0;
    for (std::size_t n = 0; n < kGrid; ++n) gone += arrived_[n] * (1.0 - after(n, age));
    return over(arrived_, age, ahead, staying) / std::max(ways_ - gone, 1e-9);
  }

  // Of an exponential of this mean, the share in a bin.
  static double in_bin(std::size_t n, double mean) {
    const auto at = static_cast<double>(n);
    return std::exp(-at / mean) - (n < kGrid ? std::exp(-(at + 1.0) / mean) : 0.0);
  }

 private:
  static double after(std::size_t n, double age) {  // the share of a bin
    return n == kGrid ? 1.0 : std::clamp(static_cast<double>(n) + 1.0 - age, 0.0, 1.0);
  }
  double open_at(double age) const {
    double sum = lists_;
    for (std::size_t n = 0; n < kGrid; ++n) sum -= closed_[n] * (1.0 - after(n, age));
    return sum;
  }
  template <class There>
  static double over(const ByTime& bins, double age, double ahead, const There& there) {
    const double end = age + ahead;
    double sum = 0.0;
    for (auto n = static_cast<std::size_t>(std::max(age, 0.0)); n < kGrid; ++n) {
      const double from = std::max(static_cast<double>(n), age);
      const double to = std::min(static_cast<double>(n) + 1.0, end);
      if (from >= end) break;
      if (bins[n] > 0.0) sum += bins[n] * (to - from) * there(end - 0.5 * (from + to));
    }
    return sum;
  }

  ByTime followed_, came_, closed_, arrived_;
  double later_, lists_, ways_, per_list_;
};

// --- Counts ---

Outlook::Outlook(milliseconds window, milliseconds way)
    : window_(window),
      way_(way),
      age_step_((window.count() + static_cast<std::int64_t>(kAgeParts) - 1) /
                static_cast<std::int64_t>(kAgeParts)),
      organic_share_(kPriorOrganic),
      courses_(kCourses) {
  assert(window.count() > 0 && way.count() > 0);
  coming_.unit = count_of(window_ + way_) / static_cast<double>(kGrid);
  rebuild();
}

std::int64_t Outlook::age_part(Time at) const {
  const auto quotient = at.time_since_epoch() / age_step_;
  return quotient - ((at.time_since_epoch() % age_step_).count() < 0 ? 1 : 0);
}

namespace {
std::size_t bin_of(milliseconds time, double unit) {
  return std::min(static_cast<std::size_t>(std::max(count_of(time), 0.0) / unit), kGrid);
}
}  // namespace

void Outlook::list_over(std::optional<milliseconds> open, Answer answer) {
  ++observed_;
  counted_.lists += 1.0;
  if (!open) return;
  const std::size_t bin = bin_of(*open, coming_.unit);
  counted_.closed[bin] += 1.0;
  if (answer == Answer::kFollow) counted_.followed[bin] += 1.0;
  if (answer == Answer::kCame) counted_.came[bin] += 1.0;
}

void Outlook::followed_late() { counted_.later += 1.0; }

void Outlook::way_over(std::optional<milliseconds> took) {
  ++observed_;
  counted_.ways += 1.0;
  if (took) counted_.arrived[bin_of(*took, coming_.unit)] += 1.0;
}

void Outlook::visit_over(milliseconds limit, std::optional<milliseconds> stayed) {
  ++observed_;
  std::size_t bin = kStays;
  if (stayed && *stayed < limit) {
    const double share = std::max(count_of(*stayed), 0.0) / count_of(limit);
    bin = std::min(static_cast<std::size_t>(share * kStays), kStays - 1);
  }
  counted_.stays[bin] += 1.0;
  counted_.stays_by_course[course_of(limit)][bin] += 1.0;
}

// --- Fits ---

// At first whenever there is a quarter more to go by, later every 10 minutes of the events' time;
// and never more often than there are events to pay for a look at every item.
bool Outlook::ripe(Time now, std::size_t items) const {
  const std::uint64_t fresh = observed_ - fitted_observed_;
  if (now <= fitted_at_) return false;  // one moment has one table
  if (fresh < std::max<std::uint64_t>(64, items / 4)) return false;
  if (fresh >= fitted_observed_ / 4 && observed_ < 10'000) return true;
  return fresh >= 200 && now >= fitted_at_ + std::chrono::minutes(10);
}

void Outlook::fit(Time now, double organic_share, const Ongoing& ongoing) {
  forget();
  fitted_ = counted_;
  complete(ongoing);
  gauge_ = watched_;
  fitted_observed_ = observed_;
  fitted_at_ = now;
  organic_share_ = organic_share;
  rebuild();
}

void Outlook::Ongoing::stays(std::uint8_t course, std::int64_t age, double visits) {
  const double share = static_cast<double>(age) * count_of(outlook_.age_step_) / limit_of(course);
  stays_[course][std::min(static_cast<std::size_t>(share * kStays), kStays)] += visits;
}

void Outlook::Ongoing::on_way(std::int64_t age, double ways) {
  ways_[bin_of(age * outlook_.age_step_, outlook_.coming_.unit)] += ways;
}

namespace {

template <class Bins>
void normalise(Bins& counts) {
  double sum = 0.0;
  for (const double count : counts) sum += count;
  for (double& count : counts) count /= sum;
}

// What ends in each bin once all of it is over: what is still going on in a bin ends as that which
// went on for as long did (Kaplan and Meier). The last bin: not before the end. What was believed
// before helps where nothing was seen.
template <class Bins>
Bins completed(const Bins& ended, const Bins& ongoing, const Bins& believed) {
  double at_risk = 0.0;
  for (std::size_t n = 0; n < ended.size(); ++n) at_risk += ended[n] + ongoing[n] + believed[n];
  double left = at_risk;  // of all, what is not over by now
  Bins out{};
  for (std::size_t n = 0; n < ended.size(); ++n) {
    const double ends = ended[n] + believed[n];
    const double share = at_risk - ongoing[n] > 0.0 ? ends / (at_risk - ongoing[n]) : 0.0;
    const double ending = n + 1 < ended.size() ? left * std::min(share, 1.0) : left;
    out[n] = std::max(0.0, ending - believed[n]);
    left -= ending;
    at_risk -= ends + ongoing[n];
  }
  return out;
}

}  // namespace

void Outlook::complete(const Ongoing& ongoing) {
  constexpr Stays kBelieved = [] {
    Stays all{};
    all[kStays] = kPriorStays;
    return all;
  }();
  Stays all{};
  for (const auto& [course, stays] : ongoing.stays_) {
    for (std::size_t n = 0; n <= kStays; ++n) all[n] += stays[n];
  }
  fitted_.stays = completed(fitted_.stays, all, kBelieved);
  Stays of_all = fitted_.stays;  // is believed of each, as in survival()
  of_all[kStays] += kPriorStays;
  normalise(of_all);
  for (double& share : of_all) share *= kPriorStays;
  for (const auto& [course, stays] : ongoing.stays_) {
    Stays& own = fitted_.stays_by_course[course];
    own = completed(own, stays, of_all);
  }
  ByTime& arrived = fitted_.arrived;
  double lost = fitted_.ways;
  for (std::size_t n = 0; n < kGrid; ++n) lost -= arrived[n];
  ByTime ended = arrived;
  ended[kGrid] = std::max(0.0, lost);
  arrived = completed(ended, ongoing.ways_, prior_ways());
  fitted_.ways = 0.0;
  for (const double ways : arrived) fitted_.ways += ways;
  arrived[kGrid] = 0.0;
}

// The last: of those that do not arrive.
ByTime Outlook::prior_ways() const {
  ByTime ways{};
  double left = kPriorWays;
  for (std::size_t n = 0; n < kGrid; ++n) {
    const double mean = count_of(way_) / 6.0 / coming_.unit;
    ways[n] = kPriorWays * (1.0 - kPriorLost) * Chances::in_bin(n, mean);
    left -= ways[n];
  }
  ways[kGrid] = left;
  return ways;
}

void Outlook::forget() {
  const auto halve = [](auto& values) {
    for (double& value : values) value *= 0.5;
  };
  if (counted_.lists > kRemembered) {
    counted_.lists *= 0.5;
    counted_.later *= 0.5;
    halve(counted_.followed);
    halve(counted_.came);
    halve(counted_.closed);
  }
  if (counted_.ways > kRemembered) {
    counted_.ways *= 0.5;
    halve(counted_.arrived);
  }
  double stays = 0.0;
  for (const double count : counted_.stays) stays += count;
  if (stays <= kRemembered) return;
  halve(counted_.stays);
  for (auto& [course, counts] : counted_.stays_by_course) halve(counts);
}

// The share of visits that last at least n parts of the limit. A class speaks for itself as far as
// it has been seen, else all of them do.
Outlook::Stays Outlook::survival(std::uint8_t of) const {
  Stays shares = fitted_.stays;
  shares[kStays] += kPriorStays;
  normalise(shares);
  if (const auto own = fitted_.stays_by_course.find(of); own != fitted_.stays_by_course.end()) {
    for (std::size_t n = 0; n <= kStays; ++n) shares[n] = kPriorStays * shares[n] + own->second[n];
    normalise(shares);
  }
  for (std::size_t n = kStays; n > 0; --n) shares[n - 1] += shares[n];
  return shares;
}

void Outlook::rebuild() {
  const double unit = coming_.unit;
  const Chances chances(fitted_, unit, count_of(window_), prior_ways());
  const double step = count_of(age_step_) / unit;
  const double youngest_closed = count_of(window_) / unit * (1.0 - 1e-9);
  const auto here = [](double) { return 1.0; };
  ByTime arrives{};  // by so long after the follow
  for (std::size_t n = 1; n <= kGrid; ++n) {
    arrives[n] = chances.of_way(0.0, static_cast<double>(n), here);
  }
  const auto arrived = [&](double after) { return between(arrives.data(), kGrid, after); };

  for (std::size_t n = 0; n <= kGrid; ++n) {
    coming_.fresh[n] = chances.of_hold(0.0, static_cast<double>(n), arrived, here);
  }
  coming_.fresh_follows = chances.follows(0.0);
  coming_.hold.assign(kAgeParts + 1, {});
  coming_.hold_follows.assign(kAgeParts + 1, 0.0);
  for (std::size_t part = 0; part <= kAgeParts; ++part) {
    double weights = 0.0;
    for (const Age& age : ages_of(part)) {
      const double at = std::min(age.parts * step, youngest_closed);
      for (std::size_t n = 0; n <= kGrid; ++n) {
        coming_.hold[part][n] +=
            age.weight * chances.of_hold(at, static_cast<double>(n), arrived, here);
      }
      coming_.hold_follows[part] += age.weight * chances.follows(at);
      weights += age.weight;
    }
    for (double& chance : coming_.hold[part]) chance /= weights;
    coming_.hold_follows[part] /= weights;
  }
  const std::size_t parts = static_cast<std::size_t>(way_ / age_step_) + 2;
  coming_.way.assign(std::min(parts, kMostStayAges), {});
  for (std::size_t part = 0; part < coming_.way.size(); ++part) {
    double weights = 0.0;
    for (const Age& age : ages_of(part)) {
      for (std::size_t n = 0; n <= kGrid; ++n) {
        coming_.way[part][n] +=
            age.weight * chances.of_way(age.parts * step, static_cast<double>(n), here);
      }
      weights += age.weight;
    }
    for (double& chance : coming_.way[part]) chance /= weights;
  }

  std::size_t most = 1;  // of the grid, by when all but a few have come
  while (most < kGrid && coming_.fresh[most] < kMostlyHere * coming_.fresh[kGrid]) ++most;
  for (std::size_t d = 0; d < kHorizons; ++d) {
    horizons_[d] = std::clamp(kReach[d] * static_cast<double>(most), 0.5, 1.0 * kGrid) * unit;
  }
  for (std::size_t of = 0; of < kCourses; ++of) {
    if (courses_[of]) build(static_cast<std::uint8_t>(of));
  }
}

std::uint8_t Outlook::class_of(milliseconds limit) {
  const double octaves = std::log2(std::max(count_of(limit) / 60'000.0, 1.0));
  return static_cast<std::uint8_t>(
      std::clamp<long>(std::lround(octaves * kPerOctave), 0, static_cast<long>(kCourses) - 1));
}

std::uint8_t Outlook::course_of(milliseconds limit) {
  const std::uint8_t of = class_of(limit);
  if (!courses_[of]) build(of);
  return of;
}

void Outlook::build(std::uint8_t of) {
  const double unit = coming_.unit;
  const Chances chances(fitted_, unit, count_of(window_), prior_ways());
  const double step = count_of(age_step_) / unit;
  const double youngest_closed = count_of(window_) / unit * (1.0 - 1e-9);
  const auto built = std::make_shared<Course>();
  Course& course = *built;
  const double limit = limit_of(of);
  course.limit = milliseconds(static_cast<std::int64_t>(limit));
  const Stays survives = survival(of);
  const double per_unit = unit / limit * kStays;
  const auto staying = [&](double units) {
    return units * per_unit < kStays ? between(survives.data(), kStays, units * per_unit) : 0.0;
  };
  ByTime follows{};  // there, so long after the follow
  for (std::size_t n = 1; n <= kGrid; ++n) {
    follows[n] = chances.of_way(0.0, static_cast<double>(n), staying);
  }
  const auto there = [&](double after) { return between(follows.data(), kGrid, after); };

  // Every row is the mean over the ages that its part may mean.
  const auto row = [&](std::size_t part, double stride, const auto& chance) {
    ByHorizon mean{};
    double weights = 0.0;
    for (const Age& age : ages_of(part)) {
      for (std::size_t d = 0; d < kHorizons; ++d) {
        mean[d] += age.weight * chance(age.parts * stride * step, horizons_[d] / unit);
      }
      weights += age.weight;
    }
    for (double& value : mean) value /= weights;
    return mean;
  };
  for (std::size_t part = 0; part <= kAgeParts; ++part) {
    course.hold.push_back(row(part, 1.0, [&](double age, double ahead) {
      return chances.of_hold(std::min(age, youngest_closed), ahead, there, staying);
    }));
  }
  for (std::size_t part = 0; part < coming_.way.size(); ++part) {
    course.way.push_back(row(
        part, 1.0, [&](double age, double ahead) { return chances.of_way(age, ahead, staying); }));
  }
  const auto parts = static_cast<std::size_t>(limit / count_of(age_step_)) + 2;
  course.stay_stride = static_cast<std::int64_t>((parts + kMostStayAges - 1) / kMostStayAges);
  const auto stride = static_cast<double>(course.stay_stride);
  for (std::size_t part = 0; static_cast<double>(part) * stride < static_cast<double>(parts);
       ++part) {
    const ByHorizon later =
        row(part, stride, [&](double age, double ahead) { return staying(age + ahead); });
    const ByHorizon now = row(part, stride, [&](double age, double) { return staying(age); });
    ByHorizon& stays = course.stay.emplace_back();
    // Who is older than anyone may be is not expected to leave.
    for (std::size_t d = 0; d < kHorizons; ++d) stays[d] = now[d] > 0.0 ? later[d] / now[d] : 1.0;
  }
  course.mean_stay = 0.0;
  for (std::size_t n = 0; n < kStays; ++n) {
    course.mean_stay += 0.5 * (survives[n] + survives[n + 1]) * limit / kStays;
  }
  double best = 0.0;
  for (std::size_t d = 0; d < kHorizons; ++d) {
    const double ahead = horizons_[d] / unit;
    course.fresh[d] = chances.of_hold(0.0, ahead, there, staying);
    best = std::max(best, course.fresh[d]);
    constexpr int kSlices = 64;
    for (int n = 0; n < kSlices; ++n) {
      course.organic[d] += staying(ahead * (n + 0.5) / kSlices) * horizons_[d] / kSlices;
    }
  }
  for (std::size_t d = 0; d < kHorizons; ++d) {
    course.counts[d] = course.fresh[d] >= kConcerned * best && course.fresh[d] > 0.0;
  }
  courses_[of] = built;
}

// --- Bytes ---

void Outlook::put(const Counts& counts, ByteWriter& out) {
  out.put(counts.lists);
  out.put(counts.later);
  out.put(counts.ways);
  out.put(counts.followed);
  out.put(counts.came);
  out.put(counts.closed);
  out.put(counts.arrived);
  out.put(counts.stays);
  out.put(static_cast<std::uint32_t>(counts.stays_by_course.size()));
  for (const auto& [course, stays] : counts.stays_by_course) {
    out.put(course);
    out.put(stays);
  }
}

Outlook::Counts Outlook::get_counts(ByteReader& in) {
  Counts counts;
  counts.lists = in.get<double>();
  counts.later = in.get<double>();
  counts.ways = in.get<double>();
  counts.followed = in.get<ByTime>();
  counts.came = in.get<ByTime>();
  counts.closed = in.get<ByTime>();
  counts.arrived = in.get<ByTime>();
  counts.stays = in.get<Stays>();
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    const auto course = in.get<std::uint8_t>();
    counts.stays_by_course[course] = in.get<Stays>();
  }
  return counts;
}

void Outlook::save(ByteWriter& out) const {
  out.put(window_);
  out.put(way_);
  put(counted_, out);
  put(fitted_, out);
  out.put(observed_);
  out.put(fitted_observed_);
  out.put(fitted_at_);
  out.put(organic_share_);
  watched_.save(out);
  gauge_.save(out);
}

void Outlook::load(ByteReader& in) {
  const auto window = in.get<milliseconds>(), way = in.get<milliseconds>();
  counted_ = get_counts(in);
  fitted_ = get_counts(in);
  if (window != window_ || way != way_) counted_ = fitted_ = {};  // of another grid of time
  observed_ = in.get<std::uint64_t>();
  fitted_observed_ = in.get<std::uint64_t>();
  fitted_at_ = in.get<Time>();
  organic_share_ = in.get<double>();
  watched_.load(in);
  gauge_.load(in);
  rebuild();
}

}  // namespace headroom
