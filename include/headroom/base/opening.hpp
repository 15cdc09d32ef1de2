#pragma once

#include <span>
#include <string>

#include "headroom/base/event.hpp"
#include "headroom/base/time.hpp"

namespace headroom {

// Whether this names a zone of the machine's IANA database. `localtime` is none: it would be
// another zone on another machine.
bool is_time_zone(const std::string& name);

// Whether a place is open, and when to look again: it stays so at least until then.
struct Opening {
  bool open = true;
  Time until = Time::max();
};

// What a place with these hours in this zone is at this moment; always open without hours. A time
// of day that a change of the clocks leaves out is the moment of the change, one that comes twice
// is the first. A zone that is not known any more counts as UTC.
Opening opening(std::span<const OpeningHours> hours, const std::string& time_zone, Time at);

}  // namespace headroom
