#include "simulator/list_makers.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "simulator/batch_training.hpp"

namespace headroom::sim {
namespace {

constexpr std::uint32_t kRandomList = 48;  // a part of the world's random numbers

std::vector<std::string> names(char kind, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t n = 0; n < count; ++n) out.push_back(kind + std::to_string(n));
  return out;
}

std::uint32_t number_of(const std::string& name) {
  std::uint32_t number = 0;
  std::from_chars(name.data() + 1, name.data() + name.size(), number);
  return number;
}

EngineOptions by_the_wall(EngineOptions options) {
  options.clock = ClockKind::kWall;
  return options;
}

}  // namespace

EventLists::EventLists(const LifeOptions& life, ListWitness witness)
    : places_(static_cast<std::uint16_t>(life.places)),
      witness_(std::move(witness)),
      users_(names('u', life.users)),
      items_(names('i', life.items)) {}

void EventLists::send(Time at, decltype(Event::what) what) {
  events_.push_back({at, std::to_string(++sent_), std::move(what)});
}

void EventLists::put(const ItemUpdate& item) { send(Time{}, item); }
void EventLists::ask(std::uint32_t user, Time at) {
  send(at, Request{users_[user], places_, 1, {}});
}
void EventLists::follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) {
  send(at, Feedback{users_[user], to_text('r', list), items_[item], FeedbackOutcome::kFollow, {}});
}
void EventLists::ignore(std::uint32_t user, const OutputId& list, Time at) {
  send(at, Feedback{users_[user], to_text('r', list), {}, FeedbackOutcome::kIgnore, {}});
}
void EventLists::check_in(std::uint32_t user, std::uint32_t item, Time at) {
  send(at, CheckIn{users_[user], items_[item], 1.0F, {}});
}
void EventLists::check_out(std::uint32_t user, std::uint32_t item, Time at) {
  send(at, CheckOut{users_[user], items_[item]});
}

std::vector<Host::Served> EventLists::settle(Time now) {
  std::vector<Served> served;
  expected_.clear();
  const std::vector<RankedList> lists = carry(std::exchange(events_, {}), now);
  if (witness_) witness_(lists);
  for (const RankedList& list : lists) {
    Served& one = served.emplace_back(Served{number_of(list.user), list.id, {}});
    for (const ListedItem& place : list.items) one.items.push_back(number_of(place.item));
    expected_.push_back(list.listen_propensity);
  }
  return served;
}

EngineLists::EngineLists(const EngineOptions& options, const LifeOptions& life, Workers& workers,
                         ListWitness witness)
    : EventLists(life, std::move(witness)), engine_(by_the_wall(options), workers) {}

Outcome EngineLists::step(Batch& batch, Time now) {
  batch.number = engine_.state().batch + 1;
  batch.now = now;
  put_in_order(batch);
  return engine_.step(batch);
}

std::vector<RankedList> EngineLists::carry(std::vector<Event> events, Time now) {
  Batch batch;
  for (Event& event : events) {
    Arrival& arrival = batch.arrivals.emplace_back();
    const bool item = std::holds_alternative<ItemUpdate>(event.what);
    arrival.place.topic = item ? Topic::kItems : Topic::kEvents;
    arrival.place.offset = ++events_;
    arrival.event = std::move(event);
  }
  return step(batch, now).lists;
}

void PlainLists::check_in(std::uint32_t user, std::uint32_t item, Time at) {
  learn(user, item, at);
}

std::vector<Host::Served> PlainLists::settle(Time /*now*/) {
  std::vector<Served> served;
  std::vector<double> scores(plan_.options().items);
  for (const Asked& asked : std::exchange(asked_, {})) {
    score(asked, scores);
    std::vector<std::uint32_t> order;
    for (std::uint32_t j = 0; j < scores.size(); ++j) {
      if (plan_.city().is_open(j, asked.at)) order.push_back(j);
    }
    const std::size_t n = std::min(plan_.options().places, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                      });
    order.resize(n);
    served.push_back({asked.user, {0, 1, ++lists_, 0}, std::move(order)});
  }
  return served;
}

std::vector<Host::Served> BatchLists::settle(Time now) {
  const Time night = std::chrono::floor<std::chrono::days>(now);
  if (now >= plan().live_from() && night != trained_) {
    trained_ = night;
    train_anew();
  }
  return PlainLists::settle(now);
}

void BatchLists::learn(std::uint32_t user, std::uint32_t item, Time /*at*/) {
  liked_[user].insert(item);
  visits_[item] += 1.0;
}

// Beside each like stands a place where the user was not, while there are any.
void BatchLists::train_anew() {
  ObservationSet set;
  set.items = visits_.size();
  set.start.push_back(0);
  rows_.assign(liked_.size(), std::nullopt);
  for (std::uint32_t user = 0; user < liked_.size(); ++user) {
    const auto& liked = liked_[user];
    std::vector<std::uint32_t> others;
    for (std::uint32_t j = 0; j < set.items; ++j) {
      if (!liked.contains(j)) others.push_back(j);
    }
    if (liked.empty() || others.empty()) continue;
    const std::size_t count = std::min(liked.size(), others.size());
    Draws(plan().options().seed, Purpose::kNegatives, user).shuffle_first(std::span(others), count);
    rows_[user] = UserIx{static_cast<std::uint32_t>(set.users++)};
    set.item.insert(set.item.end(), liked.begin(), liked.end());
    set.item.insert(set.item.end(), others.begin(),
                    others.begin() + static_cast<std::ptrdiff_t>(count));
    set.target.insert(set.target.end(), liked.size(), 1.0F);
    set.target.insert(set.target.end(), count, 0.0F);
    set.liked.push_back(static_cast<std::uint32_t>(liked.size()));
    set.start.push_back(static_cast<std::uint32_t>(set.item.size()));
  }
  factors_ = {};
  if (set.users == 0) return;
  BatchSettings settings;
  settings.pairs = true;
  settings.alpha = 0.0F;
  settings.seed = plan().options().seed;
  const std::vector<float> listen(set.users, 1.0F), capacity(set.items, 1.0F);
  Workers alone(1);
  factors_ = train({set, listen, capacity, nullptr}, settings, alone).factors;
}

void BatchLists::score(const Asked& asked, std::vector<double>& by_item) {
  const auto row = rows_.empty() ? std::nullopt : rows_[asked.user];
  for (std::uint32_t j = 0; j < by_item.size(); ++j) {
    by_item[j] = row ? static_cast<double>(factors_.score(*row, ItemIx{j})) : visits_[j];
  }
}

void RandomLists::score(const Asked& asked, std::vector<double>& by_item) {
  const auto at = static_cast<std::uint64_t>(asked.at.time_since_epoch().count());
  Draws draws(plan().options().seed, Purpose::kWorld, at * 0x9E3779B97F4A7C15U + asked.user,
              kRandomList);
  for (double& score : by_item) score = draws.uniform();
}

}  // namespace headroom::sim
