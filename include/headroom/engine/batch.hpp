#pragma once

#include <cstdint>
#include <vector>

#include "headroom/base/event.hpp"
#include "headroom/base/record.hpp"

namespace headroom {

// A record that is an event. The bytes are kept until the step is over: it may still reject it.
struct Arrival {
  Place place;
  Event event;
  std::string bytes;
};

// The unit of a step and of delivery. What lies between the bounds is all that it holds: the same
// bounds, read again, give the same batch.
struct Batch {
  std::uint64_t number = 0;
  Time now;
  Bounds bounds;                  // one range for each partition that has records in it, in order
  std::vector<Arrival> arrivals;  // in the order of the step, see put_in_order()
  std::vector<Reject> rejects;    // what could not be decoded, by place
};

// The order of the step, whatever order the records were fetched in: item records by place, then
// events merged by (running maximum of event time within their partition, partition, offset).
void put_in_order(Batch& batch);

}  // namespace headroom
