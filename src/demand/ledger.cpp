#include "headroom/demand/ledger.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace headroom {

namespace {

RowKey key_of(UserIx user) { return {RowKind::kUser, static_cast<std::uint32_t>(user)}; }
RowKey key_of(ItemIx item) { return {RowKind::kItem, static_cast<std::uint32_t>(item)}; }

bool names(const UserBook& book, ItemIx item) {
  return book.is_at(item) || book.has_way_to(item) ||
         std::any_of(book.lists.begin(), book.lists.end(),
                     [item](const ShownList& list) { return list.place(item) != nullptr; });
}

bool awaits(const ShownList& list) {
  return std::any_of(list.places.begin(), list.places.end(),
                     [](const ShownPlace& place) { return place.awaited > 0; });
}

}  // namespace

Ledger::Ledger(const LedgerOptions& options, RowWatch& watch)
    : options_(options),
      watch_(watch),
      seats_({options.window, options.way, options.dwell, options.rule, options.risk}, watch) {}

// --- Rows ---

const UserBook* Ledger::find(UserIx user) const {
  return index(user) < users_.size() ? users_[index(user)].get() : nullptr;
}

UserBook* Ledger::find(UserIx user) {
  return const_cast<UserBook*>(std::as_const(*this).find(user));
}

UserBook& Ledger::edit(UserIx user) {
  watch_.changing(user);
  if (index(user) >= users_.size()) users_.resize(index(user) + 1 + users_.size() / 2);
  auto& book = users_[index(user)];
  if (!book) book = std::make_unique<UserBook>();
  return *book;
}

void Ledger::done(UserIx user) {
  auto& book = users_[index(user)];
  if (book->empty()) {
    book.reset();
    idle_.push_back(user);
  } else {
    deadlines_.ask(key_of(user), due(*book));
  }
}

void Ledger::done(ItemIx item) { deadlines_.ask(key_of(item), seats_.due(item)); }

// --- Time ---

Time Ledger::due(const UserBook& book) const {
  Time first = Time::max();
  for (const ShownList& list : book.lists) {
    const Time ends = list.shown + options_.window;
    first = std::min(first, list.counted ? ends + options_.memory : ends);
  }
  for (const Way& way : book.ways) first = std::min(first, way.until);
  if (book.presence) first = std::min(first, book.presence->until);
  return first;
}

void Ledger::advance(Time now) {
  now_ = std::max(now_, now);
  seats_.begin_advance(now_);
  while (const auto next = deadlines_.pop(now_)) {
    if (next->key.kind == RowKind::kUser) {
      expire(UserIx{next->key.row}, next->at);
    } else {
      seats_.expire(ItemIx{next->key.row}, next->at);
      done(ItemIx{next->key.row});
    }
  }
  seats_.end_advance();
}

void Ledger::begin_anew() {
  for (std::size_t u = 0; u < users_.size(); ++u) {
    const UserIx user{static_cast<std::uint32_t>(u)};
    if (!users_[u]) continue;
    UserBook& book = edit(user);
    drop_all(book);
    if (book.presence) end_presence(book);
    book = {};
    done(user);
  }
  seats_.begin_anew();
  deadlines_ = {};
  now_ = {};
}

void Ledger::expire(UserIx user, Time upto) {
  const UserBook* found = find(user);
  if (found == nullptr) return;
  if (due(*found) > upto) {
    deadlines_.ask(key_of(user), due(*found));
    return;
  }
  UserBook& book = edit(user);
  std::erase_if(book.lists, [&](ShownList& list) {
    const Time ends = list.shown + options_.window;
    if (ends <= upto) {
      close(list, ends);
      count(list);
    }
    if (ends + options_.memory > upto) return false;
    drop(user, list);
    return true;
  });
  std::erase_if(book.ways, [&](const Way& way) {
    if (way.until > upto) return false;
    seats_.outlook().way_over(std::nullopt);
    end_way(way);
    return true;
  });
  if (book.presence && book.presence->until <= upto) end_visit(book, std::nullopt);
  done(user);
}

// --- Pieces of a user's row, each with its count in the seat book ---

void Ledger::close(ShownList& list, Time at) {
  if (!list.open) return;
  list.open = false;
  list.closed = at;
  for (const ShownPlace& place : list.places) {
    if (!place.ignored) seats_.free(place.item, place.seats, list.party, list.shown);
  }
}

// At the end of the window, however early it was answered: else what is followed would be counted
// sooner than what is not. Only a follow that comes later still is counted by itself.
void Ledger::count(ShownList& list) {
  if (list.counted) return;
  list.counted = true;
  using Answer = Outlook::Answer;
  const Time ends = list.shown + options_.window;
  seats_.outlook().list_over(
      list.closed < ends ? std::optional(list.closed - list.shown) : std::nullopt,
      list.by_follow   ? Answer::kFollow
      : list.by_coming ? Answer::kCame
                       : Answer::kNone);
  if (list.followed && !list.by_follow && !list.by_coming) seats_.outlook().followed_late();
  for (const ShownPlace& place : list.places) {
    seats_.count_follows(place.item, place.expected, place.followed ? list.party : 0);
  }
}

void Ledger::label(UserIx user, ShownList& list, bool followed) {
  if (list.labelled) return;
  list.labelled = true;
  labels_.push_back({.user = user, .followed = followed, .shown = list.shown, .list = list.id});
}

void Ledger::drop(UserIx user, ShownList& list) {
  if (list.exposed) label(user, list, false);
  count(list);
  drop_places(list);
}

void Ledger::drop_places(const ShownList& list) {
  for (const ShownPlace& place : list.places) seats_.mention(place.item, -1);
}

void Ledger::drop_all(UserBook& book) {
  for (ShownList& list : book.lists) {
    close(list, now_);
    drop_places(list);
  }
  for (const Way& way : book.ways) end_way(way);
}

void Ledger::end_way(const Way& way) {
  seats_.come(way.item, -1, way.party, since(way));
  seats_.mention(way.item, -1);
}

void Ledger::end_presence(UserBook& book) {
  const Presence& presence = *book.presence;
  seats_.stay(presence.item, -1, presence.party, presence.since);
  seats_.mention(presence.item, -1);
  book.presence.reset();
}

void Ledger::end_visit(UserBook& book, std::optional<Time> left) {
  const Presence& presence = *book.presence;
  seats_.count_visit(presence.item, left ? std::optional(*left - presence.since) : std::nullopt);
  end_presence(book);
}

// --- Items ---

void Ledger::set_item(ItemIx item, const std::optional<Capacity>& capacity,
                      std::optional<std::chrono::minutes> dwell) {
  seats_.set(item, capacity, dwell);
}

void Ledger::remove_item(ItemIx item) {
  // A search over all users, where any names it: items are removed rarely.
  for (std::size_t u = 0; u < users_.size() && seats_.mentions(item) > 0; ++u) {
    const UserIx user{static_cast<std::uint32_t>(u)};
    if (!users_[u] || !names(*users_[u], item)) continue;
    UserBook& book = edit(user);
    for (ShownList& list : book.lists) {
      std::erase_if(list.places, [&](const ShownPlace& place) {
        if (place.item != item) return false;
        if (list.open && !place.ignored) seats_.free(item, place.seats, list.party, list.shown);
        seats_.mention(item, -1);
        return true;
      });
    }
    std::erase_if(book.ways, [&](const Way& way) {
      if (way.item != item) return false;
      end_way(way);
      return true;
    });
    if (book.presence && book.presence->item == item) end_presence(book);
    done(user);
  }
  seats_.remove(item);
}

// --- Lists ---

void Ledger::show(UserIx user, const OutputId& id, Party party, std::span<const HeldPlace> places,
                  Time at, bool exposed) {
  UserBook& book = edit(user);
  assert(book.open_list() == nullptr);
  if (book.lists.size() == kMostLists) {
    auto oldest = std::find_if_not(book.lists.begin(), book.lists.end(), awaits);
    if (oldest == book.lists.end()) oldest = book.lists.begin();
    drop(user, *oldest);
    book.lists.erase(oldest);
  }
  ShownList& list = book.lists.emplace_back();
  list.id = id;
  list.shown = std::min(at, now_);
  list.party = party;
  list.exposed = exposed;
  // One that comes after the end of its own window is remembered, but holds nothing.
  list.open = list.shown + options_.window > now_;
  if (!list.open) list.closed = list.shown + options_.window;
  list.places.reserve(places.size());
  for (const HeldPlace& place : places) {
    assert(list.place(place.item) == nullptr);
    assert(!list.open || place.seats <= room(place.item));  // the hard rule
    const Seats seats = seats_up(place.seats);
    list.places.push_back({.item = place.item, .seats = seats, .expected = place.expected});
    seats_.mention(place.item, 1);
    if (list.open) seats_.hold(place.item, seats, party, list.shown);
  }
  done(user);
}

std::optional<OutputId> Ledger::open_list(UserIx user) const {
  const UserBook* book = find(user);
  const ShownList* list = book != nullptr ? book->open_list() : nullptr;
  return list != nullptr ? std::optional(list->id) : std::nullopt;
}

const ShownList* Ledger::newest_list(UserIx user) const {
  const UserBook* book = find(user);
  return book != nullptr && !book->lists.empty() ? &book->lists.back() : nullptr;
}

std::optional<OutputId> Ledger::replace(UserIx user, Time at) {
  const auto id = open_list(user);
  if (!id) return std::nullopt;
  close(edit(user).lists.back(), std::min(at, now_));
  done(user);
  return id;
}

FollowResult Ledger::follow(UserIx user, const OutputId& id, ItemIx item,
                            std::optional<Party> party, Time at) {
  UserBook* found = find(user);
  ShownList* list = found != nullptr ? found->find(id) : nullptr;
  if (list == nullptr) return FollowResult::kUnknownList;
  ShownPlace* place = list->place(item);
  if (place == nullptr) return FollowResult::kNotOnList;
  const bool is_at = found->is_at(item);
  const bool expected = found->has_way_to(item);
  const bool awaited = found->awaiting(item).place != nullptr;
  // Said again it is news only where they are awaited, but their way was given up.
  if (place->followed && (is_at || expected || !awaited)) return FollowResult::kRepeated;

  at = std::min(at, now_);
  UserBook& book = edit(user);
  std::erase_if(book.ways, [&](const Way& way) {  // they changed their mind
    if (way.list != id || way.item == item) return false;
    seats_.outlook().way_over(std::nullopt);
    end_way(way);
    return true;
  });
  answer(user, *list, *place, at, false);
  if (!is_at) set_out(book, *list, *place, party.value_or(list->party), at);
  done(user);
  return is_at || expected || awaited ? FollowResult::kSameVisit : FollowResult::kTaken;
}

void Ledger::answer(UserIx user, ShownList& list, ShownPlace& place, Time at, bool came) {
  (came ? list.by_coming : list.by_follow) |= list.open;
  if (list.counted && !list.followed) {
    seats_.outlook().followed_late();
    seats_.count_follows(place.item, 0.0, list.party);
  }
  close(list, at);
  list.followed = place.followed = true;
  label(user, list, true);
}

// However many lists and follows lead to an item, one party goes there, once. The newest speaks.
void Ledger::set_out(UserBook& book, const ShownList& list, ShownPlace& place, Party party,
                     Time at) {
  Way way{.list = list.id, .item = place.item, .until = at + options_.way, .party = party};
  if (const auto before = end_announced(book, place.item)) {
    way.until = std::max(way.until, before->until);
    way.paid = before->paid;
  }
  if (!way.paid && seats_.is_stock(place.item)) {
    seats_.sell(place.item, party);
    way.paid = true;
  }
  place.awaited = party;
  place.paid = way.paid;
  if (way.until <= now_) return;  // came so late that it has lapsed
  seats_.come(way.item, 1, way.party, since(way));
  seats_.mention(way.item, 1);
  book.ways.push_back(way);
}

bool Ledger::ignore(UserIx user, const OutputId& id, std::optional<ItemIx> item, Time at) {
  UserBook* book = find(user);
  ShownList* list = book != nullptr ? book->find(id) : nullptr;
  if (list == nullptr || list->labelled) return false;
  if (!item) {
    edit(user);
    close(*list, std::min(at, now_));
    label(user, *list, false);
  } else {
    ShownPlace* place = list->place(*item);
    if (place == nullptr || place->ignored) return false;
    edit(user);
    list->exposed = true;
    place->ignored = true;
    if (list->open) seats_.free(place->item, place->seats, list->party, list->shown);
  }
  done(user);
  return true;
}

bool Ledger::seen(UserIx user, const OutputId& id) {
  UserBook* book = find(user);
  ShownList* list = book != nullptr ? book->find(id) : nullptr;
  if (list == nullptr) return false;
  if (!list->exposed) {
    edit(user);
    list->exposed = true;
  }
  return true;
}

std::span<const ShownPlace> Ledger::places(UserIx user, const OutputId& id) const {
  const UserBook* book = find(user);
  const ShownList* list = book != nullptr ? book->find(id) : nullptr;
  return list != nullptr ? std::span(list->places) : std::span<const ShownPlace>();
}

// --- People ---

Arrived Ledger::arrive(UserIx user, ItemIx item, std::optional<Party> party, Time at) {
  at = std::min(at, now_);
  UserBook& book = edit(user);
  Arrived arrived;
  arrived.renewed = book.is_at(item);
  bool paid = false;
  if (const auto way = end_announced(book, item)) {
    arrived.list = way->list;
    arrived.party = way->party;
    paid = way->paid;
    if (way->until > now_) seats_.outlook().way_over(at - since(*way));  // else it was given up
  } else if (ShownList* list = followed_by_coming(book, item, at)) {
    arrived.list = list->id;
    arrived.followed_list = true;
    arrived.party = list->party;
    answer(user, *list, *list->place(item), at, true);
  } else if (arrived.renewed) {
    arrived.party = book.presence->party;
  } else {
    arrived.organic = true;
  }
  arrived.party = party.value_or(arrived.party);
  if (arrived.organic) seats_.count_organic(item, arrived.party);
  if (!arrived.renewed) {
    if (!paid) seats_.sell(item, arrived.party);
    seats_.count_arrival(item, arrived.party, at, now_);
    done(item);
  }
  be_present(book, item, at, arrived);
  done(user);
  return arrived;
}

// What a follow said of coming to this item ends: the way, or what is remembered of one given up.
std::optional<Way> Ledger::end_announced(UserBook& book, ItemIx item) {
  std::optional<Way> announced;
  if (const auto [list, place] = book.awaiting(item); place != nullptr) {
    announced = Way{list->id, item, now_, place->awaited, place->paid};
    place->awaited = 0;
    place->paid = false;
  }
  const auto way = std::find_if(book.ways.begin(), book.ways.end(),
                                [item](const Way& to) { return to.item == item; });
  if (way != book.ways.end()) {
    announced = *way;
    end_way(*way);
    book.ways.erase(way);
  }
  return announced;
}

// The newest list, if coming to this item now is its first follow.
ShownList* Ledger::followed_by_coming(UserBook& book, ItemIx item, Time at) const {
  if (book.lists.empty()) return nullptr;
  ShownList& newest = book.lists.back();
  const bool in_time = at >= newest.shown && (newest.open || at <= newest.closed + options_.memory);
  return in_time && !newest.followed && newest.place(item) != nullptr ? &newest : nullptr;
}

void Ledger::be_present(UserBook& book, ItemIx item, Time at, Arrived& arrived) {
  auto& presence = book.presence;
  const Time until = at + seats_.dwell(item);
  if (book.is_at(item)) {
    seats_.stay(item, -1, presence->party, presence->since);
    *presence = {item, arrived.party, std::max(presence->since, at),
                 std::max(presence->until, until)};
    seats_.stay(item, 1, presence->party, presence->since);
    return;
  }
  // A late word of an earlier place does not call anyone back from where they are now.
  const bool elsewhere_since = presence && at < presence->since;
  arrived.left_already = elsewhere_since || until <= now_;
  if (presence && !elsewhere_since) end_visit(book, at);
  if (arrived.left_already) return;
  presence = {item, arrived.party, at, until};
  seats_.stay(item, 1, arrived.party, at);
  seats_.mention(item, 1);
}

bool Ledger::leave(UserIx user, ItemIx item, Time at) {
  const UserBook* book = find(user);
  if (book == nullptr || !book->is_at(item)) return false;
  if (at < book->presence->since) return false;  // a late word of an earlier visit
  end_visit(edit(user), std::min(at, now_));
  done(user);
  return true;
}

void Ledger::forget(UserIx user) {
  if (find(user) == nullptr) return;
  UserBook& book = edit(user);
  drop_all(book);
  if (const auto presence = book.presence) {
    end_presence(book);
    seats_.stay_unnamed(presence->item, presence->party, presence->since, presence->until);
    done(presence->item);
  }
  users_[index(user)].reset();
}

std::vector<Label> Ledger::take_labels() { return std::exchange(labels_, {}); }

// --- Rows to bytes and back ---

void Ledger::save(UserIx user, ByteWriter& out) const {
  const UserBook* book = find(user);
  (book != nullptr ? *book : UserBook{}).save(out);
}

void Ledger::load(UserIx user, ByteReader& in) {
  UserBook book = UserBook::load(in);
  if (book.empty()) return;
  for (const ShownList& list : book.lists) {
    for (const ShownPlace& place : list.places) {
      seats_.mention(place.item, 1);
      if (list.open && !place.ignored) {
        seats_.hold(place.item, place.seats, list.party, list.shown);
      }
    }
  }
  for (const Way& way : book.ways) {
    seats_.mention(way.item, 1);
    seats_.come(way.item, 1, way.party, since(way));
  }
  if (book.presence) {
    seats_.mention(book.presence->item, 1);
    seats_.stay(book.presence->item, 1, book.presence->party, book.presence->since);
  }
  edit(user) = std::move(book);
  done(user);
}

void Ledger::load(ItemIx item, ByteReader& in) {
  seats_.load(item, in);
  done(item);
}

void Ledger::save_shared(ByteWriter& out) const {
  out.put(now_);
  seats_.save_shared(out);
}

void Ledger::load_shared(ByteReader& in) {
  now_ = in.get<Time>();
  seats_.load_shared(in, now_);
}

}  // namespace headroom
