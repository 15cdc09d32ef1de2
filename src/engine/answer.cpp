#include <algorithm>
#include <string>

#include "headroom/engine/engine.hpp"
#include "headroom/rank/allot.hpp"

namespace headroom {

namespace {

// Why there are fewer items than asked for; empty if there are not.
std::string why_short(const Choice& choice, std::size_t n, std::size_t known, bool at_limit) {
  if (choice.picks.size() == n && !at_limit) return {};
  std::string why;
  const auto add = [&](const std::string& words) { why += (why.empty() ? "" : "; ") + words; };
  const auto count = [&](const char* of, std::size_t n_of) {
    add(std::string("items ") + of + ": " + std::to_string(n_of));
  };
  if (at_limit) add("too many users are known: only items without capacity");
  if (choice.picks.size() == n) return why;
  if (known == 0) {
    add("no item is known yet");
    return why;
  }
  if (choice.full > 0) count(at_limit ? "with a capacity" : "without room", choice.full);
  if (choice.offered < known) count("closed, hidden or removed", known - choice.offered);
  if (choice.offered < n) count("to choose from", choice.offered);
  return why;
}

}  // namespace

void Engine::answer(Walk& walk, const Ask& ask, std::span<const float> scores) {
  if (options_.clock == ClockKind::kEvent) advance(walk, ask.at);
  const Time at = state_.ledger.now();  // an ask that came late is answered now
  RankedList list;
  list.id = {options_.instance, options_.epoch, walk.batch.number,
             static_cast<std::uint32_t>(walk.outcome.lists.size())};
  list.at = at;
  list.user = ask.request->user;
  list.valid_until = at + options_.ledger.window;
  list.policy = "greedy";
  list.listen_propensity =
      ask.user ? state_.listening.mean(*ask.user, at) : state_.listening.prior().mean;
  const float seats =
      ask.user ? list.listen_propensity * static_cast<float>(ask.request->party) : 0;

  if (ask.user) list.replaces = state_.ledger.replace(*ask.user, at);
  const auto offered = state_.catalogue.offered();
  const std::size_t n = ask.request->n;
  const Choice choice = ask.user ? allot(scores, offered, state_.ledger, seats, n)
                                 : allot_unlimited(scores, offered, state_.ledger, n);
  list.reason = why_short(choice, n, state_.items.size(), !ask.user);
  std::vector<HeldPlace> places;
  for (const Scored& pick : choice.picks) {
    list.items.push_back({state_.items.name(pick.item), pick.score, 0.0F, 1.0F, seats,
                          state_.ledger.room(pick.item)});
    places.push_back({pick.item, seats});
  }
  if (ask.user) state_.ledger.show(*ask.user, list.id, ask.request->party, places, at);
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
  state_.ledger.replace(user, at);
  std::vector<HeldPlace> places;
  for (const ListedItem& listed : list.items) {
    const auto item = state_.items.find(listed.item);
    if (item) places.push_back({*item, std::min(listed.held, state_.ledger.room(*item))});
  }
  state_.ledger.show(user, list.id, party, places, at);
  ++state_.counters.lists;
}

}  // namespace headroom
