#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "headroom/wire/codec.hpp"
#include "simulator/list_makers.hpp"
#include "simulator/served_log.hpp"

namespace headroom::sim {

// Lists by a `headroom serve` that runs by itself in the options' folder, under the clock of the
// events: its log gets what the city says, and the city waits a bounded real time for the lists
// that were asked for. One that comes later is handed on then. Throws std::runtime_error when serve
// is gone or makes no lists, with what it says of it.
class ServedLists : public EventLists {
 public:
  using Clock = std::chrono::steady_clock;
  struct Patience {
    Clock::duration list = std::chrono::seconds(5);    // for the lists of one call
    Clock::duration serve = std::chrono::seconds(60);  // until any list of those asked for
  };

  // Throws Error if no serve is ready there, or one that has taken events already. Before
  // `live_from` nobody asks, and events are handed on in large pieces.
  ServedLists(const Options& options, const LifeOptions& life, Time live_from);
  ServedLists(const Options& options, const LifeOptions& life, Time live_from, Patience patience);

 private:
  std::vector<RankedList> carry(std::vector<Event> events, Time now) override;
  void take(std::vector<RankedList>& lists);
  void look_after_serve() const;

  Options options_;
  Time live_from_;
  Patience patience_;
  std::unique_ptr<ServedLog> log_;
  OutputDecoder decoder_;
  std::vector<Event> events_;          // not yet handed on
  std::map<std::string, Time> asked_;  // by user: the last request without a list
  Clock::time_point heard_;            // when a list came, or nobody waited for one
};

}  // namespace headroom::sim
