#include <algorithm>
#include <cmath>
#include <limits>

#include "headroom/engine/engine.hpp"
#include "headroom/rank/cutoff.hpp"
#include "headroom/rank/top_n.hpp"

// When prices are solved, for whom, and for how many seats.
namespace headroom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double ratio(std::chrono::milliseconds a, std::chrono::milliseconds b) {
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

// What can still be given out in one window at the pace at which holds end: the least over the
// next third, two thirds and the whole of it.
double coming_free(const Book& book, double limit) {
  double free = limit;
  for (std::size_t thirds = 1; thirds <= 3; ++thirds) {
    double held = 0.0;  // then, of what is held now: a list's part of age a ends kAges - 1 - a on
    for (std::size_t age = 0; age + 2 * thirds < kAges; ++age) held += book.held_by_age[age];
    const double left = limit - book.taken - book.on_way - held;
    free = std::min(free, left * 3.0 / static_cast<double>(thirds));
  }
  return std::max(0.0, free);
}

// Milliseconds that people stay where a visit lasts `longest` at most, as was seen.
double mean_stay(const Outlook& outlook, std::chrono::milliseconds longest) {
  if (outlook.has_course(longest)) return outlook.course(longest).mean_stay;
  return static_cast<double>(longest.count());
}

// People that are there on average where more than `limit` are to be there with this chance only:
// those present vary by about the root of .28 of the limit.
double aimed_at(double limit, double risk) {
  double low = -8.0, high = 8.0;  // of the normal quantile
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > risk ? low : high) = middle;
  }
  return limit + 0.5 - low * std::sqrt(0.28 * limit);
}

}  // namespace

// In the units of a demand, where a list holds p for each of its places during one window.
//
// `whole` holds just that. With `choice` a list brings p people to one of its places, who stay for
// the dwell time: the places share them equally here.
float Engine::price_capacity(ItemIx item, double places, bool what_is_left) const {
  const Book book = state_.ledger.book(item);
  if (!book.capacity) return kInfinity;
  const double limit = book.capacity->limit;
  const auto window = options_.ledger.window;
  const bool whole = options_.allot.holding == Holding::kWhole;
  const double shared = whole ? 1.0 : places;
  switch (book.capacity->kind) {
    case CapacityKind::kStock: {
      const double left = std::max(0.0, limit - book.taken);
      return static_cast<float>(shared * left *
                                std::min(1.0, ratio(window, options_.pricing.stock)));
    }
    case CapacityKind::kRate:
      return static_cast<float>(shared * limit * ratio(window, book.capacity->per));
    case CapacityKind::kSeats:
      break;
  }
  if (whole) return static_cast<float>(what_is_left ? coming_free(book, limit) : limit);
  const double stay = mean_stay(state_.ledger.outlook(), state_.ledger.dwell(item));
  const double organic = book.organic_rate * stay / 3.6e6;
  const double seats =
      (book.rule == RoomRule::kAhead ? aimed_at(limit, book.risk) : limit) - organic;
  return static_cast<float>(shared * std::max(0.0, seats) * static_cast<double>(window.count()) /
                            stay);
}

std::vector<float> Engine::price_capacities(double places, bool what_is_left) const {
  std::vector<float> out(state_.learner.items(), kInfinity);
  for (std::uint32_t row = 0; row < out.size(); ++row) {
    if (state_.items.has(ItemIx{row})) out[row] = price_capacity(ItemIx{row}, places, what_is_left);
  }
  return out;
}

// The best candidates of everyone who counts, by chance less the prices of before.
Demand Engine::demand_of(std::span<const Pricing::Asker> askers) {
  const std::size_t items = state_.learner.items();
  const std::size_t most = options_.pricing.candidates;
  const auto offered = state_.catalogue.offered();
  const auto prices = state_.pricing.prices();
  std::vector<std::vector<Scored>> found(askers.size());
  state_.learner.line_up();
  workers_.each(askers.size(), [&](std::size_t n) {
    std::vector<float> values(items);
    state_.learner.score_all(askers[n].user, values);
    for (std::size_t j = 0; j < items; ++j) {
      values[j] = state_.calibration.chance(values[j]) - (j < prices.size() ? prices[j] : 0.0F);
    }
    found[n] = top_n(values, std::max<std::size_t>(most, askers[n].n),
                     [&](ItemIx item) { return offered[index(item)] != 0; });
  });
  Demand demand;
  const Time now = state_.ledger.now();
  const bool whole = options_.allot.holding == Holding::kWhole;
  for (std::size_t n = 0; n < askers.size(); ++n) {
    Demand::Asker asker;
    // A user has one open list at a time.
    asker.lists = whole ? std::min(1.0F, askers[n].lists) : askers[n].lists;
    asker.n = askers[n].n;
    asker.seats = state_.listening.mean(askers[n].user, now) * static_cast<float>(askers[n].party);
    asker.begin = demand.items.size();
    for (const Scored& one : found[n]) {
      const std::size_t j = index(one.item);
      demand.items.push_back(one.item);
      demand.chances.push_back(one.score + (j < prices.size() ? prices[j] : 0.0F));
    }
    asker.end = demand.items.size();
    demand.askers.push_back(asker);
  }
  return demand;
}

// From a sample of who asked lately that fits into the memory of a run of asks.
std::vector<float> Engine::cutoffs_of(std::span<const Pricing::Asker> askers) {
  const std::size_t items = state_.learner.items();
  const std::size_t sample = std::min(askers.size(), kMostScores / std::max<std::size_t>(1, items));
  state_.learner.line_up();
  std::vector<float> scores(sample * items);
  workers_.each(sample, [&](std::size_t n) {
    state_.learner.score_all(askers[n].user, std::span(scores).subspan(n * items, items));
  });
  std::vector<float> out(items), of_item(sample);
  for (std::uint32_t j = 0; j < items; ++j) {
    for (std::size_t n = 0; n < sample; ++n) of_item[n] = scores[n * items + j];
    const Book book = state_.ledger.book(ItemIx{j});
    const double share =
        book.capacity ? book.capacity->limit / static_cast<double>(askers.size()) : 1.0;
    out[j] = cutoff_score(of_item, std::min(1.0, share));
  }
  return out;
}

void Engine::price(Time now) {
  Pricing& pricing = state_.pricing;
  const Policy policy = options_.allot.policy;
  const bool solves = policy == Policy::kPrice || policy == Policy::kCutoff;
  const bool over = pricing.is_over(now), due = solves && pricing.is_due(now);
  if (!over && !due) return;
  std::vector<float> whole;
  if (over) {
    whole = price_capacities(pricing.places(), false);
    pricing.close(now, whole);
  }
  if (!solves) return;
  auto askers = pricing.askers(now);
  std::erase_if(askers, [&](const auto& asker) { return !state_.users.has(asker.user); });
  if (policy == Policy::kCutoff) {
    if (due) pricing.set_cutoffs(cutoffs_of(askers), now);
    return;
  }
  Demand demand = demand_of(askers);
  if (over) pricing.freeze(demand, whole, workers_);
  if (due) {
    pricing.solve(std::move(demand), price_capacities(pricing.places(), true), now, workers_);
  }
}

}  // namespace headroom
