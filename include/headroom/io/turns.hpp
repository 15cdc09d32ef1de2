#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "headroom/engine/batch.hpp"

namespace headroom {

// Which partition is read next. Each of these takes up to `most` records and returns how many;
// take(partition, most) takes some of one.

// Each partition gets its share in turn, from `first` on, so that a full one does not shut out the
// others.
template <class Take>
std::size_t take_in_turn(std::size_t partitions, std::size_t first, std::size_t most,
                         const Take& take) {
  std::size_t taken = 0;
  for (bool more = true; more && taken < most;) {
    const std::size_t share = std::max<std::size_t>(1, (most - taken) / partitions);
    more = false;
    for (std::size_t n = 0; n < partitions && taken < most; ++n) {
      const std::size_t got = take((first + n) % partitions, std::min(share, most - taken));
      taken += got;
      more = more || got > 0;
    }
  }
  return taken;
}

// How far a partition has come in the time of its records: the earlier of the last two, so that one
// with a wrong time does not count.
class Reached {
 public:
  // Looks at what the batch has got since it had `from` arrivals.
  void see(const Batch& batch, std::size_t from) {
    for (; from < batch.arrivals.size(); ++from) {
      last_ = {last_[1], batch.arrivals[from].event.at};
    }
  }
  Time at() const { return std::min(last_[0], last_[1]); }

 private:
  std::array<Time, 2> last_ = {Time::min(), Time::min()};
};

// The one that is furthest behind first. Where the records' own time is the clock, partitions of
// unequal density would else drift apart, until the records of one are too old to be taken.
// at(partition): how far it is; awaits(partition): there is more of it, if not here yet.
template <class Take, class At, class Awaits>
std::size_t take_by_time(std::size_t partitions, std::size_t most, const Take& take, const At& at,
                         const Awaits& awaits) {
  constexpr std::size_t kAtOnce = 16;
  std::vector<std::size_t> left(partitions);
  for (std::size_t n = 0; n < partitions; ++n) left[n] = n;
  std::size_t taken = 0;
  while (taken < most && !left.empty()) {
    const auto next = std::min_element(left.begin(), left.end(),
                                       [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
    const std::size_t wanted = std::min(kAtOnce, most - taken);
    const std::size_t got = take(*next, wanted);
    taken += got;
    if (got == wanted) continue;
    if (awaits(*next)) break;  // the others would run ahead
    left.erase(next);
  }
  return taken;
}

}  // namespace headroom
