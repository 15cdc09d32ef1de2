#include <algorithm>
#include <cmath>
#include <limits>

#include "headroom/demand/normal.hpp"
#include "headroom/engine/engine.hpp"
#include "headroom/rank/cutoff.hpp"
#include "headroom/rank/gather.hpp"

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

// People that are there on average where more than `limit` are to be there with this chance only:
// those present vary.
double aimed_at(double limit, double risk) {
  return limit + 0.5 + normal_inverse(risk) * std::sqrt(kPresentVariance * limit);
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
  // By chance no part of a person comes; in expectation it may.
  if (book.rule == RoomRule::kAhead && limit < 1.0) return 0.0F;
  if (whole) return static_cast<float>(what_is_left ? coming_free(book, limit) : limit);
  const double stay = state_.ledger.outlook().course(state_.ledger.dwell(item)).mean_stay;
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

// The best candidates of everyone who counts and is still known, by chance less the prices of
// before.
Demand Engine::demand_of(std::vector<Pricing::Asker> askers) {
  std::erase_if(askers, [&](const auto& asker) { return !state_.users.has(asker.user); });
  Demand demand;
  std::vector<UserIx> users;
  const Time now = state_.ledger.now();
  const bool whole = options_.allot.holding == Holding::kWhole;
  for (const Pricing::Asker& from : askers) {
    Demand::Asker asker;
    // A user has one open list at a time.
    asker.lists = whole ? std::min(1.0F, from.apart) : from.lists;
    asker.n = from.n;
    asker.seats = state_.listening.mean(from.user, now) * static_cast<float>(from.party);
    demand.askers.push_back(asker);
    users.push_back(from.user);
  }
  state_.learner.line_up();
  renew_finder();
  gather(demand, users, options_.pricing.candidates, state_.learner,
         {&state_.calibration, state_.pricing.prices(), {}}, finder_.room(), workers_);
  return demand;
}

// From a sample of who asked lately, of so many scores.
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

// A user or an item that left since then may have given its row to another one: that is as near as
// prices are to who will ask.
void Engine::gather_some(Time now, std::size_t records) {
  Pricing& pricing = state_.pricing;
  pricing.add_gathered(demand_of(pricing.next_to_gather(state_.learner.items(), records)));
  if (!pricing.all_gathered()) return;
  pricing.solve(pricing.take_gathered(), price_capacities(pricing.places(), true), now, workers_);
}

void Engine::price(Time now, std::size_t records) {
  Pricing& pricing = state_.pricing;
  const Policy policy = options_.allot.policy;
  const bool solves = policy == Policy::kPrice || policy == Policy::kCutoff;
  const bool over = pricing.is_over(now), due = solves && pricing.is_due(now);
  if (pricing.is_gathering()) gather_some(now, records);
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
  if (pricing.is_large(askers.size(), state_.learner.items())) {
    if (over) pricing.freeze({}, whole, workers_);
    if (due) pricing.begin_gathering(std::move(askers), now);
    return;
  }
  Demand demand = demand_of(std::move(askers));
  if (over) pricing.freeze(demand, whole, workers_);
  if (due) {
    pricing.solve(std::move(demand), price_capacities(pricing.places(), true), now, workers_);
  }
}

}  // namespace headroom
