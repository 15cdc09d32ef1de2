#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/list.hpp"
#include "headroom/base/time.hpp"
#include "headroom/demand/seat_book.hpp"

namespace headroom {

// What the ledger knows of one user: the row itself, without any rule.

struct ShownPlace {
  ItemIx item{};
  Seats seats = 0;        // booked when it was shown; held while the list is open and not ignored
  float expected = 0.0F;  // follows, times the party, before the item's factor
  bool followed = false;
  bool ignored = false;
  Party awaited = 0;  // people that a follow announced and who did not come yet; see UserBook
  bool paid = false;  // of those awaited: they took their copies of a stock
};

struct ShownList {
  OutputId id;
  Time shown;
  Time closed;  // once it is not open
  Party party = 1;
  bool open = true;
  bool followed = false;
  bool labelled = false;  // its label is final
  bool exposed = true;    // else it gives no label unless something shows that it was seen
  bool counted = false;   // its window is over, and what came of it is counted
  bool by_follow = false, by_coming = false;  // what closed it, if it was followed while open
  std::vector<ShownPlace> places;

  const ShownPlace* place(ItemIx item) const;
  ShownPlace* place(ItemIx item) {
    return const_cast<ShownPlace*>(std::as_const(*this).place(item));
  }
};

// Followed, not yet arrived, and not given up.
struct Way {
  OutputId list;
  ItemIx item{};
  Time until;
  Party party = 1;
  bool paid = false;  // took its copies of a stock
};

struct Presence {
  ItemIx item{};
  Party party = 1;
  Time since;
  Time until;
};

// One person comes once: to an item there is at most one way and at most one place that awaits,
// that of the newest follow. It waits for as long as its list is remembered, longer than the way,
// which lapses or is left for another. Who is present at an item is not awaited there.
struct UserBook {
  std::vector<ShownList> lists;  // in the order in which they were shown
  std::vector<Way> ways;         // in the order in which they were followed
  std::optional<Presence> presence;

  bool is_at(ItemIx item) const { return presence && presence->item == item; }
  bool has_way_to(ItemIx item) const;
  struct Awaiting {
    ShownList* list = nullptr;
    ShownPlace* place = nullptr;
  };
  Awaiting awaiting(ItemIx item);  // nothing: nobody is awaited there

  bool empty() const { return lists.empty() && ways.empty() && !presence; }
  const ShownList* find(const OutputId& id) const;
  ShownList* find(const OutputId& id) {
    return const_cast<ShownList*>(std::as_const(*this).find(id));
  }
  const ShownList* open_list() const;  // at most the newest one is open

  void save(ByteWriter& out) const;
  static UserBook load(ByteReader& in);
};

}  // namespace headroom
