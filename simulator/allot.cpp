#include "simulator/allot.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <numeric>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"
#include "headroom/model/calibration.hpp"
#include "headroom/rank/cutoff.hpp"
#include "headroom/rank/top_n.hpp"
#include "simulator/batch_training.hpp"
#include "simulator/cpu_clock.hpp"
#include "simulator/split.hpp"

namespace headroom::sim {
namespace {

constexpr std::pair<std::string_view, AllotPolicy> kPolicies[] = {{"none", AllotPolicy::kNone},
                                                                  {"cutoff", AllotPolicy::kCutoff},
                                                                  {"greedy", AllotPolicy::kGreedy},
                                                                  {"price", AllotPolicy::kPrice}};

// Of a stream, in holds.
constexpr double kFill = 3.0, kCounted = 8.0, kBetweenSolves = 1.0 / 6.0, kMemory = 6.0;
constexpr double kShockAt = kFill + kCounted / 2.0;

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

// The lists that hold seats in a stream, and how long lists do.
class Holds {
 public:
  struct List {
    double from, until;
    float seats;
    std::vector<std::uint32_t> items;  // none once its seats are free
  };

  explicit Holds(std::size_t people) : newest_(people, kNone) {}

  void add(std::size_t person, List list) {
    newest_[person] = gone_ + lists_.size();
    lists_.push_back(std::move(list));
  }
  void end_old(double now, Shop& shop) {
    for (; !lists_.empty() && lists_.front().until <= now; lists_.pop_front(), ++gone_) {
      end(lists_.front(), lists_.front().until, shop);
    }
  }
  // A person who comes again gets another list for the one before.
  void replace(std::size_t person, double now, Shop& shop) {
    if (newest_[person] == kNone || newest_[person] < gone_) return;
    end(lists_[newest_[person] - gone_], now, shop);
    replaced_ += 1.0;
  }

  // What can be given out in the next hold, by when seats come free.
  std::vector<float> coming_free(double now, const std::vector<float>& capacity) const {
    std::vector<float> out = capacity, held(capacity.size());
    for (const List& list : lists_) {
      for (const std::uint32_t item : list.items) held[item] += list.seats;
    }
    auto next = lists_.begin();
    for (const double part : {1.0 / 3.0, 2.0 / 3.0, 1.0}) {
      for (; next != lists_.end() && next->until <= now + part; ++next) {
        for (const std::uint32_t item : next->items) held[item] -= next->seats;
      }
      const auto stay = static_cast<float>(std::exp(-part * replaced_ / time_));
      for (std::size_t j = 0; j < out.size(); ++j) {
        const float free = (capacity[j] - stay * held[j]) / static_cast<float>(part);
        out[j] = std::max(0.0F, std::min(out[j], free));
      }
    }
    return out;
  }
  double mean_time() const { return time_ / ended_; }
  void forget() {
    for (double* sum : {&time_, &ended_, &replaced_}) *sum *= 0.8;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void end(List& list, double now, Shop& shop) {
    if (list.items.empty()) return;
    for (const std::uint32_t item : list.items) shop.book(item, -list.seats);
    list.items.clear();
    time_ += now - list.from;
    ended_ += 1.0;
  }

  std::deque<List> lists_;
  std::size_t gone_ = 0;                              // from the front
  std::vector<std::size_t> newest_;                   // list by person, counted from the first ever
  double time_ = 1.0, ended_ = 1.0, replaced_ = 0.0;  // fading
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
        wishes_(&problem.demand),
        holds_(problem.listen.size() * options.visits) {}

  AllotResult run() {
    if (options_.policy == AllotPolicy::kCutoff) set_cutoffs();
    options_.arrivals == Arrivals::kOnce ? closed_pass() : stream();
    return result_;
  }

 private:
  // A list for a user; what it is worth. `taken` gets its items.
  double serve(std::size_t user, std::vector<std::uint32_t>& taken) {
    const Demand::Asker& asker = wishes_->askers[user];
    const auto item_of = [&](std::size_t k) { return index(wishes_->items[asker.begin + k]); };
    values_.resize(asker.end - asker.begin);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      values_[k] = wishes_->chances[asker.begin + k] - shop_.price(item_of(k));
    }
    const auto picks = top_n(values_, options_.places, [&](ItemIx k) {
      const std::size_t item = item_of(index(k));
      return options_.policy == AllotPolicy::kNone ||
             (shop_.holds(item, asker.seats) &&
              (cutoffs_.empty() || wishes_->chances[asker.begin + index(k)] > cutoffs_[item]));
    });
    double value = 0.0;
    taken.clear();
    for (const Scored& pick : picks) {
      const auto item = static_cast<std::uint32_t>(item_of(index(pick.item)));
      if (!shop_.holds(item, asker.seats)) ++result_.violations;
      value += static_cast<double>(asker.seats) *
               static_cast<double>(wishes_->chances[asker.begin + index(pick.item)]);
      shop_.book(item, asker.seats);
      taken.push_back(item);
    }
    ++result_.lists;
    return value;
  }

  // Prices for askers with so many lists to come, on so much capacity.
  void solve(const std::vector<float>& lists, const std::vector<float>& capacity) {
    if (options_.policy != AllotPolicy::kPrice) return;
    const double began = process_cpu_seconds();
    Demand demand;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists[i] <= 0.0F) continue;
      demand.askers.push_back(wishes_->askers[i]);
      demand.askers.back().lists = lists[i];
    }
    demand.items = wishes_->items;
    demand.chances = wishes_->chances;
    Prices solved = solve_prices(demand, capacity, prices_, {}, workers_);
    if (solved.converged) prices_ = std::move(solved);
    shop_.set_prices(prices_.values);
    solve_seconds_ += process_cpu_seconds() - began;
    ++result_.solves;
    result_.seconds_per_solve = solve_seconds_ / static_cast<double>(result_.solves);
  }

  // By the chances of all users, as far as their lists would fill each item.
  void set_cutoffs() {
    double seats = 0.0;
    for (const Demand::Asker& asker : wishes_->askers) {
      seats += static_cast<double>(asker.lists) * static_cast<double>(asker.seats);
    }
    std::vector<std::vector<float>> chances(problem_.capacity.size());
    for (std::size_t k = 0; k < wishes_->items.size(); ++k) {
      chances[index(wishes_->items[k])].push_back(wishes_->chances[k]);
    }
    for (std::size_t j = 0; j < chances.size(); ++j) {
      cutoffs_.push_back(
          cutoff_score(chances[j], static_cast<double>(problem_.capacity[j]) / seats));
    }
  }

  // Everybody comes so many times. Prices are solved anew whenever a twentieth of those who are
  // still to come has come.
  void closed_pass() {
    const std::size_t users = problem_.listen.size();
    std::vector<std::uint32_t> comes, taken;
    for (std::uint32_t visit = 0; visit < options_.visits; ++visit) {
      for (std::uint32_t i = 0; i < users; ++i) comes.push_back(i);
    }
    std::vector<float> to_come(users, static_cast<float>(options_.visits));
    Draws(options_.seed, Purpose::kOrder, order_).shuffle_first(std::span(comes), comes.size());
    std::size_t next_solve = 0;
    for (std::size_t n = 0; n < comes.size(); ++n) {
      if (n == next_solve) {
        solve(to_come, shop_.left());
        next_solve += std::max<std::size_t>(1, (comes.size() - n) / 20);
      }
      result_.value += serve(comes[n], taken);
      to_come[comes[n]] -= 1.0F;
    }
    result_.bound = problem_.bound;
  }

  // Time in holds: some to fill up, then those that count.
  void stream() {
    const auto people = static_cast<std::uint32_t>(problem_.listen.size() * options_.visits);
    Draws draws(options_.seed, Purpose::kOrder, order_);
    double next_solve = 0.0, counts_from = kFill, rate = kCalmRate;
    bool shock_to_come = options_.shock != Shock::kNone;
    for (double now = 0.0; now < kFill + kCounted;) {
      now -= std::log(1.0 - draws.uniform()) / (rate * people);
      holds_.end_old(now, shop_);
      if (shock_to_come && now >= kShockAt) {
        shock_to_come = false;
        rate = kShockedRate;
        wishes_ = &problem_.shocked;
        counts_from = next_solve;  // it is judged once the next prices are in
        result_.value = 0.0;
      }
      if (now >= next_solve) {
        if (options_.shock != Shock::kOldPrices || wishes_ == &problem_.demand) solve_stream(now);
        next_solve += kBetweenSolves;
      }
      const std::uint32_t person = draws.below(people);
      const double value = serve_person(person, now);
      if (now >= counts_from) result_.value += value;
    }
    const double at_once = wishes_ == &problem_.demand ? problem_.bound : problem_.shocked_bound;
    result_.bound = at_once * (kFill + kCounted - counts_from) * rate / lists_held(rate);
  }

  double serve_person(std::size_t person, double now) {
    const std::size_t user = person % problem_.listen.size();
    holds_.replace(person, now, shop_);
    Holds::List list{now, now + 1.0, problem_.listen[user], {}};
    const double value = serve(user, list.items);
    holds_.add(person, std::move(list));
    past_.emplace_back(now, static_cast<std::uint32_t>(user));
    return value;
  }

  // Who came in the last holds will come again, as often as people came just now. At first
  // everybody alike.
  void solve_stream(double now) {
    constexpr double kJustNow = 0.5;
    while (!past_.empty() && past_.front().first < now - kMemory) past_.pop_front();
    std::vector<float> lists(problem_.listen.size(), 1.0F);
    double recent = static_cast<double>(lists.size() * options_.visits) * kJustNow;
    if (now > kJustNow) {
      std::fill(lists.begin(), lists.end(), 0.0F);
      recent = 0.0;
      for (const auto& [at, user] : past_) {
        lists[user] += 1.0F;
        if (at >= now - kJustNow) recent += 1.0;
      }
    }
    const double total = std::accumulate(lists.begin(), lists.end(), 0.0);
    const double each = recent / kJustNow * holds_.mean_time() / total;
    for (float& list : lists) list *= static_cast<float>(each);
    solve(lists, holds_.coming_free(now, shop_.capacity()));
    holds_.forget();
  }

  const AllotProblem& problem_;
  const AllotOptions& options_;
  std::uint64_t order_;
  Workers& workers_;
  Shop shop_;
  const Demand* wishes_;  // as they are now
  Holds holds_;
  std::deque<std::pair<double, std::uint32_t>> past_;  // who came when
  Prices prices_;
  std::vector<float> cutoffs_;  // by item; none: not the policy
  std::vector<float> values_;
  double solve_seconds_ = 0.0;
  AllotResult result_;
};

// The chances of all users and items, what they hold, and how much in all.
double fill_demand(const Ratings& ratings, const AllotOptions& options, Workers& workers,
                   AllotProblem& out) {
  const Split split = split_in_halves(ratings, Feedback::kImplicit, options.seed, 0);
  BatchSettings settings;
  settings.pairs = true;
  settings.alpha = 0.0F;
  settings.rank = options.rank;
  settings.seed = options.seed;
  const Problem problem{split.train, out.listen, out.capacity, nullptr};
  const Factors factors = train(problem, settings, workers).factors;
  const Calibration calibration = calibrate(factors, split, ratings, options.seed);
  const double held = options.arrivals == Arrivals::kStream ? lists_held(kCalmRate) : 1.0;
  double seats = 0.0;
  std::vector<float> scores(ratings.items.size());
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    factors.score_run(user_ix(i), ItemIx{0}, scores);
    Demand::Asker asker;
    asker.seats = out.listen[i];
    asker.n = options.places;
    asker.lists = static_cast<float>(options.visits * held);
    asker.begin = out.demand.items.size();
    const auto known = split.known(i);
    for (std::uint32_t j = 0; j < scores.size(); ++j) {
      if (std::binary_search(known.begin(), known.end(), j)) continue;
      out.demand.items.push_back(ItemIx{j});
      out.demand.chances.push_back(calibration.chance(scores[j]));
    }
    asker.end = out.demand.items.size();
    out.demand.askers.push_back(asker);
    seats += static_cast<double>(asker.seats * asker.lists) * options.places;
  }
  return seats;
}

// One item in twenty becomes hot: its odds grow e^2-fold for everybody; and all come more often.
void fill_shocked(const AllotOptions& options, AllotProblem& out) {
  out.shocked = out.demand;
  Draws draws(options.seed, Purpose::kSpread, 0);
  std::vector<bool> hot(out.capacity.size());
  for (std::size_t j = 0; j < hot.size(); ++j) hot[j] = draws.uniform() < 0.05;
  for (std::size_t k = 0; k < out.shocked.items.size(); ++k) {
    float& chance = out.shocked.chances[k];
    if (!hot[index(out.shocked.items[k])]) continue;
    const float odds = std::exp(2.0F) * chance / (1.0F - chance);
    chance = odds / (1.0F + odds);
  }
  const auto more = static_cast<float>(lists_held(kShockedRate) / lists_held(kCalmRate));
  for (Demand::Asker& asker : out.shocked.askers) asker.lists *= more;
}

}  // namespace

AllotPolicy parse_allot_policy(std::string_view words) {
  for (const auto& [name, policy] : kPolicies) {
    if (name == words) return policy;
  }
  throw Error("unknown policy '" + std::string(words) +
              "': it is one of none, cutoff, greedy, price");
}

std::string_view to_string(AllotPolicy policy) {
  for (const auto& [name, known] : kPolicies) {
    if (known == policy) return name;
  }
  return {};
}

double lists_held(double rate) { return 1.0 - std::exp(-rate); }

AllotProblem make_allot_problem(const Ratings& ratings, const AllotOptions& options,
                                Workers& workers) {
  AllotProblem out;
  out.listen = listen_propensities(options.propensity, ratings, options.seed);
  out.capacity = capacities(options.capacity, ratings, options.seed);
  const double seats = fill_demand(ratings, options, workers, out);
  const double total = std::accumulate(out.capacity.begin(), out.capacity.end(), 0.0);
  const auto scale = static_cast<float>(options.supply * seats / total);
  for (float& capacity : out.capacity) capacity *= scale;
  const auto bound = [&](const Demand& demand, unsigned iterations) {
    const PriceOptions to_the_end{.cold = iterations, .enough = 0.0F};
    return solve_prices(demand, out.capacity, {}, to_the_end, workers).bound;
  };
  const unsigned usual = PriceOptions{}.cold;
  out.bound = bound(out.demand, usual);
  out.gap = out.bound / bound(out.demand, 10 * usual) - 1.0;
  if (options.shock != Shock::kNone) {
    fill_shocked(options, out);
    out.shocked_bound = bound(out.shocked, usual);
  }
  return out;
}

void write_allot_problem(const AllotProblem& problem, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  const auto write = [&](const auto* data, std::size_t count) {
    out.write(reinterpret_cast<const char*>(data),
              static_cast<std::streamsize>(count * sizeof *data));
  };
  const Demand& demand = problem.demand;
  const std::uint64_t counts[] = {demand.askers.size(), problem.capacity.size(),
                                  demand.items.size()};
  write(counts, 3);
  write(&problem.bound, 1);
  write(problem.capacity.data(), problem.capacity.size());
  for (const Demand::Asker& asker : demand.askers) {
    const float row[] = {asker.lists, asker.seats, static_cast<float>(asker.n),
                         static_cast<float>(asker.end - asker.begin)};
    write(row, 4);
  }
  write(demand.items.data(), demand.items.size());
  write(demand.chances.data(), demand.chances.size());
  out.close();
  if (!out) throw Error("cannot write '" + file + "'");
}

AllotResult run_allot(const AllotProblem& problem, const AllotOptions& options, std::uint64_t order,
                      Workers& workers) {
  return Run(problem, options, order, workers).run();
}

}  // namespace headroom::sim
