#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/error.hpp"
#include "headroom/base/ids.hpp"

namespace headroom {

// The items that a user liked, oldest first, each once. A life says which item of a row it was: a
// later one on the same row has another.
class Past {
 public:
  struct Visits {
    std::uint32_t life;
    std::uint32_t count;
  };

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  ItemIx item(std::size_t at) const { return items_[at]; }
  const Visits& visits(std::size_t at) const { return visits_[at]; }

  // size() if it is not there. Blocks are compared without a branch, so that the compiler makes
  // each a few registers; the newest first.
  std::size_t find(ItemIx item) const {
    constexpr std::size_t kBlock = 64;
    const ItemIx* const items = items_.data();
    std::size_t end = size();
    for (; end >= kBlock; end -= kBlock) {
      std::uint32_t found = 0;  // as wide as what is compared, so that no lane is packed
      for (std::size_t n = end - kBlock; n < end; ++n) found |= items[n] == item ? 1U : 0U;
      if (found != 0) break;
    }
    const std::size_t begin = end >= kBlock ? end - kBlock : 0;
    for (std::size_t n = begin; n < end; ++n) {
      if (items[n] == item) return n;
    }
    return size();
  }

  // Liked now: the newest. Of more than `most` the oldest goes.
  void add(ItemIx item, std::uint32_t life, std::size_t most) {
    const std::size_t at = find(item);
    Visits now{life, 1};
    if (at < size()) {
      if (visits_[at].life == life) now.count += visits_[at].count;
      erase(at, 1);
    } else if (size() >= most) {
      erase(0, size() + 1 - most);
    }
    items_.push_back(item);
    visits_.push_back(now);
  }

  void save(ByteWriter& to) const {
    to.put_all(std::span<const ItemIx>(items_));
    to.put_all(std::span<const Visits>(visits_));
  }
  // The newest `most` of what was saved.
  void load(ByteReader& from, std::size_t most) {
    items_ = from.get_all<ItemIx>();
    visits_ = from.get_all<Visits>();
    if (items_.size() != visits_.size()) throw Error("the state store: a user's row is damaged");
    if (size() > most) erase(0, size() - most);
  }

 private:
  void erase(std::size_t at, std::size_t count) {
    const auto from = static_cast<std::ptrdiff_t>(at), to = static_cast<std::ptrdiff_t>(at + count);
    items_.erase(items_.begin() + from, items_.begin() + to);
    visits_.erase(visits_.begin() + from, visits_.begin() + to);
  }

  std::vector<ItemIx> items_;
  std::vector<Visits> visits_;
};

}  // namespace headroom
