#pragma once

#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "support/arrivals.hpp"
#include "support/numbered.hpp"

namespace headroom::test {

inline constexpr Time kMidnight{std::chrono::days(20000)};

// "12:00" or "12:00:30" of the first day; "+1 12:00" of the next.
inline Time at_clock(std::string_view text) {
  const auto number = [&](char mark) {
    int value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) throw std::invalid_argument("no time of day");
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (mark != '\0') text.remove_prefix(1);
    return value;
  };
  Time time = kMidnight;
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    time += std::chrono::days(number(' '));
  }
  time += std::chrono::hours(number(':'));
  time += std::chrono::minutes(number(text.size() > 2 ? ':' : '\0'));
  if (!text.empty()) time += std::chrono::seconds(number('\0'));
  return time;
}

inline Capacity seats(double limit) { return {CapacityKind::kSeats, limit, {}}; }
inline Capacity stock(double limit) { return {CapacityKind::kStock, limit, {}}; }
inline Capacity rate(double limit, int minutes) {
  return {CapacityKind::kRate, limit, std::chrono::minutes(minutes)};
}

// Everyone listens to every second list, until lists have shown otherwise, and may take any place
// of it; rooms are by the plain rule: they can be counted on fingers.
inline EngineOptions story_options() {
  EngineOptions options;
  options.ledger.rule = RoomRule::kNow;
  options.listening.prior_mean = 0.5F;
  options.allot.policy = Policy::kGreedy;
  options.allot.holding = Holding::kWhole;
  return options;
}

// A small town to tell stories in: events go in one by one, each a batch of its own unless told
// together(), and what comes out is looked at. Under the wall clock the batch's time is at().
class World {
 public:
  explicit World(const EngineOptions& options = story_options(), std::size_t threads = 1)
      : workers_(threads), engine_(options, workers_) {}

  World& at(std::string_view clock) {
    time_ = at_clock(clock);
    return *this;
  }
  World& id(std::string id) {  // of the next event
    next_id_ = std::move(id);
    return *this;
  }

  Outcome item(const std::string& name, std::optional<Capacity> capacity = {}) {
    ItemUpdate image;
    image.item = name;
    image.capacity = capacity;
    return send(image);
  }
  Outcome item(const std::string& name, const std::function<void(ItemUpdate&)>& change) {
    ItemUpdate image;
    image.item = name;
    change(image);
    return send(image);
  }
  Outcome check_in(const std::string& user, const std::string& item,
                   std::optional<Party> party = {}, float value = 1.0F) {
    return send(CheckIn{user, item, value, party});
  }
  Outcome check_out(const std::string& user, const std::string& item) {
    return send(CheckOut{user, item});
  }
  RankedList request(const std::string& user, std::uint16_t n = 10, Party party = 1) {
    Outcome outcome = send(Request{user, n, party, {}});
    return outcome.lists.empty() ? RankedList{} : std::move(outcome.lists.front());
  }
  Outcome follow(const std::string& user, const OutputId& list, const std::string& item,
                 std::optional<Party> party = {}) {
    return send(Feedback{user, to_text('r', list), item, FeedbackOutcome::kFollow, party});
  }
  Outcome ignore(const std::string& user, const OutputId& list,
                 std::optional<std::string> item = {}) {
    return send(Feedback{user, to_text('r', list), std::move(item), FeedbackOutcome::kIgnore, {}});
  }
  Outcome impression(const std::string& user, const OutputId& list) {
    return send(Impression{user, to_text('r', list)});
  }
  Outcome forget(const std::string& user) { return send(Forget{user}); }
  Outcome tick() { return step({}); }

  template <class What>
  Outcome send(What what) {
    const std::string id = next_id_.empty() ? numbered("e-", ++events_) : next_id_;
    next_id_.clear();
    auto record =
        arrival(time_, id, std::move(what),
                {std::is_same_v<What, ItemUpdate> ? Topic::kItems : Topic::kEvents, 0, ++offset_});
    if (gathering_) {
      gathered_.arrivals.push_back(std::move(record));
      return {};
    }
    Batch batch;
    batch.arrivals.push_back(std::move(record));
    return step(std::move(batch));
  }

  // What is sent inside is one batch.
  Outcome together(const std::function<void()>& send_all) {
    gathering_ = true;
    send_all();
    gathering_ = false;
    return step(std::exchange(gathered_, {}));
  }

  Outcome step(Batch batch) {
    put_in_order(batch);
    batch.number = engine_.state().batch + 1;
    batch.now = engine_.options().clock == ClockKind::kWall ? time_ : engine_.now_for(batch);
    return engine_.step(batch);
  }

  // What the engine knows.
  State& state() { return engine_.state(); }
  Engine& engine() { return engine_; }
  Time time() const { return time_; }
  ItemIx ix(const std::string& item) { return state().items.find(item).value(); }
  UserIx user_ix(const std::string& user) { return state().users.find(user).value(); }
  bool knows_user(const std::string& user) { return state().users.find(user).has_value(); }
  bool knows_item(const std::string& item) { return state().items.find(item).has_value(); }
  float room(const std::string& item) { return state().ledger.room(ix(item)); }
  Book book(const std::string& item) { return state().ledger.book(ix(item)); }
  float score(const std::string& user, const std::string& item) {
    return state().learner.score(user_ix(user), ix(item));
  }
  const Counters& counters() { return state().counters; }
  float listening(const std::string& user) {
    return state().listening.mean(user_ix(user), state().ledger.now());
  }

 private:
  Workers workers_;
  Engine engine_;
  Time time_ = at_clock("12:00");
  std::uint64_t events_ = 0, offset_ = 0;
  std::string next_id_;
  bool gathering_ = false;
  Batch gathered_;
};

inline std::vector<std::string> names(const RankedList& list) {
  std::vector<std::string> all;
  for (const ListedItem& place : list.items) all.push_back(place.item);
  return all;
}

}  // namespace headroom::test
