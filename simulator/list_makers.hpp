#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "headroom/model/factors.hpp"
#include "simulator/life.hpp"

namespace headroom::sim {

// Sees the lists as the people get them.
using ListWitness = std::function<void(std::span<const RankedList> lists)>;

// Lists by an engine: what the city does becomes the events of the wire format, in numbered names.
// Where the engine stands is what its children know.
class EventLists : public ListMaker {
 public:
  explicit EventLists(const LifeOptions& life, ListWitness witness = nullptr);

  void put(const ItemUpdate& item) override;
  void ask(std::uint32_t user, Time at) override;
  void follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) override;
  void ignore(std::uint32_t user, const OutputId& list, Time at) override;
  void check_in(std::uint32_t user, std::uint32_t item, Time at) override;
  void check_out(std::uint32_t user, std::uint32_t item, Time at) override;
  std::vector<Served> settle(Time now) final;
  std::vector<float> expected_listening() const override { return expected_; }

 protected:
  // Hands on all events since the last call, in the order in which they were said, and returns the
  // lists that came of them, or of earlier ones.
  virtual std::vector<RankedList> carry(std::vector<Event> events, Time now) = 0;

 private:
  void send(Time at, decltype(Event::what) what);

  std::uint16_t places_;
  ListWitness witness_;
  std::vector<std::string> users_, items_;  // names by number
  std::vector<Event> events_;
  std::uint64_t sent_ = 0;
  std::vector<float> expected_;
};

// The engine in this process, in batches under the wall clock of the city.
class EngineLists : public EventLists {
 public:
  EngineLists(const EngineOptions& options, const LifeOptions& life, Workers& workers,
              ListWitness witness = nullptr);

 protected:
  // The next batch, of what was carried here.
  Outcome step(Batch& batch, Time now);

 private:
  std::vector<RankedList> carry(std::vector<Event> events, Time now) override;

  Engine engine_;
  std::uint64_t events_ = 0;
};

// Lists without an engine: of what is open.
class PlainLists : public ListMaker {
 public:
  explicit PlainLists(const LifePlan& plan) : plan_(plan) {}

  void put(const ItemUpdate& /*item*/) override {}
  void ask(std::uint32_t user, Time at) override { asked_.push_back({user, at}); }
  void follow(std::uint32_t, const OutputId&, std::uint32_t, Time) override {}
  void ignore(std::uint32_t, const OutputId&, Time) override {}
  void check_in(std::uint32_t user, std::uint32_t item, Time at) override;
  void check_out(std::uint32_t, std::uint32_t, Time) override {}
  std::vector<Served> settle(Time now) override;

 protected:
  struct Asked {
    std::uint32_t user;
    Time at;
  };
  // By item, the higher the better.
  virtual void score(const Asked& asked, std::vector<double>& by_item) = 0;
  virtual void learn(std::uint32_t /*user*/, std::uint32_t /*item*/, Time /*at*/) {}
  const LifePlan& plan() const { return plan_; }

 private:
  const LifePlan& plan_;
  std::vector<Asked> asked_;
  std::uint64_t lists_ = 0;
};

// What most people went to so far.
class PopularLists : public PlainLists {
 public:
  explicit PopularLists(const LifePlan& plan) : PlainLists(plan), visits_(plan.options().items) {}

 private:
  void score(const Asked& /*asked*/, std::vector<double>& by_item) override { by_item = visits_; }
  void learn(std::uint32_t /*user*/, std::uint32_t item, Time /*at*/) override {
    visits_[item] += 1.0;
  }
  std::vector<double> visits_;
};

// A batch model (BPR of the paper's training) that learns all check-ins so far anew each night.
class BatchLists : public PlainLists {
 public:
  explicit BatchLists(const LifePlan& plan)
      : PlainLists(plan), liked_(plan.options().users), visits_(plan.options().items) {}
  std::vector<Served> settle(Time now) override;

 private:
  void score(const Asked& asked, std::vector<double>& by_item) override;
  void learn(std::uint32_t user, std::uint32_t item, Time at) override;
  void train_anew();

  std::vector<std::set<std::uint32_t>> liked_;  // by user
  std::vector<double> visits_;                  // by item: for who is not known to the model
  std::vector<std::optional<UserIx>> rows_;     // by user
  Factors factors_;
  Time trained_{};  // the night
};

class RandomLists : public PlainLists {
 public:
  using PlainLists::PlainLists;

 private:
  void score(const Asked& asked, std::vector<double>& by_item) override;
};

}  // namespace headroom::sim
