#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/ids.hpp"

namespace headroom {

struct Scored {
  float score;
  ItemIx item;
};

// Higher score first, the lower index first among equals: one order, so that lists are repeatable.
inline bool better(const Scored& a, const Scored& b) {
  return a.score != b.score ? a.score > b.score : index(a.item) < index(b.item);
}

// The best n items that `allowed(item)` admits, best first: one scan with a running threshold.
template <class Allowed>
std::vector<Scored> top_n(std::span<const float> scores, std::size_t n, const Allowed& allowed) {
  std::vector<Scored> heap;  // the worst of the kept is in front
  heap.reserve(n + 1);
  for (std::uint32_t j = 0; j < scores.size() && n > 0; ++j) {
    const Scored candidate{scores[j], ItemIx{j}};
    if (heap.size() == n && !better(candidate, heap.front())) continue;
    if (!allowed(candidate.item)) continue;
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end(), better);
    if (heap.size() > n) {
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
  }
  std::sort_heap(heap.begin(), heap.end(), better);
  return heap;
}

}  // namespace headroom
