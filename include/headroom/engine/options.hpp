#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "headroom/demand/ledger.hpp"
#include "headroom/demand/listening.hpp"
#include "headroom/engine/clock.hpp"
#include "headroom/engine/pressure.hpp"
#include "headroom/engine/pricing.hpp"
#include "headroom/engine/refresher.hpp"
#include "headroom/model/learner.hpp"
#include "headroom/rank/allot.hpp"

namespace headroom {

// How much an outcome counts when taste is learned from it.
struct OutcomeWeights {
  float check_in = 1.0F;
  float follow = 1.0F;
  float ignore = 0.1F;  // shared by the places of a list that was ignored as a whole
};

// Whether a list may name where the user has been: by default not what they bought, as a copy of a
// stock is bought once, while people come back to a place.
enum class Visited : std::uint8_t { kShow, kHideBought, kHide };

// What lists leave out, beside what is closed, hidden, removed or full.
struct ListOptions {
  std::string time_zone = "UTC";                              // of items that name none
  std::chrono::milliseconds ignored = std::chrono::hours(2);  // 0: may be repeated at once
  Visited visited = Visited::kHideBought;
  float most_km = 0.0F;  // from where the request was made; 0: however far
};

struct EngineOptions {
  std::uint32_t instance = 0;
  std::uint32_t epoch = 1;
  ClockKind clock = ClockKind::kWall;
  bool answers = true;  // false: of requests of which the lists are known, see Engine::recall
  LearnerOptions learner;
  OutcomeWeights weights;
  LedgerOptions ledger;
  ListeningOptions listening;
  PressureOptions pressure;
  AllotRules allot;
  PricingOptions pricing;
  ListOptions lists;
  RefreshOptions refresh;
  // The paper's setting: expected usage is over all users with these p, and in no other people than
  // that. Not set: over active users with p as estimated, scaled to the people measured.
  std::function<float(std::string_view user)> given_listening;
  std::size_t most_users = 1'000'000;
  std::size_t most_items = 100'000;
  std::size_t seen_ids = 4'000'000;  // events whose ids are remembered
};

}  // namespace headroom
