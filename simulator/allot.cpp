#include "simulator/allot.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"
#include "headroom/model/calibration.hpp"
#include "headroom/rank/top_n.hpp"
#include "simulator/batch_training.hpp"
#include "simulator/cpu_clock.hpp"
#include "simulator/split.hpp"

namespace headroom::sim {
namespace {

constexpr std::pair<std::string_view, AllotPolicy> kPolicies[] = {
    {"none", AllotPolicy::kNone}, {"greedy", AllotPolicy::kGreedy}, {"price", AllotPolicy::kPrice}};

constexpr double kWarm = 2.0, kCountedHolds = 8.0;  // of a stream

UserIx user_ix(std::size_t user) { return UserIx{static_cast<std::uint32_t>(user)}; }

// A logistic of the score, learned from each user's other half against uniform draws.
Calibration calibrate(const Factors& factors, const Split& split, const Ratings& ratings,
                      std::uint64_t seed) {
  Calibration calibration;
  std::vector<float> scores(ratings.items.size());
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    factors.score_run(user_ix(i), ItemIx{0}, scores);
    Draws draws(seed, Purpose::kCalibration, i);
    const auto has = ratings.of_user(i);
    if (has.size() + Calibration::kListed > scores.size()) continue;
    for (const std::uint32_t liked : split.test.liked_by(i)) {
      std::vector<float> beside{scores[liked]};
      while (beside.size() < Calibration::kListed) {
        const std::uint32_t other = draws.below(static_cast<std::uint32_t>(scores.size()));
        if (!std::binary_search(has.begin(), has.end(), other)) beside.push_back(scores[other]);
      }
      calibration.observe(beside, 1.0F);
    }
  }
  return calibration;
}

// The items' seats: what is left, and the prices as they stand.
class Shop {
 public:
  Shop(std::vector<float> capacity, float steepness)
      : capacity_(std::move(capacity)),
        steepness_(steepness),
        left_(capacity_),
        base_(capacity_.size()),
        prices_(capacity_.size()) {}

  void set_prices(const std::vector<float>& prices) {
    base_ = prices;
    for (std::size_t j = 0; j < base_.size(); ++j) move_price(j);
  }
  const std::vector<float>& capacity() const { return capacity_; }
  const std::vector<float>& left() const { return left_; }
  float price(std::size_t item) const { return prices_[item]; }
  bool holds(std::size_t item, float seats) const { return left_[item] >= seats; }
  void book(std::size_t item, float seats) {
    left_[item] -= seats;
    move_price(item);
  }

 private:
  void move_price(std::size_t item) {
    const float used = 1.0F - left_[item] / capacity_[item];
    prices_[item] = base_[item] > 0.0F ? base_[item] * price_factor(used, steepness_) : 0.0F;
  }

  std::vector<float> capacity_;
  float steepness_;
  std::vector<float> left_, base_, prices_;
};

class Run {
 public:
  Run(const AllotProblem& problem, const AllotOptions& options, std::uint64_t order,
      Workers& workers)
      : problem_(problem),
        options_(options),
        order_(order),
        workers_(workers),
        shop_(problem.capacity, options.steepness),
        demand_(problem.demand) {}

  AllotResult run() {
    if (options_.arrivals == Arrivals::kOnce) {
      result_.bound = problem_.bound;
      closed_pass();
    } else {
      result_.bound = problem_.bound * kCountedHolds;
      stream();
    }
    return result_;
  }

 private:
  struct Held {
    double until;
    std::uint32_t item;
    float seats;
  };

  float seats_of(std::size_t user) const { return problem_.listen[user]; }

  // A list for a user; what it is worth.
  double serve(std::size_t user, double until) {
    const Demand::Asker& asker = problem_.demand.askers[user];
    const std::size_t count = asker.end - asker.begin;
    const float seats = seats_of(user);
    values_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t item = index(problem_.demand.items[asker.begin + k]);
      values_[k] = problem_.demand.chances[asker.begin + k] - shop_.price(item);
    }
    const bool hard = options_.policy != AllotPolicy::kNone;
    const auto picks = top_n(values_, options_.places, [&](ItemIx k) {
      return !hard || shop_.holds(index(problem_.demand.items[asker.begin + index(k)]), seats);
    });
    double value = 0.0;
    for (const Scored& pick : picks) {
      const std::size_t at = asker.begin + index(pick.item);
      const auto item = static_cast<std::uint32_t>(problem_.demand.items[at]);
      if (!shop_.holds(item, seats)) ++result_.violations;
      value += static_cast<double>(seats) * static_cast<double>(problem_.demand.chances[at]);
      shop_.book(item, seats);
      held_.push_back({until, item, seats});
    }
    ++result_.lists;
    return value;
  }

  // Prices for askers with so many lists to come, on so much capacity.
  void solve(const std::vector<float>& lists, const std::vector<float>& capacity) {
    if (options_.policy != AllotPolicy::kPrice) return;
    const double began = process_cpu_seconds();
    demand_.askers.clear();
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists[i] <= 0.0F) continue;
      demand_.askers.push_back(problem_.demand.askers[i]);
      demand_.askers.back().lists = lists[i];
    }
    prices_ = solve_prices(demand_, capacity, prices_, {}, workers_);
    shop_.set_prices(prices_.values);
    solve_seconds_ += process_cpu_seconds() - began;
    ++result_.solves;
    result_.seconds_per_solve = solve_seconds_ / static_cast<double>(result_.solves);
  }

  void closed_pass() {
    const std::size_t users = problem_.listen.size();
    std::vector<std::uint32_t> comes;
    for (std::uint32_t visit = 0; visit < options_.visits; ++visit) {
      for (std::uint32_t i = 0; i < users; ++i) comes.push_back(i);
    }
    std::vector<float> to_come(users, static_cast<float>(options_.visits));
    Draws(options_.seed, Purpose::kOrder, order_).shuffle_first(std::span(comes), comes.size());
    const std::size_t every = std::max<std::size_t>(1, comes.size() / 20);
    for (std::size_t n = 0; n < comes.size(); ++n) {
      if (n % every == 0) solve(to_come, shop_.left());
      result_.value += serve(comes[n], 0.0);
      to_come[comes[n]] -= 1.0F;
    }
  }

  // Time in units of the hold. Two holds to fill up, then eight that count.
  void stream() {
    constexpr double kEvery = 1.0 / 6.0, kMemory = 6.0;
    const std::size_t users = problem_.listen.size();
    const double rate = static_cast<double>(users) * options_.visits;  // lists per hold
    Draws draws(options_.seed, Purpose::kOrder, order_);
    std::deque<std::pair<double, std::uint32_t>> past;  // who came when
    double next_solve = 0.0;
    for (double now = 0.0; now < kWarm + kCountedHolds;) {
      now -= std::log(1.0 - draws.uniform()) / rate;
      release(now);
      while (!past.empty() && past.front().first < now - kMemory) past.pop_front();
      if (now >= next_solve) {
        std::vector<float> lists(users);
        const double span = std::max(std::min(now, kMemory), 1e-9);
        for (const auto& [at, user] : past) lists[user] += static_cast<float>(1.0 / span);
        if (!past.empty()) solve(lists, coming_free(now));
        next_solve = now + kEvery;
      }
      const std::uint32_t user = draws.below(static_cast<std::uint32_t>(users));
      past.emplace_back(now, user);
      const double value = serve(user, now + 1.0);
      if (now >= kWarm) result_.value += value;
    }
  }

  void release(double now) {
    for (; !held_.empty() && held_.front().until <= now; held_.pop_front()) {
      shop_.book(held_.front().item, -held_.front().seats);
    }
  }

  // What can be given out in the next hold, by when seats come free.
  std::vector<float> coming_free(double now) const {
    std::vector<float> out = shop_.capacity();
    std::vector<float> held(out.size());
    for (const Held& one : held_) held[one.item] += one.seats;
    auto next = held_.begin();
    for (const double part : {1.0 / 3.0, 2.0 / 3.0, 1.0}) {
      for (; next != held_.end() && next->until <= now + part; ++next) {
        held[next->item] -= next->seats;
      }
      for (std::size_t j = 0; j < out.size(); ++j) {
        const float free = (shop_.capacity()[j] - held[j]) / static_cast<float>(part);
        out[j] = std::max(0.0F, std::min(out[j], free));
      }
    }
    return out;
  }

  const AllotProblem& problem_;
  const AllotOptions& options_;
  std::uint64_t order_;
  Workers& workers_;
  Shop shop_;
  Demand demand_;
  Prices prices_;
  std::deque<Held> held_;
  std::vector<float> values_;
  double solve_seconds_ = 0.0;
  AllotResult result_;
};

}  // namespace

AllotPolicy parse_allot_policy(std::string_view words) {
  for (const auto& [name, policy] : kPolicies) {
    if (name == words) return policy;
  }
  throw Error("unknown policy '" + std::string(words) + "': it is one of none, greedy, price");
}

std::string_view to_string(AllotPolicy policy) {
  for (const auto& [name, known] : kPolicies) {
    if (known == policy) return name;
  }
  return {};
}

AllotProblem make_allot_problem(const Ratings& ratings, const AllotOptions& options,
                                Workers& workers) {
  AllotProblem out;
  out.listen = listen_propensities(options.propensity, ratings, options.seed);
  out.capacity = capacities(options.capacity, ratings, options.seed);
  const Split split = split_in_halves(ratings, Feedback::kImplicit, options.seed, 0);
  BatchSettings settings;
  settings.pairs = true;
  settings.alpha = 0.0F;
  settings.rank = options.rank;
  settings.seed = options.seed;
  const Problem problem{split.train, out.listen, out.capacity, nullptr};
  const Factors factors = train(problem, settings, workers).factors;
  const Calibration calibration = calibrate(factors, split, ratings, options.seed);
  double demand = 0.0;
  std::vector<float> scores(ratings.items.size());
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    factors.score_run(user_ix(i), ItemIx{0}, scores);
    Demand::Asker asker;
    asker.seats = out.listen[i];
    asker.n = options.places;
    asker.lists = static_cast<float>(options.visits);
    asker.begin = out.demand.items.size();
    const auto known = split.known(i);
    for (std::uint32_t j = 0; j < scores.size(); ++j) {
      if (std::binary_search(known.begin(), known.end(), j)) continue;
      out.demand.items.push_back(ItemIx{j});
      out.demand.chances.push_back(calibration.chance(scores[j]));
    }
    asker.end = out.demand.items.size();
    out.demand.askers.push_back(asker);
    demand += static_cast<double>(asker.seats) * options.places * options.visits;
  }
  const double total = std::accumulate(out.capacity.begin(), out.capacity.end(), 0.0);
  const auto scale = static_cast<float>(options.supply * demand / total);
  for (float& capacity : out.capacity) capacity *= scale;
  const PriceOptions once, longer{.cold = 10 * once.cold};
  out.bound = solve_prices(out.demand, out.capacity, {}, once, workers).bound;
  out.gap = out.bound / solve_prices(out.demand, out.capacity, {}, longer, workers).bound - 1.0;
  return out;
}

AllotResult run_allot(const AllotProblem& problem, const AllotOptions& options, std::uint64_t order,
                      Workers& workers) {
  return Run(problem, options, order, workers).run();
}

}  // namespace headroom::sim
