#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/demand/ledger.hpp"
#include "headroom/rank/top_n.hpp"

namespace headroom {

// What a list was chosen from, to say why it is short.
struct Choice {
  std::vector<Scored> picks;  // best first
  std::size_t offered = 0;    // items that are not closed, hidden or removed
  std::size_t full = 0;  // of these, items without enough room; counted only if a place is left
};

// The one place that decides what goes on a list. The hard rule: a place holds `seats`, and an item
// with less room is not on it. `offered` is by row and at least as long as `scores`.
Choice allot(std::span<const float> scores, std::span<const std::uint8_t> offered,
             const Ledger& ledger, float seats, std::size_t n);

// The same for someone who may hold no seat: items without capacity only.
Choice allot_unlimited(std::span<const float> scores, std::span<const std::uint8_t> offered,
                       const Ledger& ledger, std::size_t n);

}  // namespace headroom
