#include "simulator/list_servers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "headroom/base/random.hpp"
#include "simulator/pair_key.hpp"

namespace headroom::sim {

EngineServer::EngineServer(const Dataset& data, const EngineOptions& engine,
                           const ServerOptions& options, std::span<const float> capacity,
                           Workers& workers, KafkaRoad* road)
    : data_(data),
      options_(options),
      books_(obeys_room(engine.allot.policy)),
      engine_(data, engine, workers, capacity, ClockKind::kWall, road) {}

const MadeList& EngineServer::serve(const Interaction& event) {
  const Outcome outcome =
      engine_.step(engine_.batch_of_visit(event, options_.places, options_.stays));
  const RankedList& made = outcome.lists.at(0);
  const State& state = std::as_const(engine_).engine().state();
  const UserIx user = state.users.find(data_.users[index(event.user)]).value();
  list_.listen = made.listen_propensity;
  list_.items.clear();
  list_.people.clear();
  list_.chances.clear();
  const auto places = state.ledger.places(user, made.id);
  for (std::size_t n = 0; n < places.size(); ++n) {
    list_.items.push_back(places[n].item);
    // Where full items are shown, what a place books is cut to the room, and not whom it brings.
    list_.people.push_back(books_ ? made.items[n].held : places[n].expected);
    list_.chances.push_back(made.items[n].score);
  }
  return list_;
}

std::optional<Certificate> EngineServer::certificate() const {
  return std::as_const(engine_).engine().state().pricing.certificate();
}

std::vector<float> EngineServer::usage() {
  engine_.engine().expect_usage();
  const auto usage = engine_.engine().state().pressure.usage();
  return {usage.begin(), usage.end()};
}

PlainServer::PlainServer(const Dataset& /*data*/, const ServerOptions& options)
    : options_(options), listening_(options.listening, watch_) {}

const MadeList& PlainServer::serve(const Interaction& event) {
  list_.items.clear();
  choose(event, list_.items);
  list_.listen = listening_.mean(event.user, event.at);
  const float share = options_.holding == Holding::kWhole
                          ? 1.0F
                          : 1.0F / static_cast<float>(std::max<std::size_t>(1, list_.items.size()));
  list_.people.assign(list_.items.size(), list_.listen * share);
  const bool hit =
      std::find(list_.items.begin(), list_.items.end(), event.item) != list_.items.end();
  listening_.observe(event.user, hit, 1.0F, event.at);
  if (options_.hide_visited) visited_.insert(pair_key(event.user, event.item));
  learn(event);
  return list_;
}

bool PlainServer::may_show(UserIx user, ItemIx item) const {
  return !visited_.contains(pair_key(user, item));
}

PopularServer::PopularServer(const Dataset& data, const ServerOptions& options)
    : PlainServer(data, options),
      counts_(data.items.size()),
      order_(data.items.size()),
      places_(data.items.size()) {
  for (std::uint32_t j = 0; j < order_.size(); ++j) order_[j] = ItemIx{j};
  std::iota(places_.begin(), places_.end(), 0U);
}

void PopularServer::choose(const Interaction& event, std::vector<ItemIx>& items) {
  for (const ItemIx item : order_) {
    if (items.size() == options().places) return;
    if (may_show(event.user, item)) items.push_back(item);
  }
}

// It goes before the first that has as few as it had.
void PopularServer::learn(const Interaction& event) {
  const std::uint64_t count = counts_[index(event.item)]++;
  const std::uint32_t from = places_[index(event.item)];
  const auto first = std::partition_point(order_.begin(), order_.begin() + from, [&](ItemIx item) {
    return counts_[index(item)] > count;
  });
  std::swap(places_[index(*first)], places_[index(event.item)]);
  std::swap(*first, order_[from]);
}

RandomServer::RandomServer(const Dataset& data, const ServerOptions& options)
    : PlainServer(data, options), items_(static_cast<std::uint32_t>(data.items.size())) {}

void RandomServer::choose(const Interaction& event, std::vector<ItemIx>& items) {
  Draws draws(options().seed, Purpose::kOrder, lists_++);
  // Who has nearly everything gets a shorter list.
  const std::size_t tries = 50 * options().places;
  for (std::size_t n = 0; n < tries && items.size() < options().places; ++n) {
    const ItemIx item{draws.below(items_)};
    const bool listed = std::find(items.begin(), items.end(), item) != items.end();
    if (!listed && may_show(event.user, item)) items.push_back(item);
  }
}

void ListTrace::add(const MadeList& list) {
  listen.push_back(list.listen);
  counts.push_back(static_cast<std::uint32_t>(list.items.size()));
  items.insert(items.end(), list.items.begin(), list.items.end());
  people.insert(people.end(), list.people.begin(), list.people.end());
}

const MadeList& TraceServer::serve(const Interaction& /*event*/) {
  const auto from = static_cast<std::ptrdiff_t>(place_);
  place_ += trace_.counts[event_];
  const auto to = static_cast<std::ptrdiff_t>(place_);
  list_.listen = trace_.listen[event_++];
  list_.items.assign(trace_.items.begin() + from, trace_.items.begin() + to);
  list_.people.assign(trace_.people.begin() + from, trace_.people.begin() + to);
  return list_;
}

std::vector<float> TraceServer::usage() {
  std::vector<float> usage = trace_.usage.at(looks_++);
  for (float& value : usage) value *= static_cast<float>(unit_);
  return usage;
}

}  // namespace headroom::sim
