#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "headroom/wire/codec.hpp"
#include "simulator/cli.hpp"

namespace headroom::sim {
namespace {

struct Flags {
  DataFlags data;
  std::string out;
  bool requests = false;
};

// Lines of events, each with an id of its kind and number: the same data give the same ids.
class EventLines {
 public:
  explicit EventLines(std::ostream& to) : to_(to) {}

  template <class What>
  void write(char kind, std::size_t number, Time at, What what) {
    Event event;
    event.at = at;
    event.id = std::string(1, kind).append("-").append(std::to_string(number));
    event.what = std::move(what);
    line_.clear();
    encode(event, line_);
    line_ += '\n';
    to_ << line_;
  }

 private:
  std::ostream& to_;
  std::string line_;
};

ItemUpdate item_of(const Dataset& data, std::size_t item) {
  ItemUpdate out;
  out.item = data.items[item];
  if (!data.places.empty() && !std::isnan(data.places[item].lat)) {
    out.position = Position{data.places[item].lat, data.places[item].lon};
  }
  if (!data.capacities.empty() && std::isfinite(data.capacities[item])) {
    out.capacity = Capacity{CapacityKind::kSeats, data.capacities[item], {}};
  }
  if (!data.dwell.empty() && data.dwell[item].count() > 0) out.dwell = data.dwell[item];
  return out;
}

void write_events(const Dataset& data, bool requests, std::ostream& to) {
  EventLines lines(to);
  const auto& visits = data.interactions;
  for (std::size_t j = 0; j < data.items.size(); ++j) {
    lines.write('i', j, visits.front().at, item_of(data, j));
  }
  for (std::size_t n = 0; n < visits.size(); ++n) {
    const Interaction& one = visits[n];
    // Stars, if any, as a preference from -1 to 1.
    const float value = data.has_stars ? (one.value - 3.0F) / 2.0F : 1.0F;
    lines.write('e', n, one.at,
                CheckIn{data.users[index(one.user)], data.items[index(one.item)], value, {}});
  }
  if (!requests) return;
  const Time at = visits.back().at + std::chrono::minutes(1);
  for (std::size_t i = 0; i < data.users.size(); ++i) {
    lines.write('r', i, at, Request{data.users[i], 10, 1, {}});
  }
}

void check(const Dataset& data) {
  if (!data.has_time) {
    throw Error(data.name + ": it has no calendar time, and events need one");
  }
  if (data.interactions.empty()) throw Error(data.name + ": there is no event");
  if (data.interactions.front().at < Time{}) {
    throw Error(data.name + ": an event is from before 1970");
  }
}

void run(Flags flags) {
  const Dataset data = flags.data.load_events();
  check(data);
  if (flags.out.empty()) {
    write_events(data, flags.requests, std::cout);
    return;
  }
  std::ofstream file(flags.out, std::ios::binary);
  write_events(data, flags.requests, file);
  if (!file.flush()) throw Error(flags.out + ": cannot be written");
}

}  // namespace

void add_events_command(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "events", "a data set as events for `headroom send`: its items, then its check-ins");
  flags->data.add_source_to(*command);
  command
      ->add_option("--min-count", flags->data.min_count,
                   "leave out pairs whose user or item has fewer than this many (default: the "
                   "paper's filter where it has one for the set)")
      ->check(check_whole);
  command->add_option("--out", flags->out, "the file to write (default: standard output)");
  command->add_flag("--requests", flags->requests,
                    "at the end every user asks for a list of 10, a minute after the last event");
  command->callback([flags] { run(*flags); });
}

}  // namespace headroom::sim
