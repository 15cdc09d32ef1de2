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

Shelf Engine::shelf() const {
  return {state_.catalogue.offered(), state_.ledger,           state_.calibration, state_.choice,
          state_.pricing.prices(),    state_.pricing.cutoffs()};
}

// Everyone's demand counts in the certificate, for every item, full or not.
void Engine::certify(UserIx user, const Asking& asking, const Choice& choice, Time at) {
  double chances = 0.0;
  for (const Pick& pick : choice.picks) chances += static_cast<double>(pick.chance);
  const double people = static_cast<double>(asking.seats);
  std::optional<Pricing::Most> most;
  if (state_.pricing.certifies(state_.counters.lists, asking.scores.size())) {
    most = {people * most_worth(asking, shelf(), state_.pricing.frozen()),
            people * most_worth(asking, shelf(), {})};
    if (options_.allot.holding == Holding::kWhole) state_.pricing.holds(user, *most, at);
  }
  state_.pricing.made(people * chances, most);
}

void Engine::note_end_of_list(UserIx user) {
  if (!state_.ledger.open_list(user)) state_.pricing.ended(user, state_.ledger.now());
}

void Engine::answer(Walk& walk, const Ask& ask, std::span<const float> scores) {
  if (options_.clock == ClockKind::kEvent) advance(walk, ask.at);
  const Time at = state_.ledger.now();  // an ask that came late is answered now
  RankedList list;
  list.id = {options_.instance, options_.epoch, walk.batch.number,
             static_cast<std::uint32_t>(walk.outcome.lists.size())};
  list.at = at;
  list.user = ask.request->user;
  list.valid_until = at + options_.ledger.window;
  list.policy = to_string(options_.allot.policy);
  list.listen_propensity =
      ask.user ? state_.listening.mean(*ask.user, at) : state_.listening.prior().mean;

  if (ask.user) {
    list.replaces = state_.ledger.replace(*ask.user, at);
    note_end_of_list(*ask.user);
  }
  if (!ask.asked) {
    list.replaces = state_.refresher.last_list(*ask.user);  // even if it is over
    list.valid_until = std::min(list.valid_until, state_.refresher.active_until(*ask.user));
  }
  Asking asking;
  asking.scores = scores;
  asking.n = ask.request->n;
  asking.seats = list.listen_propensity * static_cast<float>(ask.request->party);
  asking.may_hold = ask.user.has_value();
  asking.filter = filter_for(ask, at);
  const Choice choice = allot(asking, shelf(), options_.allot);
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
    certify(*ask.user, asking, choice, at);
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
