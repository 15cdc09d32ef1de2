#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/base/workers.hpp"
#include "headroom/rank/prices.hpp"
#include "simulator/definitions.hpp"
#include "simulator/ratings.hpp"

namespace headroom::sim {

// Lists under capacity without the rest of the engine: chances that do not change, known p, and
// items that hold only so much. Who asks in which order is drawn.

enum class AllotPolicy { kNone, kCutoff, kGreedy, kPrice };
AllotPolicy parse_allot_policy(std::string_view words);
std::string_view to_string(AllotPolicy policy);

enum class Arrivals {
  kOnce,    // every user comes `visits` times, in random order; what is held stays held
  kStream,  // people come again and again; a list holds its seats until its time is over, or until
            // its person comes again and gets another
};

// What happens to a stream after half of the time that counts.
enum class Shock {
  kNone,
  kResolved,   // some items become hot and people come more often; prices are solved on as before
  kOldPrices,  // the same, but prices stay what they were
};

struct AllotOptions {
  CapacitySetting capacity;
  PropensitySetting propensity = PropensitySetting::kActual;
  Arrivals arrivals = Arrivals::kOnce;
  AllotPolicy policy = AllotPolicy::kPrice;
  Shock shock = Shock::kNone;
  std::uint32_t visits = 1;   // of each user; in a stream, people like that user
  std::uint32_t places = 10;  // of a list
  double supply = 1.5;        // capacity of all items over the demand for it
  float steepness = 0.0F;     // of prices between solves
  std::size_t rank = 16;      // of the factors
  std::uint64_t seed = 1;
};

// What is allotted: the chances of all users and items, from batch training on one half of the
// ratings, calibrated on the other.
struct AllotProblem {
  Demand demand;                // an asker for each user, with the lists that are held at once
  std::vector<float> listen;    // p by user
  std::vector<float> capacity;  // by item, scaled to the supply
  double bound = 0.0;           // no lists that fit help more people, of those held at once
  double gap = 0.0;             // of the bound over the least one found by ten times the work
  Demand shocked;               // the demand after a shock, and its bound
  double shocked_bound = 0.0;
};
AllotProblem make_allot_problem(const Ratings& ratings, const AllotOptions& options,
                                Workers& workers);
// For another solver to read; see tests/allot/lp_oracle.py. Throws Error.
void write_allot_problem(const AllotProblem& problem, const std::string& file);

// The lists of one person that are held at once in a stream: the chance that this person came
// within the last hold. `rate`: how often a person comes within a hold.
double lists_held(double rate);
constexpr double kCalmRate = 1.0, kShockedRate = 1.25;

struct AllotResult {
  double value = 0.0;  // expected people helped
  double bound = 0.0;  // no lists that fit help more, in the long run
  std::uint64_t lists = 0, violations = 0;
  double seconds_per_solve = 0.0;  // of CPU
  std::uint64_t solves = 0;
  double share() const { return bound > 0.0 ? value / bound : 0.0; }
};
// `order` gives another order of arrivals under the same seed.
AllotResult run_allot(const AllotProblem& problem, const AllotOptions& options, std::uint64_t order,
                      Workers& workers);

}  // namespace headroom::sim
