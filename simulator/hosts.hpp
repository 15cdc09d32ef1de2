#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "headroom/demand/ledger.hpp"
#include "headroom/demand/listening.hpp"
#include "headroom/engine/engine.hpp"
#include "simulator/world.hpp"

namespace headroom::sim {

// The engine as it runs live, in batches under the wall clock of the world.
class EngineHost : public Host {
 public:
  EngineHost(const EngineOptions& options, Workers& workers, const WorldOptions& world,
             std::chrono::minutes longest_stay);

  void ask(std::uint32_t user, Time at) override;
  void follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) override;
  void check_in(std::uint32_t user, std::uint32_t item, Time at) override;
  void check_out(std::uint32_t user, std::uint32_t item, Time at) override;
  std::vector<Served> settle(Time now) override;

 private:
  template <class What>
  void send(Time at, What what);

  Engine engine_;
  std::size_t places_;
  Batch batch_;
  std::uint64_t events_ = 0;
};

// The ledger with the plainest server there can be: the town's own taste, listening as learned, a
// choice by rank alone, and the hard rule. So the room rule is seen by itself.
class LedgerHost : public Host {
 public:
  LedgerHost(const LedgerOptions& options, const WorldOptions& options_of_world, const World& world,
             std::chrono::minutes longest_stay);

  void ask(std::uint32_t user, Time at) override { asked_.push_back({user, at}); }
  void follow(std::uint32_t user, const OutputId& list, std::uint32_t item, Time at) override;
  void check_in(std::uint32_t user, std::uint32_t item, Time at) override;
  void check_out(std::uint32_t user, std::uint32_t item, Time at) override;
  std::vector<Served> settle(Time now) override;

 private:
  struct Ask {
    std::uint32_t user;
    Time at;
  };
  Served serve(std::uint32_t user, Time now);
  void listen();

  const World& world_;
  WorldOptions options_;
  RowWatch watch_;
  Ledger ledger_;
  Listening listening_;
  std::vector<Ask> asked_;
  std::uint64_t lists_ = 0;
};

}  // namespace headroom::sim
