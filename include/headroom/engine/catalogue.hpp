#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"

namespace headroom {

// What the outside says of the items: their last images. An item known from events alone has an
// empty image: no place, no capacity, always open.
class Catalogue {
 public:
  const ItemUpdate& image(ItemIx item) const { return images_[index(item)]; }
  void put(ItemIx item, ItemUpdate image);
  void erase(ItemIx item);

  // Whether the row can leave and come back by an event without harm: its image says nothing but a
  // title and a place, or that it was removed, which the caller remembers.
  bool expendable(ItemIx item) const;

  // By row: 1 where the item may be on a list, unless it is full.
  std::span<const std::uint8_t> offered() const { return offered_; }

  void save(ItemIx item, ByteWriter& to) const;
  void load(ItemIx item, ByteReader& from);

 private:
  std::vector<ItemUpdate> images_;
  std::vector<std::uint8_t> offered_;
};

}  // namespace headroom
