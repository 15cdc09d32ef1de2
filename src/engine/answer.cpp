#include <algorithm>
#include <utility>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "headroom/engine/reason.hpp"
#include "headroom/rank/allot.hpp"

namespace headroom {

Filter Engine::filter_for(const Ask& ask, Time at) const {
  Filter filter;
  const ListOptions& lists = options_.lists;
  if (ask.request->position && lists.most_km > 0) {
    filter.reach(*ask.request->position, lists.most_km, state_.catalogue.points());
  }
  if (!ask.user) return filter;
  filter.ignore(state_.ignored.items(*ask.user, at));
  if (lists.visited == Visited::kShow) return filter;
  std::vector<ItemIx> visited = state_.learner.visited(*ask.user);
  if (lists.visited == Visited::kHideBought) {
    std::erase_if(visited, [&](ItemIx item) { return !state_.catalogue.is_stock(item); });
  }
  filter.hide_visited(std::move(visited));
  return filter;
}

Terms Engine::terms() const {
  return {{state_.catalogue.offered(), state_.ledger, state_.calibration, state_.choice,
           state_.pricing.prices(), state_.pricing.cutoffs()},
          options_.allot};
}

// What the finder has not heard of yet.
void Engine::renew_finder() {
  for (const auto& rows : {state_.ledger.take_changed(), state_.catalogue.take_changed()}) {
    finder_.renew(terms(), state_.pricing.version(), rows);
  }
}

// As it will be answered, but for the seats: who listens may be known better by then.
Asking Engine::asking_of(const Ask& ask, Time at, std::uint64_t list) const {
  Asking asking;
  asking.user = ask.user.value_or(kNobody);
  asking.n = ask.request->n;
  asking.seats = listen_propensity(ask, at) * static_cast<float>(ask.request->party);
  asking.may_hold = ask.user.has_value();
  asking.filter = filter_for(ask, at);
  asking.certified = asking.may_hold && state_.pricing.certifies(list, state_.learner.items());
  return asking;
}

float Engine::listen_propensity(const Ask& ask, Time at) const {
  return ask.user ? state_.listening.mean(*ask.user, at) : state_.listening.prior().mean;
}

// Scores depend on nothing that answering changes, so many asks are looked for at once.
void Engine::answer_all(Walk& walk) {
  if (!options_.answers) walk.asks.clear();
  if (walk.asks.empty()) return;
  state_.learner.line_up();
  std::vector<Asking> askings;
  for (std::size_t done = 0; done < walk.asks.size(); done += askings.size()) {
    askings.clear();
    Time at = state_.ledger.now();
    const std::size_t end = std::min(walk.asks.size(), done + kAsksAtOnce * workers_.threads());
    for (std::size_t n = done; n < end; ++n) {
      if (options_.clock == ClockKind::kEvent) at = std::max(at, walk.asks[n].at);
      askings.push_back(asking_of(walk.asks[n], at, state_.counters.lists + askings.size()));
    }
    renew_finder();
    finder_.look(terms(), askings, state_.pricing.frozen());
    for (std::size_t n = done; n < end; ++n)
      answer(walk, walk.asks[n], askings[n - done], n - done);
  }
  walk.asks.clear();
}

// Everyone's demand counts in the certificate, for every item, full or not.
void Engine::certify(const Asking& asking, std::size_t place, const Choice& choice, Time at) {
  double chances = 0.0;
  for (const Pick& pick : choice.picks) chances += static_cast<double>(pick.chance);
  const double people = static_cast<double>(asking.seats);
  std::optional<Pricing::Most> most;
  if (asking.certified) {
    const Finder::Worth worth = finder_.most_worth(terms(), place, asking);
    most = {people * worth.priced, people * worth.free};
    if (options_.allot.holding == Holding::kWhole) state_.pricing.holds(asking.user, *most, at);
  }
  state_.pricing.made(people * chances, most);
}

void Engine::note_end_of_list(UserIx user) {
  if (!state_.ledger.open_list(user)) state_.pricing.ended(user, state_.ledger.now());
}

void Engine::answer(Walk& walk, const Ask& ask, Asking& asking, std::size_t place) {
  if (options_.clock == ClockKind::kEvent) advance(walk, ask.at);
  const Time at = state_.ledger.now();  // an ask that came late is answered now
  RankedList list;
  list.id = {options_.instance, options_.epoch, walk.batch.number,
             static_cast<std::uint32_t>(walk.outcome.lists.size())};
  list.at = at;
  list.user = ask.request->user;
  list.valid_until = at + options_.ledger.window;
  list.policy = to_string(options_.allot.policy);
  list.listen_propensity = listen_propensity(ask, at);

  if (ask.user) {
    list.replaces = state_.ledger.replace(*ask.user, at);
    note_end_of_list(*ask.user);
  }
  if (!ask.asked) {
    list.replaces = state_.refresher.last_list(*ask.user);  // even if it is over
    list.valid_until = std::min(list.valid_until, state_.refresher.active_until(*ask.user));
  }
  asking.seats = list.listen_propensity * static_cast<float>(ask.request->party);
  renew_finder();
  const Terms terms = this->terms();
  const Choice choice = allot(asking, terms, [&](std::size_t most, float share) {
    return finder_.best(terms, place, asking, most, share);
  });
  const Shortage shortage{asking.n,  choice.picks.size(), state_.items.size(),
                          !ask.user, choice.offered,      choice.full};
  list.reason = why_short(shortage, asking.filter, state_.catalogue);
  std::vector<HeldPlace> places;
  for (const Pick& pick : choice.picks) {
    list.items.push_back(
        {state_.items.name(pick.item), pick.chance, pick.price, 1.0F, pick.held, pick.room});
    places.push_back({pick.item, pick.held, pick.expected});
  }
  if (ask.user) {
    state_.ledger.show(*ask.user, list.id, ask.request->party, places, at, ask.asked);
    state_.refresher.shown(*ask.user, *ask.request, places, ask.asked);
    if (ask.asked) state_.pricing.asked(*ask.user, ask.request->n, ask.request->party, at);
    certify(asking, place, choice, at);
  }
  ++state_.counters.lists;
  if (list.items.empty()) ++state_.counters.empty_lists;
  walk.outcome.lists.push_back(std::move(list));
  settle(walk);
}

void Engine::recall(const RankedList& list, Party party) {
  if (no_place_for(list.user, {})) return;
  const UserIx user = user_of(list.user);
  const Time at = std::max(list.at, state_.ledger.now());
  state_.ledger.advance(at);
  state_.catalogue.advance(at);
  state_.ledger.replace(user, at);
  std::vector<HeldPlace> places;
  for (const ListedItem& listed : list.items) {
    const auto item = state_.items.find(listed.item);
    if (item) places.push_back({*item, std::min(listed.held, state_.ledger.room(*item))});
  }
  state_.ledger.show(user, list.id, party, places, at);
  const auto n = static_cast<std::uint16_t>(std::max<std::size_t>(1, list.items.size()));
  state_.refresher.shown(user, {list.user, n, party, {}}, places, true);
  ++state_.counters.lists;
}

}  // namespace headroom
