#pragma once

#include <cstdint>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/hash.hpp"
#include "headroom/base/row_watch.hpp"

namespace headroom {

// The ids of the last events, as 128-bit hashes in a ring: what comes twice is taken once. The ring
// is stored in rows of kRow ids.
class SeenIds {
 public:
  static constexpr std::size_t kRow = 256;

  // `most` is the number of ids remembered, rounded up to whole rows.
  SeenIds(std::size_t most, RowWatch& watch);

  bool has(Hash128 id) const { return slots_[slot_of(id)] != kEmpty; }
  // Both are asked for in a while, the second one sooner: what they need is fetched to the cache,
  // where it seldom is.
  void fetch_ahead(Hash128 later, Hash128 soon) const {
    __builtin_prefetch(&slots_[later.low & (slots_.size() - 1)]);
    const std::uint32_t at = slots_[soon.low & (slots_.size() - 1)];
    if (at != kEmpty) __builtin_prefetch(&ring_[at]);
  }
  // `id` is not there yet; the oldest goes if the ring is full.
  void add(Hash128 id);

  std::uint64_t added() const { return added_; }
  std::size_t most() const { return most_; }

  bool save(std::uint32_t row, ByteWriter& to) const;  // false: there is nothing in that row
  void load(std::uint32_t row, ByteReader& from);
  void restore(std::uint64_t added);  // after all rows are loaded

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  std::size_t slot_of(Hash128 id) const;
  void grow();

  RowWatch& watch_;
  std::size_t most_;
  std::uint64_t added_ = 0;           // ever; the next goes to ring_[added_ % most_]
  std::vector<Hash128> ring_;         // grows up to most_
  std::vector<std::uint32_t> slots_;  // places in the ring, by hash
};

}  // namespace headroom
