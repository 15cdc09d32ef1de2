#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "support/naive_book.hpp"

namespace headroom::test {

// Someone outside who sees only what goes into the engine and what comes out of it, keeps the naive
// book of it, and checks every place of every list against that. Users are u0, u1, ..., items i0,
// i1, .... Who leaves at a limit has nothing in any book: whatever the book says of an item must
// still hold when it comes back.
class SeatObserver {
 public:
  struct Tally {
    std::uint64_t events = 0, lists = 0, refreshes = 0, places = 0, short_lists = 0, full = 0,
                  strangers = 0;
    std::uint64_t violations = 0;     // a place that holds more than the room
    std::uint64_t disagreements = 0;  // anything else that is not as the book has it
    double worst = 0.0;               // difference of rooms, in seats
    std::string first;                // trouble, in words
  };

  SeatObserver(const EngineOptions& options, int items)
      : wall_(options.clock == ClockKind::kWall),
        whole_(options.allot.holding == Holding::kWhole),
        obeys_(options.allot.policy == Policy::kGreedy || options.allot.policy == Policy::kPrice),
        book_(options.ledger.window, options.ledger.way, options.ledger.dwell,
              options.ledger.memory, items),
        active_(options.refresh.active),
        items_leave_(options.most_items < static_cast<std::size_t>(items)),
        offered_(static_cast<std::size_t>(items), true),
        described_(static_cast<std::size_t>(items), false),
        tables_(options.ledger.window, options.ledger.way) {
    book_.rule = options.ledger.rule;
    book_.risk = static_cast<double>(options.ledger.risk);
  }

  // With the tables as they are after the batch. They may change at most once in it: each list was
  // made by these or by those of the batch before. Under the rule `ahead` and the event clock a
  // batch therefore holds one moment only.
  void watch(const Batch& batch, const Outcome& outcome, const State& state) {
    before_ = std::exchange(tables_, state.ledger.outlook());
    levels_before_ = book_.levels;
    for (std::size_t j = 0; j < book_.levels.size(); ++j) {
      const auto item = state.items.find("i" + std::to_string(j));
      book_.levels[j] = item ? state.ledger.level(*item) : std::uint8_t{0};
    }
    book_.tables = &tables_;
    std::map<headroom::Place, RejectKind> rejected;
    for (const DeadLetter& letter : outcome.letters) {
      rejected[letter.reject.place] = letter.reject.reason.kind;
    }
    auto list = outcome.lists.begin();
    if (wall_) advance(batch.now);
    if (!wall_ && batch.now < book_.now) begin_anew();  // the first records were wrong
    for (const Arrival& arrival : batch.arrivals) {
      const auto letter = rejected.find(arrival.place);
      const bool taken = letter == rejected.end();
      if (!taken && letter->second != RejectKind::kAtLimit) continue;  // its time is not believed
      if (taken && !seen_.insert(arrival.event.id).second) continue;
      const Time at = std::min(arrival.event.at, batch.now);
      const bool is_item = std::holds_alternative<ItemUpdate>(arrival.event.what);
      if (!wall_ && !is_item) advance(at);
      if (!taken) continue;
      ++tally_.events;
      see(arrival.event);
      if (const auto* request = std::get_if<Request>(&arrival.event.what)) {
        if (list == outcome.lists.end()) return object("a request has no list", batch);
        requests_[request->user] = *request;
        check(batch, *request, *list++, true);
      } else {
        std::visit([&](const auto& what) { take(what, at); }, arrival.event.what);
      }
    }
    advance(batch.now);
    for (; list != outcome.lists.end(); ++list) refresh(batch, *list);
    book_.said.clear();
  }

  const Tally& tally() const { return tally_; }

 private:
  static constexpr double kClose = 1e-3;  // of a seat, or of the room
  static double allowed(double room) { return std::max(kClose, kClose * room); }

  // By the tables of this batch and, where they are others, of the one before.
  std::pair<double, double> rooms_of(int j) {
    const double after = book_.room(j);
    if (before_.fitted_at() == tables_.fitted_at()) return {after, after};
    // An image of this batch may have named a stay of a class that was not known before it.
    if (book_.items[static_cast<std::size_t>(j)].capacity) before_.course_of(book_.limit(j));
    book_.tables = &before_;
    std::swap(book_.levels, levels_before_);
    const double before = book_.room(j);
    book_.tables = &tables_;
    std::swap(book_.levels, levels_before_);
    return {before, after};
  }
  // By those with which it is nearer to what was told.
  double room_of(int j, double told) {
    const auto [before, after] = rooms_of(j);
    return std::abs(before - told) < std::abs(after - told) ? before : after;
  }

  static int number(const std::string& name) { return std::stoi(name.substr(1)); }
  static std::optional<int> people(std::optional<Party> party) {
    return party ? std::optional<int>(*party) : std::nullopt;
  }

  // A list that nobody asked for or has seen holds its seats only while its user is active.
  void advance(Time now) {
    book_.advance(now);
    for (const auto& list : book_.lists) {
      if (list.exposed || list.closes <= book_.now) continue;
      if (seen_at_[list.user] + active_ <= book_.now) book_.replace(list.user, book_.now);
    }
  }
  void begin_anew() {
    book_.begin_anew();
    seen_at_.clear();
    requests_.clear();
  }
  void see(const Event& event) {
    std::visit(
        [&](const auto& what) {
          if constexpr (requires { what.user; }) seen_at_[number(what.user)] = book_.now;
        },
        event.what);
  }

  // The last request again, of someone who is active.
  void refresh(const Batch& batch, const RankedList& list) {
    ++tally_.refreshes;
    const auto request = requests_.find(list.user);
    if (request == requests_.end()) return object("a list for someone who never asked", batch);
    if (seen_at_[number(list.user)] + active_ <= book_.now) object("a list for nobody", batch);
    check(batch, request->second, list, false);
  }

  void take(const CheckIn& what, Time at) {
    book_.arrive(number(what.user), number(what.item), people(what.party), at);
  }
  void take(const CheckOut& what, Time at) {
    book_.leave(number(what.user), number(what.item), at);
  }
  void take(const Feedback& what, Time at) {
    const auto list = parse_output_id('r', what.recommendation);
    if (!list) return;
    const int user = number(what.user);
    if (what.outcome == FeedbackOutcome::kFollow) {
      book_.follow(user, *list, number(*what.item), people(what.party), at);
    } else {
      book_.seen(user, *list);
      book_.ignore(user, *list, what.item ? std::optional(number(*what.item)) : std::nullopt, at);
    }
  }
  void take(const Impression& what, Time) {
    const auto list = parse_output_id('r', what.recommendation);
    if (list) book_.seen(number(what.user), *list);
  }
  void take(const Request&, Time) {}
  void take(const Forget& what, Time) { book_.forget(number(what.user)); }
  void take(const ItemUpdate& what, Time) {
    const int j = number(what.item);
    if (what.removed) {
      book_.set(j, {}, {});
    } else {
      book_.set(j, what.capacity, what.dwell);
    }
    described_[static_cast<std::size_t>(j)] = true;
    offered_[static_cast<std::size_t>(j)] = !what.closed && !what.hidden && !what.removed;
  }

  void check(const Batch& batch, const Request& request, const RankedList& list, bool asked) {
    ++tally_.lists;
    const int user = number(request.user);
    if (list.user != request.user) object("a list is for someone else", batch);
    if (list.at != book_.now) object("a list has another time", batch);
    const auto open = book_.replace(user, book_.now);
    if ((asked || open) && list.replaces != open) object("another list is replaced", batch);
    if (!asked && !list.replaces) object("a list that replaces none", batch);
    const bool stranger = list.reason.starts_with("too many users");
    tally_.strangers += stranger ? 1 : 0;
    const float held = stranger ? 0.0F : list.listen_propensity * static_cast<float>(request.party);
    std::set<int> listed;
    std::vector<std::pair<int, float>> places;
    for (const ListedItem& place : list.items) {
      ++tally_.places;
      const int j = number(place.item);
      const double room = room_of(j, place.room);
      if (place.held > room + allowed(room)) {
        ++tally_.violations;
        object("a place holds more than the room", batch);
      }
      if (stranger && !std::isinf(room)) object("a stranger is sent to a capacity", batch);
      if (place.held > held) object("a place holds more than the party", batch);
      if (whole_ && obeys_ && place.held != held) object("a place holds something else", batch);
      if (std::isinf(room) != std::isinf(place.room)) object("a limit is not seen", batch);
      if (!std::isinf(room)) {
        const double off = std::abs(room - static_cast<double>(place.room));
        tally_.worst = std::max(tally_.worst, off);
        if (off > allowed(room)) object("another room", batch);
      }
      if (!offered_[static_cast<std::size_t>(j)]) object("a closed item is listed", batch);
      if (!listed.insert(j).second) object("an item is listed twice", batch);
      places.emplace_back(j, place.held);
    }
    if (list.items.size() > request.n) object("a list is too long", batch);
    const double needed = stranger ? std::numeric_limits<double>::max() : static_cast<double>(held);
    if (obeys_ && list.items.size() < request.n) check_short(batch, listed, needed);
    if (!stranger) book_.show(user, list.id, request.party, places, book_.now, asked);
  }

  // Nothing that had room was kept back.
  void check_short(const Batch& batch, const std::set<int>& listed, double needed) {
    ++tally_.short_lists;
    for (int j = 0; j < static_cast<int>(offered_.size()); ++j) {
      if (!offered_[static_cast<std::size_t>(j)] || listed.count(j) > 0) continue;
      if (!surely_known(j)) continue;
      ++tally_.full;
      const auto [before, after] = rooms_of(j);
      const double room = std::min(before, after);
      if (room > needed + (std::isinf(room) ? 0.0 : allowed(room)))
        object("an item with room is kept back", batch);
    }
  }

  bool surely_known(int j) const {
    const auto item = static_cast<std::size_t>(j);
    return described_[item] && (!items_leave_ || book_.items[item].capacity);
  }

  void object(const std::string& words, const Batch& batch) {
    if (tally_.disagreements++ == 0) {
      tally_.first = words + " (batch " + std::to_string(batch.number) + ")";
    }
  }

  bool wall_, whole_, obeys_;  // obeys_: no item that is full is listed
  NaiveBook book_;
  std::chrono::milliseconds active_;
  bool items_leave_;
  std::vector<bool> offered_;  // if it is known at all
  std::vector<bool> described_;
  std::unordered_set<std::string> seen_;
  std::map<int, Time> seen_at_;
  std::map<std::string, Request> requests_;
  Outlook tables_;
  Outlook before_ = tables_;
  std::vector<std::uint8_t> levels_before_;
  Tally tally_;
};

}  // namespace headroom::test
