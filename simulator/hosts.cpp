#include "simulator/hosts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headroom::sim {

namespace {

std::string numbered(char kind, std::uint32_t number) {
  return std::string(1, kind) + std::to_string(number);
}
std::uint32_t number_in(const std::string& name) {
  return static_cast<std::uint32_t>(std::stoul(name.substr(1)));
}

}  // namespace

// --- The engine ---

namespace {

// Nobody in the town looks at a list that was not asked for.
EngineOptions without_refreshes(EngineOptions options) {
  options.refresh.per_second = 0;
  return options;
}

}  // namespace

EngineHost::EngineHost(const EngineOptions& options, Workers& workers, const WorldOptions& world,
                       std::chrono::minutes longest_stay)
    : engine_(without_refreshes(options), workers), places_(world.places) {
  for (std::uint32_t j = 0; j < world.capacity.size(); ++j) {
    ItemUpdate item;
    item.item = numbered('i', j);
    item.capacity = Capacity{CapacityKind::kSeats, world.capacity[j], {}};
    item.dwell = longest_stay;
    send(Time{}, std::move(item));
  }
}

template <class What>
void EngineHost::send(Time at, What what) {
  Arrival arrival;
  arrival.place.topic = std::is_same_v<What, ItemUpdate> ? Topic::kItems : Topic::kEvents;
  arrival.place.offset = ++events_;
  arrival.event = {at, "e" + std::to_string(events_), std::move(what)};
  batch_.arrivals.push_back(std::move(arrival));
}

void EngineHost::ask(std::uint32_t user, Time at) {
  send(at, Request{numbered('u', user), static_cast<std::uint16_t>(places_), 1, {}});
}
void EngineHost::follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) {
  send(at, Feedback{numbered('u', user),
                    to_text('r', list),
                    numbered('i', item),
                    FeedbackOutcome::kFollow,
                    {}});
}
void EngineHost::check_in(std::uint32_t user, std::uint32_t item, Time at) {
  send(at, CheckIn{numbered('u', user), numbered('i', item), 1.0F, {}});
}
void EngineHost::check_out(std::uint32_t user, std::uint32_t item, Time at) {
  send(at, CheckOut{numbered('u', user), numbered('i', item)});
}

std::vector<Host::Served> EngineHost::settle(Time now) {
  Batch batch = std::exchange(batch_, {});
  batch.number = engine_.state().batch + 1;
  batch.now = now;
  put_in_order(batch);
  std::vector<Served> served;
  for (const RankedList& list : engine_.step(batch).lists) {
    Served& one = served.emplace_back(Served{number_in(list.user), list.id, {}});
    for (const ListedItem& place : list.items) one.items.push_back(number_in(place.item));
  }
  return served;
}

// --- The ledger alone ---

LedgerHost::LedgerHost(const LedgerOptions& options, const WorldOptions& options_of_world,
                       const World& world, std::chrono::minutes longest_stay)
    : world_(world),
      options_(options_of_world),
      ledger_(options, watch_),
      listening_(ListeningOptions{}, watch_) {
  for (std::uint32_t j = 0; j < options_.capacity.size(); ++j) {
    ledger_.set_item(ItemIx{j}, Capacity{CapacityKind::kSeats, options_.capacity[j], {}},
                     longest_stay);
  }
}

void LedgerHost::listen() {
  for (const Label& label : ledger_.take_labels()) {
    listening_.observe(label.user, label.followed, label.exposure, label.shown);
  }
}

void LedgerHost::follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) {
  ledger_.advance(at);
  ledger_.follow(UserIx{user}, list, ItemIx{item}, {}, at);
}
void LedgerHost::check_in(std::uint32_t user, std::uint32_t item, Time at) {
  ledger_.advance(at);
  ledger_.arrive(UserIx{user}, ItemIx{item}, {}, at);
}
void LedgerHost::check_out(std::uint32_t user, std::uint32_t item, Time at) {
  ledger_.advance(at);
  ledger_.leave(UserIx{user}, ItemIx{item}, at);
}

Host::Served LedgerHost::serve(std::uint32_t user, Time now) {
  const UserIx ix{user};
  ledger_.replace(ix, now);
  const double p = listening_.mean(ix, now);
  std::vector<std::uint32_t> order(options_.capacity.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<double> score(order.size());
  for (const std::uint32_t j : order) score[j] = world_.taste(user, j);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return score[a] > score[b]; });
  // Who does not fit is left out and the next one tried; if that goes on too long the list is
  // shortened.
  std::vector<std::uint32_t> picks;
  std::vector<HeldPlace> places;
  std::size_t next = 0;
  for (std::size_t round = 0; round < order.size(); ++round) {
    while (picks.size() < options_.places && next < order.size()) {
      if (ledger_.room(ItemIx{order[next]}) > 0.0F) picks.push_back(order[next]);
      ++next;
    }
    double sum = 0.0;
    for (std::size_t r = 0; r < picks.size(); ++r)
      sum += std::pow(static_cast<double>(r + 1), -options_.rank_weight);
    places.clear();
    std::size_t worst = picks.size();
    for (std::size_t r = 0; r < picks.size(); ++r) {
      const ItemIx item{picks[r]};
      const auto expected =
          static_cast<float>(p * std::pow(static_cast<double>(r + 1), -options_.rank_weight) / sum);
      places.push_back({item, std::min(1.0F, expected * ledger_.factor(item)), expected});
      if (places[r].seats > ledger_.room(item)) worst = r;
    }
    if (worst == picks.size()) break;
    picks.erase(picks.begin() + static_cast<std::ptrdiff_t>(worst));
    places.clear();
  }
  Served served{user, {0, 1, ++lists_, 0}, {}};
  for (const HeldPlace& place : places) {
    served.items.push_back(static_cast<std::uint32_t>(place.item));
  }
  ledger_.show(ix, served.list, 1, places, now);
  return served;
}

std::vector<Host::Served> LedgerHost::settle(Time now) {
  ledger_.advance(now);
  listen();
  std::vector<Served> served;
  for (const Ask& ask : std::exchange(asked_, {})) served.push_back(serve(ask.user, now));
  ledger_.take_idle_users();
  ledger_.take_idle_items();
  return served;
}

}  // namespace headroom::sim
