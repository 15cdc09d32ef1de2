#include "simulator/life.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "headroom/base/error.hpp"
#include "simulator/draws.hpp"

namespace headroom::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Parts of the world's random numbers, beside the city's and the truth's.
enum : std::uint32_t { kTrip = 40, kChoice, kRush };

constexpr std::chrono::hours kBetweenTrips{4};  // of one person, at least

milliseconds minutes(double count) {
  return milliseconds(static_cast<std::int64_t>(count * 60'000.0));
}

void refuse_if(bool wrong, const char* words) {
  if (wrong) throw Error(words);
}

CityPlan city_plan(const LifeOptions& options) {
  CityPlan plan;
  plan.users = options.users;
  plan.items = options.items;
  plan.days = options.history_days + options.days;
  plan.visits = options.visits;
  plan.habit = options.habit;
  plan.bursts = 0;
  plan.seed = options.city > 0 ? options.city : options.seed;
  return plan;
}

}  // namespace

void check_life(const LifeOptions& o) {
  refuse_if(o.days <= o.warm_days, "days: no day is left to measure after warm_days");
  refuse_if(24 * (o.days - 1 - o.warm_days) + o.to_hour <= o.from_hour + o.warm_hours,
            "to_hour: no hour is left to measure after from_hour and warm_hours");
  refuse_if(o.places > o.items, "places: a list cannot be longer than there are items");
  refuse_if(o.way_from > o.way_to, "way_from: no way is shorter than way_to and longer than it");
  refuse_if(o.asks == 0.0, "asks: nobody asks for a list, so there is nothing to compare");
  refuse_if(o.lost == 1.0 && (o.late > 0.0 || o.twice > 0.0 || o.wrong > 0.0),
            "lost: all feedback is lost, so none of it can be late, twice or wrong");
  refuse_if(o.users * o.items > 50'000'000, "users: more than 50,000,000 pairs with the items");
}

Crowd LifeSeen::all() const {
  Crowd sum = by_list;
  sum.went += by_themselves.went;
  sum.seated += by_themselves.seated;
  sum.turned_away += by_themselves.turned_away;
  sum.gave_up += by_themselves.gave_up;
  sum.met_full += by_themselves.met_full;
  sum.waited += by_themselves.waited;
  sum.value += by_themselves.value;
  return sum;
}

LifePlan::LifePlan(const LifeOptions& options) : options_(options) {
  check_life(options);
  Workers alone(1);
  city_ = std::make_unique<City>(city_plan(options), alone);
  const Time first(city_->plan().first_day);
  live_from_ = first + std::chrono::days(options.history_days) + hours(options.from_hour);
  measured_from_ = live_from_ + std::chrono::days(options.warm_days) + hours(options.warm_hours);
  end_ =
      first + std::chrono::days(options.history_days + options.days - 1) + hours(options.to_hour);
  centre_taste();
  make_history();
  make_trips();
  size_places();
}

// On average the tenth best place of the city is as likely to please somebody as not.
void LifePlan::centre_taste() {
  const std::size_t items = options_.items;
  taste_.resize(options_.users * items);
  double sum = 0.0;
  std::vector<double> row(items);
  const std::size_t tenth = std::min<std::size_t>(9, items - 1);
  for (std::uint32_t i = 0; i < options_.users; ++i) {
    for (std::uint32_t j = 0; j < items; ++j) row[j] = taste_[i * items + j] = city_->taste(i, j);
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(tenth);
    std::nth_element(row.begin(), at, row.end(), std::greater<>());
    sum += *at;
  }
  for (double& taste : taste_) taste -= sum / static_cast<double>(options_.users);
}

double LifePlan::glad(std::uint32_t user, std::uint32_t item) const {
  return 1.0 / (1.0 + std::exp(-taste_[user * options_.items + item]));
}

void LifePlan::make_history() {
  const auto users = static_cast<std::uint32_t>(options_.users);
  for (std::size_t day = 0; day < options_.history_days; ++day) {
    city_->add_visits(day, 0, users, history_);
  }
  std::sort(history_.begin(), history_.end(), before);
  sold_.resize(options_.items);
  for (const Visit& visit : history_) ++sold_[visit.item];
}

// What people do on a usual day, and the rush on top of it.
void LifePlan::make_trips() {
  const auto users = static_cast<std::uint32_t>(options_.users);
  struct Wish {
    Visit visit;
    bool undecided;
  };
  std::vector<Wish> wishes;
  std::vector<Visit> usual;
  for (std::size_t day = 0; day < options_.days; ++day) {
    const std::size_t of_city = options_.history_days + day;
    city_->add_visits(of_city, 0, users, usual);
    const Time midnight = Time(city_->plan().first_day) + std::chrono::days(of_city);
    for (std::uint32_t user = 0; user < users; ++user) {
      Draws draws(options_.seed, Purpose::kWorld, std::uint64_t{day} << 32U | user, kRush);
      if (draws.uniform() >= options_.rush) continue;
      const double at = 60.0 * options_.rush_hour + options_.rush_minutes * draws.normal();
      const Time when = midnight + minutes(std::clamp(at, 0.0, 1439.0));
      if (const auto own = city_->own_choice(user, when, draws)) {
        wishes.push_back({{when, user, *own}, draws.uniform() < options_.undecided});
      }
    }
  }
  for (const Visit& visit : usual) wishes.push_back({visit, false});
  std::sort(wishes.begin(), wishes.end(),
            [](const Wish& a, const Wish& b) { return before(a.visit, b.visit); });
  std::vector<Time> last(users);
  for (const Wish& wish : wishes) {
    if (wish.visit.at < live_from_ || wish.visit.at >= end_) continue;
    Time& since = last[wish.visit.user];
    if (wish.visit.at < since + kBetweenTrips) continue;
    since = wish.visit.at;
    add_trip(wish.visit, wish.undecided);
  }
}

void LifePlan::add_trip(const Visit& wish, bool undecided) {
  Draws draws(options_.seed, Purpose::kWorld, trips_.size(), kTrip);
  Trip trip{wish.at, wish.user, wish.item};
  trip.asks = draws.uniform() < options_.asks || undecided;
  trip.undecided = undecided;
  trip.measured = wish.at >= measured_from_;
  trip.listens = draws.uniform();
  trip.answer = draw_exponential(options_.answer_minutes, draws);
  trip.way = options_.way_from + (options_.way_to - options_.way_from) * draws.uniform();
  trip.patience = draw_exponential(options_.patience_minutes, draws);
  trip.stay = std::exp(0.35 * draws.normal() - 0.06);  // times what is usual there
  trip.shows = draws.uniform() >= options_.no_show;
  trip.queues = draws.uniform() < options_.queues;
  trip.checks_out = draws.uniform() < options_.checkouts;
  trip.says_no = draws.uniform() < options_.ignores;
  trip.lost = draws.uniform() < options_.lost;
  trip.twice = draws.uniform() < options_.twice;
  trip.wrong = draws.uniform() < options_.wrong;
  if (draws.uniform() < options_.late) trip.late = draw_exponential(options_.late_minutes, draws);
  trips_.push_back(trip);
}

// By the logarithm of the weight plus a draw of its own for each place, which is a choice in
// proportion to the weights.
std::size_t LifePlan::choose(std::size_t trip, const std::vector<std::uint32_t>& list) const {
  std::size_t best = 0;
  double most = 0.0;
  for (std::size_t r = 0; r < list.size(); ++r) {
    Draws draws(options_.seed, Purpose::kWorld, std::uint64_t{trip} << 32U | list[r], kChoice);
    const double gumbel = -std::log(-std::log(1.0 - draws.uniform()));
    const double worth = taste_[trips_[trip].user * options_.items + list[r]] -
                         options_.rank_weight * std::log(static_cast<double>(r + 1)) + gumbel;
    if (r == 0 || worth > most) {
      most = worth;
      best = r;
    }
  }
  return best;
}

namespace {

struct Coming {
  Time at, until;
  bool by_list;
};

// Of those whom a list sends, how many find no seat if all who come stay. By item and time.
struct Beyond {
  double sent = 0.0, beyond = 0.0;
  void add(const std::vector<Coming>& coming, const Capacity& capacity) {
    std::priority_queue<Time, std::vector<Time>, std::greater<>> leaving;
    std::int64_t slot = -1;
    double taken = 0.0;
    for (const Coming& one : coming) {
      if (capacity.kind == CapacityKind::kSeats) {
        while (!leaving.empty() && leaving.top() <= one.at) leaving.pop();
        taken = static_cast<double>(leaving.size());
        leaving.push(one.until);
      } else if (capacity.kind == CapacityKind::kRate) {
        const std::int64_t now = one.at.time_since_epoch() / capacity.per;
        if (now != slot) taken = 0.0;
        slot = now;
      }
      if (one.by_list) {
        sent += 1.0;
        beyond += taken >= capacity.limit ? 1.0 : 0.0;
      }
      taken += 1.0;
    }
  }
};

Capacity sized(Capacity capacity, double factor) {
  capacity.limit = std::max(1.0, std::round(capacity.limit * factor));
  return capacity;
}

}  // namespace

// How many seats there are follows from how many would find none with the best lists by true taste.
void LifePlan::size_places() {
  const std::size_t items = options_.items;
  const ListeningTruth truth(options_.listening, options_.users, options_.seed);
  std::vector<std::vector<Coming>> coming(items);
  for (std::size_t n = 0; n < trips_.size(); ++n) {
    const Trip& trip = trips_[n];
    bool by_list = trip.asks && trip.listens < truth.chance(trip.user, trip.at);
    std::uint32_t item = trip.own;
    if (by_list) {
      std::vector<std::uint32_t> list;
      for (std::uint32_t j = 0; j < items; ++j) {
        if (city_->is_open(j, trip.at)) list.push_back(j);
      }
      const auto better = [&](std::uint32_t a, std::uint32_t b) {
        const double* const row = &taste_[trip.user * items];
        return row[a] != row[b] ? row[a] > row[b] : a < b;
      };
      const std::size_t n_places = std::min(options_.places, list.size());
      std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(n_places),
                        list.end(), better);
      list.resize(n_places);
      by_list = !list.empty();
      if (by_list) item = list[choose(n, list)];
    }
    if (!trip.shows || (trip.undecided && !by_list)) continue;
    const Time at = trip.at + minutes(trip.way + (trip.asks ? trip.answer : 0.0));
    const int dwell = traits(city_->spots()[item].kind).dwell_minutes;
    coming[item].push_back({at, at + minutes(dwell * trip.stay), by_list && trip.measured});
  }
  std::vector<Capacity> base;
  for (std::uint32_t j = 0; j < items; ++j) {
    std::sort(coming[j].begin(), coming[j].end(),
              [](const Coming& a, const Coming& b) { return a.at < b.at; });
    base.push_back(city_->spots()[j].capacity);
    if (base[j].kind == CapacityKind::kStock) {
      base[j].limit *= static_cast<double>(options_.days) / static_cast<double>(city_->plan().days);
    }
  }
  const auto overload = [&](double factor) {
    Beyond sum;
    for (std::size_t j = 0; j < items; ++j) sum.add(coming[j], sized(base[j], factor));
    return sum.sent > 0.0 ? sum.beyond / sum.sent : 0.0;
  };
  double low = -6.0, high = 9.0;  // of the logarithm
  for (int n = 0; n < 40; ++n) {
    const double middle = 0.5 * (low + high);
    (overload(std::exp(middle)) > options_.overload ? low : high) = middle;
  }
  overload_ = overload(std::exp(high));
  for (std::size_t j = 0; j < items; ++j) capacity_.push_back(sized(base[j], std::exp(high)));
}

// A visit may last twice as long as usual: who leaves without a word is there no longer than that.
// What went of a stock before the live days comes on top.
ItemUpdate LifePlan::image(std::uint32_t item) const {
  ItemUpdate image = city_->image(item);
  image.capacity = capacity_[item];
  if (image.capacity->kind == CapacityKind::kStock) image.capacity->limit += sold_[item];
  image.dwell = *image.dwell * 2;
  return image;
}

}  // namespace headroom::sim
