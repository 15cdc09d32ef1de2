#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/demand/capacity_loss.hpp"
#include "headroom/demand/usage.hpp"
#include "headroom/model/learner.hpp"

namespace headroom {

struct PressureOptions {
  float alpha = 0.0F;  // the weight of capacity against taste: 0 taste alone, 1 capacity alone
  CapacityLoss loss = CapacityLoss::kLogistic;
  float temperature = 1.0F;   // of the loss, in people; 1 is the paper's
  std::size_t every = 1'000;  // outcomes between two refreshes, at least
  float share = 0.45F;        // of all time that refreshes may take, about: by count of work
  float sampled = 0.1F;       // users that give way at a refresh, for each outcome since the last
  std::chrono::milliseconds active = std::chrono::hours(24);  // users seen within this count
  UsageOptions usage;
};

// What the step knows when it refreshes: all by row.
struct PressureInput {
  std::span<const float> listen;    // p of the users that count, else 0
  std::span<const float> capacity;  // c of the items; infinite without one
  std::span<const float> taken;     // measured people; empty: usage counts as it is, kappa 1
  std::uint64_t seed = 0;
};

// The capacity term, online. After every few outcomes the expected usage E_j of all items is
// computed anew and taste gives way where it presses against capacity: one step for some users
// drawn in proportion to p, as large as the paper's objective has it beside the outcomes that were
// learned since. E_j is in people: kappa is measured people over the sum of raw usage.
class Pressure {
 public:
  Pressure(const PressureOptions& options, unsigned negatives)
      : options_(options), negatives_(negatives) {}

  bool learns_taste() const { return options_.alpha < 1.0F; }
  bool acts() const { return options_.alpha > 0.0F; }

  // An outcome was learned; true when a refresh is due.
  bool count();
  // E_j as of now, then the step.
  void refresh(const PressureInput& input, Learner& learner, Workers& workers);
  // E_j as of now, and nothing else.
  void expect(const PressureInput& input, const Learner& learner, Workers& workers);

  std::span<const float> usage() const { return usage_.values; }  // E_j in people, by item row
  const Usage& last() const { return usage_; }
  double kappa() const { return kappa_; }
  // The relative error of E_j as audited, 0 if exact: the root of the mean square over the last few
  // refreshes, as one audit of a few items strays by a third of itself.
  double error() const;
  std::uint64_t refreshes() const { return refreshes_; }
  // The paper's capacity loss: the mean over items with capacity, at the last E_j.
  double capacity_loss(std::span<const float> capacity) const;

  void save(ByteWriter& to) const;
  void load(ByteReader& from);

 private:
  std::vector<Learner::Pressed> pressed(const PressureInput& input, std::size_t users) const;
  std::vector<UserIx> draw_users(const PressureInput& input, std::size_t count) const;

  PressureOptions options_;
  unsigned negatives_;
  Usage usage_;
  double kappa_ = 1.0;
  double error_squares_ = 0.0;
  std::uint64_t since_ = 0;  // outcomes since the last refresh
  std::uint64_t due_ = 0;    // at so many the next one is; 0: at options_.every
  std::uint64_t refreshes_ = 0;
};

}  // namespace headroom
