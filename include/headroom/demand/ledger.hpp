#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/list.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"
#include "headroom/demand/deadlines.hpp"
#include "headroom/demand/seat_book.hpp"
#include "headroom/demand/user_book.hpp"

namespace headroom {

struct LedgerOptions {
  std::chrono::milliseconds window = std::chrono::minutes(30);  // a list holds its seats this long
  std::chrono::milliseconds way = std::chrono::minutes(60);     // from a follow to the check-in
  std::chrono::milliseconds dwell = std::chrono::minutes(60);   // where an item says none
  std::chrono::milliseconds memory = std::chrono::hours(2);     // of a list, after its window
  RoomRule rule = RoomRule::kAhead;                             // where an item says none
  float risk = 0.2F;  // of overload at any one time; kLeastRisk to kMostRisk
};

// Lists remembered of one user. People look at a few; a kiosk or a client that polls would else
// keep hours of them, each looked through at every event. Beyond it the oldest is final at once.
inline constexpr std::size_t kMostLists = 64;

// A place of a list and the expected seats that it holds, times the party. `expected` is what was
// believed before the item's factor made it `seats`; the factor is learned from it.
struct HeldPlace {
  ItemIx item{};
  float seats = 0.0F;
  float expected = seats;
};

// Whether a list was followed; final, at most one for each list.
struct Label {
  UserIx user{};
  bool followed = false;
  Time shown;
  float exposure = 1.0F;
  OutputId list;
};

// What a check-in turned out to be.
struct Arrived {
  bool organic = false;        // no list of ours brought them
  bool followed_list = false;  // it is itself the follow of `list`, no feedback said so before
  bool renewed = false;        // was here already, no one came; it may still be a list's follow
  bool left_already = false;   // too late to be still here
  Party party = 1;
  std::optional<OutputId> list;  // that brought them, by feedback or by this check-in
};

enum class FollowResult : std::uint8_t {
  kTaken,
  kRepeated,  // says nothing new
  kUnknownList,
  kNotOnList,
  kSameVisit,  // answers the list, but of a visit that was known before: here, or announced
};

// The only book of what is taken and held: lists and their holds, people on the way and present,
// and by them the room of every item. It knows rules but no clock: `now` is what advance() said
// last. An event's own time `at` may be earlier (it came late); a later one counts as now.
//
// A user's row exists only while there is something in it. One thread.
class Ledger {
 public:
  Ledger(const LedgerOptions& options, RowWatch& watch);

  // Everything due up to and including `now`, in the order of time, then row. Never goes back.
  void advance(Time now);
  Time now() const { return now_; }
  // The time was wrong from the start. What was booked by it can't be carried over: lists go
  // without a label, ways and visits with them; what is sold stays sold. Time begins where it is
  // told next.
  void begin_anew();

  // New or changed, at once: holds and people stay, and the copies of a stock that are gone stay
  // gone, also while it has no capacity or one of another kind: only a higher limit restocks. A
  // change to `rate` or of its slots starts with no arrival.
  void set_item(ItemIx item, const std::optional<Capacity>& capacity,
                std::optional<std::chrono::minutes> dwell);
  // Copies of a stock that are gone, and for an item that comes back how many went before.
  std::int64_t sold(ItemIx item) const { return seats_.gone(item); }
  void set_sold(ItemIx item, std::int64_t copies) { seats_.set_gone(item, copies); }
  // Lists lose the place, people there and on the way are forgotten; the row may be used again.
  void remove_item(ItemIx item);
  // Nothing names it, it has no capacity and no people: remove_item() is then cheap.
  bool idle(ItemIx item) const { return seats_.idle(item); }
  bool idle(UserIx user) const { return find(user) == nullptr; }

  // A list is shown and holds exactly these seats until it is answered, replaced or its window
  // ends. No place may hold more than its room, no item come twice, and no other list of the user
  // be open. What nobody asked for is not exposed: it gives a label only once it is seen or
  // answered. Of more than kMostLists the oldest that awaits nobody is forgotten as at its end.
  void show(UserIx user, const OutputId& list, Party party, std::span<const HeldPlace> places,
            Time at, bool exposed = true);
  // Frees the user's open list, if any, and names it.
  std::optional<OutputId> replace(UserIx user, Time at);
  std::optional<OutputId> open_list(UserIx user) const;

  const ShownList* newest_list(UserIx user) const;  // valid until the next change; none: null

  FollowResult follow(UserIx user, const OutputId& list, ItemIx item, std::optional<Party> party,
                      Time at);
  // Without an item: the whole list. False where it says nothing new: unknown, answered, repeated.
  bool ignore(UserIx user, const OutputId& list, std::optional<ItemIx> item, Time at);
  // An impression; false if the list is not known (any more).
  bool seen(UserIx user, const OutputId& list);
  // Of a list that is still remembered, else empty; valid until the next change of the ledger.
  std::span<const ShownPlace> places(UserIx user, const OutputId& list) const;

  Arrived arrive(UserIx user, ItemIx item, std::optional<Party> party, Time at);
  // False if the user is not there.
  bool leave(UserIx user, ItemIx item, Time at);
  // Lists and ways go without a label; who is present stays, unnamed, until the dwell time ends.
  void forget(UserIx user);

  // That became final since the last call, in order. Belongs to the step: not saved.
  std::vector<Label> take_labels();
  // Users whose last list, way or visit ended since the last call; some may have a new one.
  std::vector<UserIx> take_idle_users() { return std::exchange(idle_, {}); }
  // Items that became idle since the last call; some may be so no more.
  std::vector<ItemIx> take_idle_items() { return seats_.take_idle(); }

  // Rule `now`: limit - taken - on the way - held. Rule `ahead`: what keeps the chance of overload
  // below the item's risk, see SeatBook. Never negative; infinite without capacity. Changes only by
  // what is booked on the item and by advance().
  float room(ItemIx item) const { return seats_.room(item); }
  std::span<const float> rooms() const { return seats_.rooms(); }  // those beyond are unlimited
  // Rows of items whose room(), used() or factor() may be another than at the last call.
  std::vector<std::uint32_t> take_changed() { return seats_.take_changed(); }
  std::chrono::milliseconds dwell(ItemIx item) const { return seats_.dwell(item); }
  // The share of an item's room that is used up, in [0, 1]; 0 without capacity.
  float used(ItemIx item) const { return seats_.used(item); }
  // About the chance that who is sent there now finds it full.
  float crowded(ItemIx item) const { return seats_.crowded(item); }
  Book book(ItemIx item) const { return seats_.book(item); }
  double taken(ItemIx item) const { return seats_.taken(item); }
  std::uint8_t level(ItemIx item) const { return seats_.level(item); }
  // What a place is expected to hold is to be multiplied by this: follows of the item for each that
  // was expected.
  float factor(ItemIx item) const { return seats_.factor(item); }
  const Outlook& outlook() const { return seats_.outlook(); }
  // As many people are there or on the way as it holds, whatever is held for others.
  bool full(ItemIx item) const { return seats_.full(item); }

  // Rows are saved and loaded in any order, into a new ledger; what follows from them is rebuilt.
  void save(UserIx user, ByteWriter& out) const;
  void load(UserIx user, ByteReader& in);
  void save(ItemIx item, ByteWriter& out) const { seats_.save(item, out); }
  void load(ItemIx item, ByteReader& in);
  void save_shared(ByteWriter& out) const;  // what is in no row: the clock, the tables
  void load_shared(ByteReader& in);         // after all rows

 private:
  const UserBook* find(UserIx user) const;
  UserBook* find(UserIx user);
  UserBook& edit(UserIx user);  // says that the row changes; makes it if there is none
  void done(UserIx user);       // after each edit: drops an empty row, else asks for its next look
  void done(ItemIx item);

  void close(ShownList& list, Time at);
  void label(UserIx user, ShownList& list, bool followed);
  void answer(UserIx user, ShownList& list, ShownPlace& place, Time at, bool came);
  void count(ShownList& list);
  void drop(UserIx user, ShownList& list);
  void drop_places(const ShownList& list);
  void drop_all(UserBook& book);  // lists and ways, without a label
  void set_out(UserBook& book, const ShownList& list, ShownPlace& place, Party party, Time at);
  Time since(const Way& way) const { return way.until - options_.way; }
  void end_way(const Way& way);
  std::optional<Way> end_announced(UserBook& book, ItemIx item);
  ShownList* followed_by_coming(UserBook& book, ItemIx item, Time at) const;
  void be_present(UserBook& book, ItemIx item, Time at, Arrived& arrived);
  void end_presence(UserBook& book);
  void end_visit(UserBook& book, std::optional<Time> left);  // that is over; none: at its limit
  Time due(const UserBook& book) const;
  void expire(UserIx user, Time upto);

  LedgerOptions options_;
  RowWatch& watch_;
  Time now_{};
  SeatBook seats_;
  Deadlines deadlines_;
  std::vector<std::unique_ptr<UserBook>> users_;
  std::vector<Label> labels_;
  std::vector<UserIx> idle_;
};

}  // namespace headroom
