#pragma once

#include <algorithm>
#include <bit>
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

  // size() if it is not there. Most of what is asked for is not: the filter says so.
  std::size_t find(ItemIx item) const { return may_have(item) ? search(item) : size(); }

  // Liked now: the newest. Of more than `most` the oldest goes.
  void add(ItemIx item, std::uint32_t life, std::size_t most) {
    const std::size_t at = find(item);
    Visits now{life, 1};
    if (at < size()) {
      if (visits_[at].life == life) now.count += visits_[at].count;
      erase(at, 1);
    } else if (size() >= most) {
      gone_ += size() + 1 - most;
      erase(0, size() + 1 - most);
    }
    items_.push_back(item);
    visits_.push_back(now);
    if (size() > 8 * filter_.size() || gone_ > size() / 2) make_filter();
    filter(item);
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
    make_filter();
  }

 private:
  // Blocks are compared without a branch, so that the compiler makes each a few registers; the
  // newest first.
  std::size_t search(ItemIx item) const {
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

  // A bit for each item, by hash: 8 to 16 of them for each place, so that one in ten strangers is
  // searched for. Bits of what went stay until the filter is made anew.
  std::size_t bit_of(ItemIx item) const {
    return (static_cast<std::uint32_t>(item) * 0x9E3779B9U >> 8U) & (64 * filter_.size() - 1);
  }
  bool may_have(ItemIx item) const {
    if (filter_.empty()) return false;
    const std::size_t bit = bit_of(item);
    return (filter_[bit / 64] >> (bit % 64) & 1U) != 0;
  }
  void filter(ItemIx item) {
    const std::size_t bit = bit_of(item);
    filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  void make_filter() {
    filter_.assign(std::bit_ceil(size() / 8 + 1), 0);
    gone_ = 0;
    for (const ItemIx item : items_) filter(item);
  }

  void erase(std::size_t at, std::size_t count) {
    const auto from = static_cast<std::ptrdiff_t>(at), to = static_cast<std::ptrdiff_t>(at + count);
    items_.erase(items_.begin() + from, items_.begin() + to);
    visits_.erase(visits_.begin() + from, visits_.begin() + to);
  }

  std::vector<ItemIx> items_;
  std::vector<Visits> visits_;
  std::vector<std::uint64_t> filter_;
  std::size_t gone_ = 0;  // since the filter was made
};

}  // namespace headroom
