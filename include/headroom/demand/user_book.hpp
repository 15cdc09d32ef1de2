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
  Seats seats = 0;  // booked when it was shown; held while the list is open and not ignored
  bool followed = false;
  bool ignored = false;
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
  std::vector<ShownPlace> places;

  const ShownPlace* place(ItemIx item) const;
  ShownPlace* place(ItemIx item) {
    return const_cast<ShownPlace*>(std::as_const(*this).place(item));
  }
};

// Followed and not yet arrived.
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

struct UserBook {
  std::vector<ShownList> lists;  // in the order in which they were shown
  std::vector<Way> ways;         // in the order in which they were followed
  std::optional<Presence> presence;

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
