#include "headroom/engine/seen_ids.hpp"

#include <algorithm>

#include "headroom/base/open_addressing.hpp"

namespace headroom {

SeenIds::SeenIds(std::size_t most, RowWatch& watch)
    : watch_(watch), most_(std::max<std::size_t>(1, (most + kRow - 1) / kRow) * kRow) {
  slots_.assign(1024, kEmpty);
}

std::size_t SeenIds::slot_of(Hash128 id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = id.low & mask;
  while (slots_[slot] != kEmpty && ring_[slots_[slot]] != id) slot = (slot + 1) & mask;
  return slot;
}

void SeenIds::add(Hash128 id) {
  const auto at = static_cast<std::uint32_t>(added_ % most_);
  watch_.changing({RowKind::kSeenIds, static_cast<std::uint32_t>(at / kRow)});
  if (at < ring_.size()) {
    erase_slot(slots_, slot_of(ring_[at]), kEmpty,
               [this](std::uint32_t other) { return ring_[other].low & (slots_.size() - 1); });
  } else {
    ring_.emplace_back();
    if (slots_.size() < 2 * ring_.size()) grow();
  }
  ring_[at] = id;
  slots_[slot_of(id)] = at;
  ++added_;
}

// Twice the slots; all ids but the newest place of the ring, which is not filled yet, enter again.
void SeenIds::grow() {
  slots_.assign(2 * slots_.size(), kEmpty);
  for (std::uint32_t at = 0; at + 1 < ring_.size(); ++at) slots_[slot_of(ring_[at])] = at;
}

bool SeenIds::save(std::uint32_t row, ByteWriter& to) const {
  const std::size_t first = row * kRow;
  if (first >= ring_.size()) return false;
  to.put_all(std::span(ring_).subspan(first, std::min(kRow, ring_.size() - first)));
  return true;
}

void SeenIds::load(std::uint32_t row, ByteReader& from) {
  const auto ids = from.get_all<Hash128>();
  const std::size_t first = row * kRow;
  if (ring_.size() < first + ids.size()) ring_.resize(first + ids.size());
  std::copy(ids.begin(), ids.end(), ring_.begin() + static_cast<std::ptrdiff_t>(first));
}

void SeenIds::restore(std::uint64_t added) {
  added_ = added;
  std::size_t slots = 1024;
  while (slots < 2 * ring_.size()) slots *= 2;
  slots_.assign(slots, kEmpty);
  for (std::uint32_t at = 0; at < ring_.size(); ++at) slots_[slot_of(ring_[at])] = at;
}

}  // namespace headroom
