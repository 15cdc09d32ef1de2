#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/base/workers.hpp"
#include "simulator/given.hpp"
#include "simulator/list_servers.hpp"

namespace headroom::sim {

// A data set in the order of its time: before each event its user gets a list, as if they had
// asked; the list is judged by the event, and then the event is learned. People do what the data
// say, whatever a list says. So seats are counted in expectation: a place of an open list holds the
// people whom it is expected to bring, until the event shows that it was the one (a hit), until
// the user's next list, or until the hold is over.

enum class ReplayPolicy : std::uint8_t {
  kNone,        // unconstrained: the best, full or not
  kCutoff,      // the paper's post-processing
  kCap,         // the Cap- objective alone: taste gives way, lists are the best
  kGreedy,      // the best that have room
  kPrice,       // the best by chance less price that have room: Headroom's default
  kBoth,        // prices and the Cap- objective
  kPopularity,  // what was visited most
  kRandom,
};
// Throws Error.
ReplayPolicy parse_replay_policy(std::string_view words);
std::string_view to_string(ReplayPolicy policy);
std::vector<ReplayPolicy> all_replay_policies();

// What stands together in the curves: so much time, or so many events.
struct ReplayPeriod {
  std::chrono::milliseconds time = std::chrono::hours(24);
  std::size_t events = 0;  // 0: by time
};
// 1d, 12h, 30m, or a whole number of events. Throws Error, which names the flag.
ReplayPeriod parse_period(const std::string& words);
std::chrono::milliseconds parse_duration(std::string_view flag, const std::string& words);

struct ReplayOptions {
  EngineOptions engine;  // of the policy `both`; others leave out what they have not
  std::size_t places = 10;
  std::chrono::milliseconds hold = std::chrono::hours(24);
  std::chrono::milliseconds stay{0};  // how long a visit takes a seat; 0: none
  double warm = 0.0;                  // the share of all events that comes before what is counted
  ReplayPeriod period;
  bool hide_visited = false;
  std::uint64_t seed = 1;
  RunWay way;  // of every policy's run; that of the unconstrained lists is here and at once
};

// Of one period, or of all that is counted. NaN: nothing to say.
struct ReplayFigures {
  Time from, to;
  double events = 0.0;
  double hit_rate = 0.0;       // the event's item was on the list
  double ap = 0.0, wap = 0.0;  // one over its place; weighted by the chance of listening
  double seated = 0.0;         // hits that found a free seat, over events
  double turned_away = 0.0;    // hits that found none
  double oversized = 0.0;      // hits whose place brings more people than the item holds at all
  double people_sent = 0.0;    // that all places were expected to bring
  double people_turned_away = 0.0;  // of them, beyond the seats as the list was made
  double overload_people = 0.0;     // the same as a share
  double overload_time = 0.0;       // share of (item, time) with more people than seats
  double wmcv = 0.0;                // share of (item, time) with as many at least
  double wmcv_amount = 0.0;         // people beyond the seats, mean over items and time
  double capacity_loss = 0.0;       // the paper's, at the expected usage of the last look
  double gini = 0.0, coverage = 0.0;
  double listen = 0.0;           // the mean chance of following that was said
  double listening_error = 0.0;  // its mean distance from the share that was a hit, over 20 bins
  double value = 0.0;            // expected people helped, of the windows that ended
  double bound = 0.0;            // no lists reach more
  double value_share = 0.0;
};

// For all that writes figures down: their names and where they stand.
struct ReplayFigureName {
  std::string_view name;
  double ReplayFigures::*of;
};
std::span<const ReplayFigureName> replay_figure_names();

struct ReplayRun {
  ReplayPolicy policy = ReplayPolicy::kNone;
  double overload = 0.0;  // the level that capacities were scaled to; NaN: as they are
  std::uint64_t seed = 0;
  ReplayFigures total;
  std::vector<ReplayFigures> periods;
  std::string topics;  // what their names begin with, where it went through Kafka
  double seconds = 0.0, cpu_seconds = 0.0;  // the CPU's of the whole process in that time
};

// What is replayed, and what the World gives: capacities by item, chances of listening by user name
// for the expected usage of the Cap- objective.
struct ReplayWorld {
  const Dataset& data;
  std::vector<Interaction> stream;
  Given given;
  double usage_unit = 1.0;  // people held at once over raw expected usage
};

// The lists that nothing holds back, with as many looks at expected usage as a run has.
ListTrace trace_unconstrained(const ReplayWorld& world, const ReplayOptions& options,
                              Workers& workers);
// Expected usage in the unit of the seats: people held at once over the raw sum, both
// unconstrained.
double usage_unit(const ReplayWorld& world, const ReplayOptions& options, const ListTrace& trace);
// What all capacities are to be multiplied by, so that the unconstrained lists have this share of
// overload people.
double capacity_scale(const ReplayWorld& world, const ReplayOptions& options,
                      const ListTrace& trace, double overload);
// One policy, under capacities scaled so. `trace` is that of the same seed: it weighs WAP, alike
// for all policies.
ReplayRun replay(const ReplayWorld& world, const ReplayOptions& options, ReplayPolicy policy,
                 double scale, const ListTrace& trace, Workers& workers);

}  // namespace headroom::sim
