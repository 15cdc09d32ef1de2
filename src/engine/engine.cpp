#include "headroom/engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "headroom/base/opening.hpp"
#include "headroom/engine/journal.hpp"

namespace headroom {

namespace {

RejectReason at_limit(std::string_view what) {
  return {RejectKind::kAtLimit,
          "no place for another " + std::string(what) + ", and none of those known may leave"};
}

// The memory of ids is fetched so many events ahead, and twice that.
constexpr std::size_t kAhead = 8;

}  // namespace

Engine::Engine(const EngineOptions& options, Workers& workers)
    : options_(options), workers_(workers), state_(options), finder_(state_.learner, workers) {}

Time Engine::now_for(const Batch& batch) const {
  return event_now(batch, reference(batch, state_.now, state_.agreement));
}

Outcome Engine::step(const Batch& batch) {
  const bool wall = options_.clock == ClockKind::kWall;
  Walk walk{batch, batch.now, {}, {}, {}, {}, 0, {}};
  if (wall) {
    advance(walk, batch.now);
  } else {
    walk.reference = reference(batch, state_.now, state_.agreement);
    if (state_.now && walk.reference < *state_.now) {
      state_.ledger.begin_anew();
      state_.pricing.begin_anew();
      state_.catalogue.begin_anew(state_.ledger.now());
      state_.ignored.begin_anew();
      state_.refresher.begin_anew();
    }
    state_.agreement.hear(batch);
  }
  state_.pricing.enter_if_due(batch.now);
  for (const Reject& undecoded : batch.rejects) reject(walk, undecoded);
  walk.ids.reserve(batch.arrivals.size());
  for (const Arrival& arrival : batch.arrivals) walk.ids.push_back(hash128(arrival.event.id));
  for (const Arrival& arrival : batch.arrivals) {
    if (walk.position + 2 * kAhead < walk.ids.size()) {
      state_.seen.fetch_ahead(walk.ids[walk.position + 2 * kAhead],
                              walk.ids[walk.position + kAhead]);
    }
    take(walk, arrival);
    ++walk.position;
  }
  answer_all(walk);
  state_.learner.flush();
  advance(walk, batch.now);
  price(state_.ledger.now(), batch.arrivals.size());
  refresh(walk);
  let_leave(walk);
  if (wall || std::any_of(batch.arrivals.begin(), batch.arrivals.end(),
                          [](const Arrival& arrival) { return moves_clock(arrival.event); })) {
    state_.now = batch.now;
  }
  state_.batch = batch.number;
  extend(state_.taken, batch.bounds);
  if (!walk.outcome.lists.empty()) state_.made.list = walk.outcome.lists.back().id;
  if (!walk.outcome.letters.empty()) state_.made.letter = walk.outcome.letters.back().id;
  return std::move(walk.outcome);
}

// Time in the step: under `wall` the batch's, under `event` that of the last event so far. An
// event's own time may be earlier; later than the clock it counts as now. Item records come before
// events that are older than they are, and move no clock.
void Engine::take(Walk& walk, const Arrival& arrival) {
  const Event& event = arrival.event;
  const bool wall = options_.clock == ClockKind::kWall;
  const bool is_item = !moves_clock(event);
  const Time latest = wall ? walk.batch.now + kFarOff : walk.batch.now;
  if (!is_item && (event.at < walk.reference - kFarOff || event.at > latest)) {
    reject(walk, arrival, {RejectKind::kFarTime, "timestamp: more than 7 days from the clock"});
    return;
  }
  const Hash128 id = walk.ids[walk.position];
  if (state_.seen.has(id)) {
    ++state_.counters.duplicates;
    return;
  }
  const bool is_ask = std::holds_alternative<Request>(event.what);
  if (!is_ask) answer_all(walk);
  const Time at = std::min(event.at, walk.batch.now);
  if (!wall && !is_ask && !is_item) advance(walk, at);
  const auto why =
      std::visit([&](const auto& what) { return observe(walk, what, at); }, event.what);
  if (why) {
    reject(walk, arrival, *why);
    return;
  }
  settle(walk);
  state_.seen.add(id);
  ++state_.counters.events;
}

std::optional<RejectReason> Engine::observe(Walk& walk, const CheckIn& what, Time at) {
  if (auto why = no_place_for(what.user, what.item)) return why;
  const ItemIx item = item_of(what.item);
  const UserIx user = user_of(what.user);
  state_.ignored.drop(user, item);
  const bool was_full = state_.ledger.full(item);
  const auto arrived = state_.ledger.arrive(user, item, what.party, at);
  if (arrived.followed_list) {
    note_end_of_list(user);
    learn_choice(user, *arrived.list, item);
  }
  lose(item, was_full);
  // Who comes as announced was learned from when that was said, who is here when they came.
  const bool known = arrived.renewed || (!arrived.organic && !arrived.followed_list);
  if (!known || what.value != 1.0F) {
    learn(walk, user, item, what.value, options_.weights.check_in);
  }
  return std::nullopt;
}

std::optional<RejectReason> Engine::observe(Walk& /*walk*/, const CheckOut& what, Time at) {
  const auto user = state_.users.find(what.user);
  const auto item = state_.items.find(what.item);
  if (user) hear(*user);
  if (user && item) state_.ledger.leave(*user, *item, at);
  return std::nullopt;
}

std::optional<RejectReason> Engine::observe(Walk& walk, const Feedback& what, Time at) {
  if (what.outcome == FeedbackOutcome::kFollow) {
    if (auto why = no_place_for(what.user, *what.item)) return why;
    const ItemIx item = item_of(*what.item);
    const UserIx user = user_of(what.user);
    follow(walk, user, item, what, at);
    note_end_of_list(user);
    return std::nullopt;
  }
  const auto user = state_.users.find(what.user);
  if (user) hear(*user);
  // Whatever it says, it shows that the list was seen.
  const auto list = parse_output_id('r', what.recommendation);
  const bool known = user && list && state_.ledger.seen(*user, *list);
  std::optional<ItemIx> item;
  if (what.item) item = state_.items.find(*what.item);
  if (!known || (what.item && !item)) {
    ++state_.counters.unknown_feedback;
    return std::nullopt;
  }
  ignore(walk, *user, item, *list, at);
  note_end_of_list(*user);
  return std::nullopt;
}

// A follow of a list never made changes no seat, but it tells of taste.
void Engine::follow(Walk& walk, UserIx user, ItemIx item, const Feedback& what, Time at) {
  state_.ignored.drop(user, item);
  const auto list = parse_output_id('r', what.recommendation);
  const bool was_full = state_.ledger.full(item);
  auto result = FollowResult::kUnknownList;
  if (list) result = state_.ledger.follow(user, *list, item, what.party, at);
  lose(item, was_full);
  if (result == FollowResult::kRepeated || result == FollowResult::kSameVisit) return;
  if (result == FollowResult::kTaken) {
    learn_choice(user, *list, item);
  } else {
    ++state_.counters.unknown_feedback;
  }
  learn(walk, user, item, 1.0F, options_.weights.follow);
}

void Engine::ignore(Walk& walk, UserIx user, std::optional<ItemIx> item, const OutputId& list,
                    Time at) {
  std::vector<ItemIx> ignored;
  for (const auto& place : state_.ledger.places(user, list)) {
    if (!item || place.item == *item) ignored.push_back(place.item);
  }
  if (item && ignored.empty()) {  // not on the list
    ++state_.counters.unknown_feedback;
    return;
  }
  if (!state_.ledger.ignore(user, list, item, at)) return;
  const float weight = options_.weights.ignore / static_cast<float>(ignored.size());
  for (std::uint32_t k = 0; k < ignored.size(); ++k) {
    state_.ignored.add(user, ignored[k], at, state_.ledger.now());
    learn(walk, user, ignored[k], -1.0F, weight, k);
  }
}

std::optional<RejectReason> Engine::observe(Walk& /*walk*/, const Impression& what, Time /*at*/) {
  const auto user = state_.users.find(what.user);
  const auto list = parse_output_id('r', what.recommendation);
  if (user) hear(*user);
  if (!user || !list || !state_.ledger.seen(*user, *list)) ++state_.counters.unknown_feedback;
  return std::nullopt;
}

// Consecutive asks wait for each other, to be looked for together.
std::optional<RejectReason> Engine::observe(Walk& walk, const Request& what, Time at) {
  auto user = state_.users.find(what.user);
  if (!user && !state_.full_of_users()) user = state_.add_user(what.user);
  if (user) state_.touch(*user);
  walk.asks.push_back({&what, at, user, true});
  return std::nullopt;
}

std::optional<RejectReason> Engine::observe(Walk& /*walk*/, const Forget& what, Time /*at*/) {
  if (const auto user = state_.users.find(what.user)) {
    state_.ledger.forget(*user);
    state_.remove(*user);
  }
  return std::nullopt;
}

std::optional<RejectReason> Engine::observe(Walk& /*walk*/, const ItemUpdate& what, Time /*at*/) {
  if (!what.time_zone.empty() && !is_time_zone(what.time_zone)) {
    return RejectReason{RejectKind::kOutOfRange,
                        "time_zone: '" + what.time_zone + "' is not in the IANA database here"};
  }
  if (!state_.items.find(what.item) && !state_.has_place_for_item()) return at_limit("item");
  const ItemIx item = item_of(what.item);
  const bool was_full = state_.ledger.full(item);
  state_.catalogue.put(item, what);
  state_.learner.place(item, what.position);
  // What is removed has no seats to give, but people may still be there.
  if (what.removed) {
    state_.ledger.set_item(item, std::nullopt, std::nullopt);
  } else {
    state_.ledger.set_item(item, what.capacity, what.dwell);
  }
  lose(item, was_full);
  return std::nullopt;
}

void Engine::advance(Walk& walk, Time to) {
  state_.ledger.advance(to);
  state_.catalogue.advance(state_.ledger.now());
  for (const ItemIx item : state_.catalogue.take_lost()) {
    state_.refresher.lost(item, RefreshCause::kGone);
  }
  for (const UserIx user : state_.refresher.advance()) note_end_of_list(user);
  settle(walk);
}

void Engine::lose(ItemIx item, bool was_full) {
  for (const ItemIx gone : state_.catalogue.take_lost()) {
    state_.refresher.lost(gone, RefreshCause::kGone);
  }
  if (!was_full && state_.ledger.full(item)) state_.refresher.lost(item, RefreshCause::kFull);
}

// What the ledger found out: who listened, and whose last list is over.
void Engine::settle(Walk& walk) {
  for (const Label& label : state_.ledger.take_labels()) {
    state_.listening.observe(label.user, label.followed, label.exposure, label.shown);
  }
  const auto idle = state_.take_idle();
  walk.passing.insert(walk.passing.end(), idle.begin(), idle.end());
}

// After all that the batch had to say, so that nobody gets two lists of one batch in vain.
void Engine::refresh(Walk& walk) {
  if (!options_.answers) return;
  for (const UserIx user : state_.refresher.take()) {
    Request& request = walk.repeats.emplace_back(state_.refresher.request(user));
    request.user = state_.users.name(user);
    walk.asks.push_back({&request, state_.ledger.now(), user, false});
  }
  answer_all(walk);
}

void Engine::reject(Walk& walk, const Arrival& arrival, RejectReason why) {
  Reject what;
  what.place = arrival.place;
  what.reason = std::move(why);
  what.bytes = arrival.bytes;
  reject(walk, std::move(what));
}

void Engine::reject(Walk& walk, Reject what) {
  ++state_.counters.rejects[static_cast<std::size_t>(what.reason.kind)];
  const auto k = static_cast<std::uint32_t>(walk.outcome.letters.size());
  walk.outcome.letters.push_back(
      {{options_.instance, options_.epoch, walk.batch.number, k}, walk.batch.now, std::move(what)});
}

// A user of whom nothing is remembered leaves with the last list.
void Engine::let_leave(Walk& walk) {
  for (const UserIx user : walk.passing) {
    if (state_.users.has(user) && !state_.learner.remembers(user) && state_.ledger.idle(user)) {
      state_.remove(user);
    }
  }
}

std::optional<RejectReason> Engine::no_place_for(std::string_view user, std::string_view item) {
  if (state_.full_of_users() && !state_.users.find(user) && !state_.has_place_for_user()) {
    return at_limit("user");
  }
  if (state_.full_of_items() && !state_.items.find(item) && !state_.has_place_for_item()) {
    return at_limit("item");
  }
  return std::nullopt;
}

UserIx Engine::user_of(std::string_view name) {
  const auto user = state_.users.find(name);
  if (!user) return state_.add_user(name).value();
  hear(*user);
  return *user;
}

// Of a request the refresher hears when it is answered, at its own time.
void Engine::hear(UserIx user) {
  state_.touch(user);
  state_.refresher.alive(user);
}

ItemIx Engine::item_of(std::string_view name) {
  const auto item = state_.items.find(name);
  if (!item) return state_.add_item(name).value();
  state_.touch(*item);
  return *item;
}

}  // namespace headroom
