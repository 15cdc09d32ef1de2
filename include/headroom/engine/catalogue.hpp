#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/changed_rows.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/time.hpp"
#include "headroom/demand/deadlines.hpp"
#include "headroom/model/context.hpp"

namespace headroom {

// Why an item is on nobody's list, if so.
enum class Standing : std::uint8_t {
  kNoRow,
  kOffered,
  kShut,       // outside its opening hours
  kWithdrawn,  // closed, hidden or removed
  kCount
};

// What the outside says of the items: their last images. An item known from events alone has an
// empty image: no place, no capacity, always open. Opening hours are obeyed by the time that
// advance() said last: each item is looked at when it opens or closes, and not between.
class Catalogue {
 public:
  explicit Catalogue(std::string time_zone = "UTC") : time_zone_(std::move(time_zone)) {}

  const ItemUpdate& image(ItemIx item) const { return images_[index(item)]; }
  void put(ItemIx item, ItemUpdate image);
  void erase(ItemIx item);

  // Opens and closes what is due. Never goes back.
  void advance(Time now);
  // The time was another from the start: all hours are looked at anew.
  void begin_anew(Time now);

  // Whether the row can leave and come back by an event without harm: its image says nothing but a
  // title and a place, or that it was removed, which the caller remembers.
  bool expendable(ItemIx item) const;

  bool is_stock(ItemIx item) const {
    const auto& capacity = images_[index(item)].capacity;
    return capacity && capacity->kind == CapacityKind::kStock;
  }

  // By row: 1 where the item may be on a list, unless it is full.
  std::span<const std::uint8_t> offered() const { return offered_; }
  // By row, for distances; an item without a place is nowhere, at NaN: further than nothing.
  std::span<const Point> points() const { return points_; }
  std::size_t count(Standing standing) const { return counts_[static_cast<std::size_t>(standing)]; }
  // Items that were offered and are no more, since the last call. Belongs to the step: not saved.
  std::vector<ItemIx> take_lost() { return std::exchange(lost_, {}); }
  // Rows that may have come to be offered or not, since the last call.
  std::vector<std::uint32_t> take_changed() { return changed_.take(); }

  void save(ItemIx item, ByteWriter& to) const;
  void load(ItemIx item, ByteReader& from);

 private:
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  static constexpr Point kNowhere{kNaN, kNaN, kNaN};

  void stand(ItemIx item);  // finds out anew whether it is offered
  void stand(ItemIx item, Standing standing);

  std::string time_zone_;  // where an image names none
  Time now_{};
  std::vector<ItemUpdate> images_;
  std::vector<Standing> standings_;
  std::vector<std::uint8_t> offered_;
  std::vector<Point> points_;
  std::array<std::size_t, static_cast<std::size_t>(Standing::kCount)> counts_{};
  Deadlines changes_;  // of opening
  std::vector<ItemIx> lost_;
  ChangedRows changed_;
};

}  // namespace headroom
