#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"
#include "headroom/demand/deadlines.hpp"
#include "headroom/demand/ledger.hpp"
#include "headroom/engine/catalogue.hpp"

namespace headroom {

struct RefreshOptions {
  std::chrono::milliseconds active = std::chrono::minutes(30);  // since the last sign of life
  std::chrono::milliseconds every{0};  // for active users on a clock; 0: no clock
  std::uint32_t per_second = 100;      // at most; 0: no refresh at all
  std::uint32_t in_a_row = 3;          // without a sign of life, at most
};

// Why a user gets a list that nobody asked for, the most urgent first.
enum class RefreshCause : std::uint8_t {
  kGone,   // the open list names an item that was removed, closed or hidden, or has shut
  kFull,   // ... that is full: as many are there or on their way as it holds
  kEnded,  // the list's window is over, and nobody answered it
  kClock,
  kCount
};

// Who needs a fresh list that they did not ask for, and when they get it. It repeats their last
// request, only while they are active, and never if they answered their last list: who follows has
// found what they wanted. A list that nobody asked for or has seen holds its seats only while its
// user is active.
//
// What it must remember is in the users' rows and in save_rest(); who waits, the lists that name
// an item and the deadlines follow from that and from the ledger. One thread.
class Refresher {
 public:
  // `minds_full`: lists name no item that is full, so that a fresh one would be better.
  Refresher(const RefreshOptions& options, std::chrono::milliseconds window, bool minds_full,
            Ledger& ledger, const Catalogue& catalogue, RowWatch& watch);

  // A list was made; whoever waited for one has it.
  void shown(UserIx user, const Request& request, std::span<const HeldPlace> places, bool asked);
  void alive(UserIx user);  // a sign of life
  // Those whose open list names it are to get another.
  void lost(ItemIx item, RefreshCause cause);
  // Everything due up to the ledger's time. Names those whose list was let go unseen.
  std::vector<UserIx> advance();
  void begin_anew();  // time was wrong

  // Who gets a fresh list now: the most urgent first, then who has waited longest, no more than
  // the time since the last call allows. Who is not active any more is passed over, and so is
  // whose list was answered, or has regained what it lost.
  std::vector<UserIx> take();
  Request request(UserIx user) const;  // the last one, but for the name
  std::optional<OutputId> last_list(UserIx user) const;
  Time active_until(UserIx user) const;

  void erase(UserIx user);

  struct Tally {
    std::array<std::uint64_t, static_cast<std::size_t>(RefreshCause::kCount)> made{};
    std::uint64_t dropped = 0;  // waited, and did not need it any more
    bool operator==(const Tally&) const = default;
  };
  const Tally& tally() const { return tally_; }
  std::size_t waiting() const { return queue_.size(); }

  void save(UserIx user, ByteWriter& to) const;
  void load(UserIx user, ByteReader& from);
  void save_rest(ByteWriter& to) const;
  void load_rest(ByteReader& from);  // after all rows, and the ledger's

 private:
  struct Row {
    std::uint16_t n = 0;
    Party party = 1;
    std::optional<Position> position;
    Time seen;                                  // alive
    std::uint32_t in_a_row = 0;                 // lists since then that nobody asked for
    RefreshCause cause = RefreshCause::kCount;  // kCount: does not wait
    Time since;
  };
  struct Waiting {
    RefreshCause cause;
    Time since;
    UserIx user;
    auto operator<=>(const Waiting&) const = default;
  };
  // Users with an open list that names the item, and others: who is not one any more goes when
  // there are too many. So an entry costs a few looks in all, and none is searched for.
  struct Naming {
    std::vector<UserIx> users;
    std::size_t most = 16;
  };

  Row* find(UserIx user) { return index(user) < rows_.size() ? rows_[index(user)].get() : nullptr; }
  const Row* find(UserIx user) const { return const_cast<Refresher*>(this)->find(user); }
  bool is_active(const Row& row) const { return ledger_.now() < row.seen + options_.active; }
  bool names(UserIx user, ItemIx item) const;
  bool may_have(const Row& row, const ShownList& list) const;
  bool needs(const ShownList& list) const;
  Time due(const Row& row, const ShownList& list) const;
  void name(UserIx user, ItemIx item);
  void clean(Naming& naming, ItemIx item);
  bool look(UserIx user, Time before);  // true: its list was let go
  void wait(UserIx user, RefreshCause cause);
  bool stop_waiting(UserIx user, Row& row);

  RefreshOptions options_;
  std::chrono::milliseconds window_;
  bool minds_full_;
  Ledger& ledger_;
  const Catalogue& catalogue_;
  RowWatch& watch_;
  std::vector<std::unique_ptr<Row>> rows_;  // of users with a list that the ledger remembers
  std::vector<Naming> naming_;              // by item
  std::set<Waiting> queue_;
  Deadlines deadlines_;
  Time now_{};                 // of the last advance
  Time filled_{};              // when the allowance was last counted
  std::uint64_t allowed_ = 0;  // thousandths of a refresh
  Tally tally_;
};

}  // namespace headroom
