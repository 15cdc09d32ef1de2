#include "simulator/world.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headroom::sim {

namespace {

constexpr Time kBegin{std::chrono::hours(24 * 20'000)};
constexpr std::chrono::milliseconds kTick = std::chrono::seconds(20);
constexpr double kAsksEvery = 120.0;  // minutes, of one user on average

std::chrono::milliseconds minutes(double count) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(count * 60'000.0));
}

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      draws_(options.seed, Purpose::kWorld, 1),
      present_(options.capacity.size()),
      start_(kBegin) {
  const std::size_t items = options_.capacity.size();
  for (std::size_t n = 0; n < items * kTaste; ++n) item_taste_.push_back(0.5 * draws_.normal());
  for (std::size_t n = 0; n < items; ++n) popularity_.push_back(0.7 * draws_.normal());
  // Bigger places are wanted more, so that capacities of many sizes are all in demand.
  for (std::size_t n = 0; n < items; ++n) popularity_[n] += std::log(options_.capacity[n]);
  calibrate();
}

double World::taste(std::uint32_t user, std::uint32_t item) const {
  double sum = popularity_[item];
  for (std::size_t k = 0; k < kTaste; ++k) {
    sum += user_taste_[user * kTaste + k] * item_taste_[item * kTaste + k];
  }
  return sum;
}

std::vector<std::uint32_t> World::best(std::uint32_t user) const {
  std::vector<std::uint32_t> order(options_.capacity.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t n = std::min(options_.places, order.size());
  std::vector<double> score(order.size());
  for (const std::uint32_t j : order) score[j] = taste(user, j);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return score[a] > score[b]; });
  order.resize(n);
  return order;
}

std::vector<double> World::choices(std::uint32_t user,
                                   std::span<const std::uint32_t> ranked) const {
  std::vector<double> weights;
  double sum = 0.0;
  for (std::size_t r = 0; r < ranked.size(); ++r) {
    weights.push_back(std::exp(taste(user, ranked[r]) -
                               options_.rank_weight * std::log(static_cast<double>(r + 1))));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// How many ask follows from how much too many would come without capacities.
void World::calibrate() {
  const std::size_t items = options_.capacity.size();
  const auto add_users = [&](std::size_t count) {
    while (listen_.size() < count) {
      const double a = gamma(options_.listen_a), b = gamma(options_.listen_b);
      listen_.push_back(a / (a + b));
      for (std::size_t k = 0; k < kTaste; ++k) user_taste_.push_back(draws_.normal());
    }
  };
  constexpr std::size_t kSample = 2000;
  add_users(kSample);
  std::vector<double> share(items);
  double listening = 0.0;
  for (std::uint32_t u = 0; u < kSample; ++u) {
    const auto ranked = best(u);
    const auto chosen = choices(u, ranked);
    for (std::size_t r = 0; r < ranked.size(); ++r) share[ranked[r]] += listen_[u] * chosen[r];
    listening += listen_[u];
  }
  const double stay = (1.0 - options_.lost) * options_.dwell_minutes;
  const auto load = [&](std::size_t j, double follows) {
    return follows * share[j] / listening * stay + options_.organic * options_.capacity[j];
  };
  double low = 0.0, high = 1e6;  // follows in a minute
  for (int n = 0; n < 60; ++n) {
    const double follows = 0.5 * (low + high);
    double all = 0.0, beyond = 0.0;
    for (std::size_t j = 0; j < items; ++j) {
      all += load(j, follows);
      beyond += std::max(0.0, load(j, follows) - options_.capacity[j]);
    }
    (beyond / all > options_.overload ? high : low) = follows;
  }
  for (std::size_t j = 0; j < items; ++j) demand_.push_back(load(j, low));
  asks_per_minute_ = low / (listening / static_cast<double>(kSample));
  add_users(static_cast<std::size_t>(asks_per_minute_ * kAsksEvery));
  busy_.resize(listen_.size());
  next_stranger_ = users();
}

// Marsaglia and Tsang (2000).
double World::gamma(double shape) {
  if (shape < 1.0) return gamma(shape + 1.0) * std::pow(draws_.uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = draws_.normal(), v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    if (std::log(1.0 - draws_.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double World::dwell() {
  if (options_.dwell_shape <= 0.0) return options_.dwell_minutes;
  return options_.dwell_minutes * gamma(options_.dwell_shape) / options_.dwell_shape;
}

void World::plan(Time at, What what, std::uint32_t user, std::uint32_t item, OutputId list) {
  queue_.push({at, planned_++, what, user, item, list});
}

void World::happen(const Due& due, Host& host) {
  const auto after = [&](double mean) {
    return due.at - minutes(mean * std::log(1 - draws_.uniform()));
  };
  switch (due.what) {
    case What::kAsk: {
      const bool more = options_.shock != 1.0 && due.at >= half_;
      plan(after(1.0 / (asks_per_minute_ * (more ? options_.shock : 1.0))), What::kAsk, 0, 0);
      const std::uint32_t user = draws_.below(users());
      if (busy_[user]) return;
      busy_[user] = true;
      host.ask(user, due.at);
      if (warm_) ++seen_.asked;
      return;
    }
    case What::kFollow:
      host.follow(due.user, due.list, due.item, due.at);
      if (warm_) {
        ++seen_.followed;
        seen_.value += 1.0 / (1.0 + std::exp(-taste(due.user, due.item)));
      }
      if (draws_.uniform() < options_.lost) {
        busy_[due.user] = false;
        return;
      }
      plan(due.at + minutes(options_.way_from +
                            (options_.way_to - options_.way_from) * draws_.uniform()),
           What::kArrive, due.user, due.item, due.list);
      return;
    case What::kOrganic: {
      const double seats = options_.organic * options_.capacity[due.item];
      plan(after(options_.dwell_minutes / seats), What::kOrganic, 0, due.item);
      std::uint32_t user = next_stranger_;
      if (strangers_.empty()) {
        ++next_stranger_;
      } else {
        user = strangers_.back();
        strangers_.pop_back();
      }
      ++present_[due.item];
      host.check_in(user, due.item, due.at);
      plan(due.at + minutes(dwell()), What::kLeave, user, due.item);
      return;
    }
    case What::kArrive:
      if (warm_) {
        for (auto* items : {&seen_.items, due.at >= half_ ? &seen_.after : nullptr}) {
          if (items == nullptr) continue;
          ItemSeen& item = (*items)[due.item];
          item.arrivals += 1.0;
          item.met_full += present_[due.item] >= std::floor(item.capacity) ? 1.0 : 0.0;
        }
      }
      ++present_[due.item];
      host.check_in(due.user, due.item, due.at);
      plan(due.at + minutes(dwell()), What::kLeave, due.user, due.item);
      return;
    case What::kLeave:
      --present_[due.item];
      host.check_out(due.user, due.item, due.at);
      if (due.user < users()) {
        busy_[due.user] = false;
      } else {
        strangers_.push_back(due.user);
      }
      return;
  }
}

void World::take(const Host::Served& served, Time now) {
  const bool listens = !served.items.empty() && draws_.uniform() < listen_[served.user];
  if (!listens) {
    busy_[served.user] = false;
    return;
  }
  const auto chances = choices(served.user, served.items);
  double left = draws_.uniform();
  std::size_t chosen = 0;
  while (chosen + 1 < chances.size() && left >= chances[chosen]) left -= chances[chosen++];
  const double delay = -options_.answer_minutes * std::log(1.0 - draws_.uniform());
  plan(now + minutes(delay), What::kFollow, served.user, served.items[chosen], served.list);
}

void World::look(std::vector<ItemSeen>& items) const {
  const double minute = std::chrono::duration<double>(kTick).count() / 60.0;
  for (std::size_t j = 0; j < items.size(); ++j) {
    ItemSeen& item = items[j];
    item.minutes += minute;
    item.overload_minutes += present_[j] > item.capacity ? minute : 0.0;
    item.seat_minutes += std::min<double>(present_[j], item.capacity) * minute;
  }
}

Seen World::run(Host& host) {
  seen_.items.resize(options_.capacity.size());
  for (std::size_t j = 0; j < seen_.items.size(); ++j) {
    seen_.items[j].capacity = options_.capacity[j];
    seen_.items[j].demand = demand_[j];
    plan(start_ + minutes(60.0 * draws_.uniform()), What::kOrganic, 0,
         static_cast<std::uint32_t>(j));
  }
  seen_.after = seen_.items;
  plan(start_, What::kAsk, 0, 0);
  const Time warm = start_ + minutes(60.0 * options_.warm_hours);
  const Time end = warm + minutes(60.0 * options_.hours);
  half_ = warm + minutes(30.0 * options_.hours);
  for (Time now = start_ + kTick; now <= end; now += kTick) {
    warm_ = now > warm;
    while (queue_.top().at < now) {
      const Due due = queue_.top();
      queue_.pop();
      happen(due, host);
    }
    for (const Host::Served& served : host.settle(now)) take(served, now);
    if (warm_) look(seen_.items);
    if (warm_ && now >= half_) look(seen_.after);
  }
  return seen_;
}

}  // namespace headroom::sim
