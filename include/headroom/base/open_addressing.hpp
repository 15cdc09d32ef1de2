#pragma once

#include <cstddef>
#include <vector>

namespace headroom {

// Empties a slot of a table that is searched from each value's home on, to the first empty slot.
// Later values of the same run move up, so that no search ends at the hole. The size is a power of
// two; `home_of` gives the home of a value, already within it.
template <class T, class HomeOf>
void erase_slot(std::vector<T>& slots, std::size_t hole, T empty, const HomeOf& home_of) {
  const std::size_t mask = slots.size() - 1;
  slots[hole] = empty;
  for (std::size_t at = (hole + 1) & mask; slots[at] != empty; at = (at + 1) & mask) {
    const std::size_t home = home_of(slots[at]);
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      slots[hole] = slots[at];
      slots[at] = empty;
      hole = at;
    }
  }
}

}  // namespace headroom
