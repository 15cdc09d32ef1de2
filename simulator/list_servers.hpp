#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "headroom/demand/listening.hpp"
#include "headroom/engine/pricing.hpp"
#include "simulator/contenders.hpp"

namespace headroom::sim {

// A list as it was made: `people` are those expected to come of each place, `chances` those of
// being glad of it (none: no such claim is made).
struct MadeList {
  float listen = 0.0F;  // the chance that the user follows it, as learned so far
  std::vector<ItemIx> items;
  std::vector<float> people, chances;
};

// Who makes the lists of a replay: for each event a list for its user first, then the event is
// learned.
class ListServer {
 public:
  ListServer() = default;
  ListServer(const ListServer&) = delete;
  ListServer& operator=(const ListServer&) = delete;
  virtual ~ListServer() = default;

  virtual const MadeList& serve(const Interaction& event) = 0;
  // Of the last window that ended; none: no prices, no certificate.
  virtual std::optional<Certificate> certificate() const { return std::nullopt; }
  // Expected usage by item as of now; empty: no model that could say.
  virtual std::vector<float> usage() { return {}; }
};

struct ServerOptions {
  std::size_t places = 10;
  Holding holding = Holding::kWhole;
  bool hide_visited = false;  // where an event says that the user has the item now
  bool stays = false;         // else a visit takes no seat
  ListeningOptions listening;
  std::uint64_t seed = 1;
};

// Headroom itself, as it runs live, by the clock of the events.
class EngineServer : public ListServer {
 public:
  EngineServer(const Dataset& data, const EngineOptions& engine, const ServerOptions& options,
               std::span<const float> capacity, Workers& workers, KafkaRoad* road = nullptr);

  const MadeList& serve(const Interaction& event) override;
  std::optional<Certificate> certificate() const override;
  std::vector<float> usage() override;

 private:
  const Dataset& data_;
  ServerOptions options_;
  bool books_;  // what a place holds is what it was checked for
  EngineContender engine_;
  MadeList list_;
};

// Lists that know nothing of taste. Listening is learned as the engine does.
class PlainServer : public ListServer {
 public:
  PlainServer(const Dataset& data, const ServerOptions& options);
  const MadeList& serve(const Interaction& event) final;

 protected:
  virtual void choose(const Interaction& event, std::vector<ItemIx>& items) = 0;
  virtual void learn(const Interaction& /*event*/) {}
  bool may_show(UserIx user, ItemIx item) const;
  const ServerOptions& options() const { return options_; }

 private:
  ServerOptions options_;
  RowWatch watch_;
  Listening listening_;
  std::unordered_set<std::uint64_t> visited_;  // pairs, where they are hidden
  MadeList list_;
};

// What was visited most so far.
class PopularServer : public PlainServer {
 public:
  PopularServer(const Dataset& data, const ServerOptions& options);

 private:
  void choose(const Interaction& event, std::vector<ItemIx>& items) override;
  void learn(const Interaction& event) override;

  std::vector<std::uint64_t> counts_;  // by item
  std::vector<ItemIx> order_;          // by count, the highest first
  std::vector<std::uint32_t> places_;  // in that order, by item
};

class RandomServer : public PlainServer {
 public:
  RandomServer(const Dataset& data, const ServerOptions& options);

 private:
  void choose(const Interaction& event, std::vector<ItemIx>& items) override;

  std::uint32_t items_;
  std::uint64_t lists_ = 0;
};

// The lists of a run without capacities, in order, so that they can be judged by any capacities.
struct ListTrace {
  std::size_t places = 0;
  std::vector<float> listen;          // by event
  std::vector<std::uint32_t> counts;  // of places of each list
  std::vector<ItemIx> items;          // of all lists
  std::vector<float> people;
  std::vector<std::vector<float>> usage;  // at each look

  void add(const MadeList& list);
};

class TraceServer : public ListServer {
 public:
  // `unit`: of expected usage.
  TraceServer(const ListTrace& trace, double unit) : trace_(trace), unit_(unit) {}

  const MadeList& serve(const Interaction& event) override;
  std::vector<float> usage() override;

 private:
  const ListTrace& trace_;
  double unit_;
  std::size_t event_ = 0, place_ = 0, looks_ = 0;
  MadeList list_;
};

}  // namespace headroom::sim
