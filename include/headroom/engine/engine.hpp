#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "headroom/base/list.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/engine/batch.hpp"
#include "headroom/engine/options.hpp"
#include "headroom/engine/state.hpp"
#include "headroom/rank/allot.hpp"
#include "headroom/rank/finder.hpp"

namespace headroom {

// What a step gives to the outside, in the order of their ids.
struct Outcome {
  std::vector<RankedList> lists;
  std::vector<DeadLetter> letters;
};

// The whole program: step() walks a batch in order and observes, learns, answers. The same batches
// on the same state give the same outcome and the same state, bit for bit, on any number of
// workers: they only score, and every score is a pure function of the state.
class Engine {
 public:
  Engine(const EngineOptions& options, Workers& workers);

  // The `now` that a batch just closed gets under the clock `event`; under `wall` it is the
  // caller's, if later than the last one.
  Time now_for(const Batch& batch) const;

  Outcome step(const Batch& batch);

  // A list that was delivered by another life of this engine, of which nothing else is left: it is
  // open again as it was, for this party. No place holds more than there is room now.
  void recall(const RankedList& list, Party party);

  // Expected usage as of now, exact or estimated: Pressure::usage().
  void expect_usage();
  // The paper's capacity loss at the last expected usage.
  double capacity_loss() const { return state_.pressure.capacity_loss(capacities()); }

  State& state() { return state_; }
  const State& state() const { return state_; }
  const EngineOptions& options() const { return options_; }

 private:
  struct Ask {
    const Request* request;
    Time at;
    std::optional<UserIx> user;  // nothing: unknown, and no place for another
    bool asked = true;           // else it repeats the last request of its user
  };
  // The step under way.
  struct Walk {
    const Batch& batch;
    Time reference;  // what times are judged against
    Outcome outcome;
    std::deque<Request> repeats;  // of asks that nobody asked
    std::vector<Ask> asks;        // a run of consecutive ones, not answered yet
    std::vector<UserIx> passing;  // who may leave with the last list
    std::uint32_t position = 0;   // of the event in the batch
    std::vector<Hash128> ids;     // of all its events
  };

  void take(Walk& walk, const Arrival& arrival);
  // Each says why the event can't be taken, if so.
  std::optional<RejectReason> observe(Walk& walk, const CheckIn& what, Time at);
  std::optional<RejectReason> observe(Walk& walk, const CheckOut& what, Time at);
  std::optional<RejectReason> observe(Walk& walk, const Feedback& what, Time at);
  std::optional<RejectReason> observe(Walk& walk, const Impression& what, Time at);
  std::optional<RejectReason> observe(Walk& walk, const Request& what, Time at);
  std::optional<RejectReason> observe(Walk& walk, const Forget& what, Time at);
  std::optional<RejectReason> observe(Walk& walk, const ItemUpdate& what, Time at);

  void follow(Walk& walk, UserIx user, ItemIx item, const Feedback& what, Time at);
  void ignore(Walk& walk, UserIx user, std::optional<ItemIx> item, const OutputId& list, Time at);

  // `part` tells the outcomes of one event apart.
  void learn(Walk& walk, UserIx user, ItemIx item, float value, float weight,
             std::uint32_t part = 0);
  // Both before the outcome is learned: what the scores were worth.
  void learn_choice(UserIx user, const OutputId& list, ItemIx followed);
  void calibrate_by_draws(UserIx user, ItemIx item, std::uint64_t place);
  // By row, for expected usage.
  std::vector<float> listeners() const;
  std::vector<float> capacities() const;
  std::vector<float> people() const;
  void advance(Walk& walk, Time to);
  void settle(Walk& walk);
  // Who was sent to what is not offered any more, or is full of people as it was not before.
  void lose(ItemIx item, bool was_full);
  void refresh(Walk& walk);
  void answer_all(Walk& walk);
  Filter filter_for(const Ask& ask, Time at) const;
  float listen_propensity(const Ask& ask, Time at) const;
  Asking asking_of(const Ask& ask, Time at, std::uint64_t list) const;
  // `place` is that in the run that the finder looked at.
  void answer(Walk& walk, const Ask& ask, Asking& asking, std::size_t place);
  void certify(const Asking& asking, std::size_t place, const Choice& choice, Time at);
  Terms terms() const;
  void renew_finder();
  void note_end_of_list(UserIx user);  // if it is not open any more
  // What follows when time has passed: prices are solved anew, a window's certificate is closed.
  void price(Time now, std::size_t records);
  void gather_some(Time now, std::size_t records);
  Demand demand_of(std::vector<Pricing::Asker> askers);
  std::vector<float> cutoffs_of(std::span<const Pricing::Asker> askers);
  float price_capacity(ItemIx item, double places, bool what_is_left) const;
  std::vector<float> price_capacities(double places, bool what_is_left) const;
  void reject(Walk& walk, const Arrival& arrival, RejectReason why);
  void reject(Walk& walk, Reject what);
  void let_leave(Walk& walk);

  // Why a new user or item can't be known, if so. Asked before either comes: an event is taken
  // whole or not at all.
  std::optional<RejectReason> no_place_for(std::string_view user, std::string_view item);
  UserIx user_of(std::string_view name);  // there is a place for a new one
  ItemIx item_of(std::string_view name);
  void hear(UserIx user);

  // For each thread; more would meet too many changes of those before.
  static constexpr std::size_t kAsksAtOnce = 64;
  // Scores that are held at once share this much memory, in floats.
  static constexpr std::size_t kMostScores = std::size_t{1} << 22U;

  EngineOptions options_;
  Workers& workers_;
  State state_;
  Finder finder_;  // follows from the state: never saved
};

}  // namespace headroom
