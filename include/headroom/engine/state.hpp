#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "headroom/base/record.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/demand/ledger.hpp"
#include "headroom/demand/listening.hpp"
#include "headroom/engine/catalogue.hpp"
#include "headroom/engine/checkpoint.hpp"
#include "headroom/engine/ignored.hpp"
#include "headroom/engine/options.hpp"
#include "headroom/engine/pressure.hpp"
#include "headroom/engine/pricing.hpp"
#include "headroom/engine/recency.hpp"
#include "headroom/engine/refresher.hpp"
#include "headroom/engine/removed_names.hpp"
#include "headroom/engine/roster.hpp"
#include "headroom/engine/seen_ids.hpp"
#include "headroom/model/calibration.hpp"
#include "headroom/model/learner.hpp"
#include "headroom/rank/choice_model.hpp"

namespace headroom {

// What was counted since the store was new.
struct Counters {
  std::uint64_t events = 0;      // taken, item records among them
  std::uint64_t duplicates = 0;  // dropped: their id was seen before
  std::uint64_t lists = 0;
  std::uint64_t empty_lists = 0;
  std::uint64_t learned = 0;           // outcomes
  std::uint64_t unknown_feedback = 0;  // for a list never made, or no longer known
  std::uint64_t evicted_users = 0;
  std::uint64_t evicted_items = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(RejectKind::kCount)> rejects{};
  bool operator==(const Counters&) const = default;
};

// Everything that the engine knows. It lies in rows, one for each user and item, so that a
// checkpoint writes only what changed; what is in no row is small. One thread.
class State {
 public:
  explicit State(const EngineOptions& options);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  RowWatch watch;  // first: the others hold on to it
  Roster<UserIx> users;
  Roster<ItemIx> items;
  Recency<UserIx> user_recency;
  Recency<ItemIx> item_recency;
  Learner learner;
  Calibration calibration;
  ChoiceModel choice;
  Pressure pressure;
  Pricing pricing;
  Ledger ledger;
  Listening listening;
  Catalogue catalogue;
  Ignored ignored;
  Refresher refresher;
  SeenIds seen;

  std::uint64_t batch = 0;  // the last one stepped through
  std::optional<Time> now;  // its time; nothing before the first
  Agreement agreement;      // on that time, under the clock `event`
  Bounds taken;             // where the log was taken to
  Delivered made;           // the last output
  Counters counters;

  bool full_of_users() const { return users.size() >= most_users_; }
  bool full_of_items() const { return items.size() >= most_items_; }
  // Whether a new name can have a row: there is a place, or someone may leave for it.
  bool has_place_for_user() { return !full_of_users() || leaving_user(); }
  bool has_place_for_item() { return !full_of_items() || leaving_item(); }
  // Never an item that the ledger has business with, that sold copies, or whose image would be
  // missed: closed, hidden, with hours. A removed one may leave: its name is remembered.
  bool may_leave(ItemIx item) const;
  // Who leaves next: the longest unseen of those who may.
  std::optional<UserIx> leaving_user();
  std::optional<ItemIx> leaving_item();
  // Hears from the ledger which rows have no business any more; to be called before anyone leaves.
  // Names the users among them.
  std::vector<UserIx> take_idle();
  // A row for a new name, or nothing if there is no place.
  std::optional<UserIx> add_user(std::string_view name);
  std::optional<ItemIx> add_item(std::string_view name);
  void touch(UserIx user);
  void touch(ItemIx item);
  Time seen_at(UserIx user) const { return seen_at_[index(user)]; }  // by the ledger's time
  void remove(UserIx user);
  void remove(ItemIx item);

  // Nothing is written for a row that is gone.
  void save(const RowKey& key, ByteWriter& to) const;
  SavedRest save_rest() const;
  // The state as it was saved: `rows` calls its argument for every saved row.
  using EachRow = std::function<void(const std::function<void(const RowKey&, std::string_view)>&)>;
  void load(const SavedRest& rest, const EachRow& rows);

 private:
  std::size_t most_users_, most_items_;
  RemovedNames removed_;
  std::vector<Time> seen_at_;
};

}  // namespace headroom
