#include "headroom/engine/refresher.hpp"

#include <algorithm>

namespace headroom {

namespace {

constexpr std::uint64_t kOne = 1000;  // a refresh; what a second allows is one each millisecond

RowKey key_of(UserIx user) { return {RowKind::kUser, static_cast<std::uint32_t>(user)}; }

bool is_answered(const ShownList& list) { return list.followed || list.labelled; }

}  // namespace

Refresher::Refresher(const RefreshOptions& options, std::chrono::milliseconds window,
                     bool minds_full, Ledger& ledger, const Catalogue& catalogue, RowWatch& watch)
    : options_(options),
      window_(window),
      minds_full_(minds_full),
      ledger_(ledger),
      catalogue_(catalogue),
      watch_(watch) {}

// --- What happens ---

void Refresher::shown(UserIx user, const Request& request, std::span<const HeldPlace> places,
                      bool asked) {
  watch_.changing(user);
  if (index(user) >= rows_.size()) rows_.resize(index(user) + 1 + rows_.size() / 2);
  auto& row = rows_[index(user)];
  if (!row) row = std::make_unique<Row>();
  if (stop_waiting(user, *row)) ++tally_.dropped;
  row->n = request.n;
  row->party = request.party;
  row->position = request.position;
  row->in_a_row = asked ? 0 : row->in_a_row + 1;
  if (asked) row->seen = ledger_.now();
  for (const HeldPlace& place : places) name(user, place.item);
  if (const ShownList* list = ledger_.newest_list(user)) {
    deadlines_.ask(key_of(user), due(*row, *list));
  }
}

void Refresher::alive(UserIx user) {
  Row* row = find(user);
  if (row == nullptr) return;
  watch_.changing(user);
  row->seen = ledger_.now();
  row->in_a_row = 0;
}

void Refresher::lost(ItemIx item, RefreshCause cause) {
  if (index(item) >= naming_.size() || (cause == RefreshCause::kFull && !minds_full_)) return;
  Naming& naming = naming_[index(item)];
  clean(naming, item);
  for (const UserIx user : naming.users) wait(user, cause);
}

std::vector<UserIx> Refresher::advance() {
  const Time before = now_;
  now_ = ledger_.now();
  std::vector<UserIx> let_go;
  while (const auto due = deadlines_.pop(now_)) {
    const UserIx user{due->key.row};
    if (look(user, before)) let_go.push_back(user);
  }
  return let_go;
}

// A look may be in vain: nothing follows from it but from a moment that has just passed.
bool Refresher::look(UserIx user, Time before) {
  const Row* row = find(user);
  const ShownList* list = row != nullptr ? ledger_.newest_list(user) : nullptr;
  if (list == nullptr) return false;
  const auto passed = [&](Time moment) { return before < moment && moment <= now_; };
  const bool unseen = list->open && !list->exposed && !is_active(*row);
  if (unseen) {
    ledger_.replace(user, now_);
    list = ledger_.newest_list(user);
  }
  if (passed(list->shown + window_)) wait(user, RefreshCause::kEnded);
  if (options_.every.count() > 0 && passed(list->shown + options_.every)) {
    wait(user, RefreshCause::kClock);
  }
  deadlines_.ask(key_of(user), due(*row, *list));
  return unseen;
}

Time Refresher::due(const Row& row, const ShownList& list) const {
  Time next = Time::max();
  const auto at = [&](Time moment) {
    if (moment > ledger_.now()) next = std::min(next, moment);
  };
  at(list.shown + window_);
  if (options_.every.count() > 0) at(list.shown + options_.every);
  if (list.open && !list.exposed) at(row.seen + options_.active);
  return next;
}

void Refresher::begin_anew() {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row]) erase(UserIx{static_cast<std::uint32_t>(row)});
  }
  naming_.clear();
  deadlines_ = {};
  now_ = filled_ = ledger_.now();
  allowed_ = 0;
}

void Refresher::erase(UserIx user) {
  Row* row = find(user);
  if (row == nullptr) return;
  watch_.changing(user);
  if (stop_waiting(user, *row)) ++tally_.dropped;
  rows_[index(user)].reset();
}

// --- The lists that name an item ---

bool Refresher::names(UserIx user, ItemIx item) const {
  const ShownList* list = ledger_.newest_list(user);
  if (list == nullptr || !list->open) return false;
  const ShownPlace* place = list->place(item);
  return place != nullptr && !place->ignored;
}

void Refresher::name(UserIx user, ItemIx item) {
  if (index(item) >= naming_.size()) naming_.resize(index(item) + 1 + naming_.size() / 2);
  Naming& naming = naming_[index(item)];
  naming.users.push_back(user);
  if (naming.users.size() > naming.most) clean(naming, item);
}

void Refresher::clean(Naming& naming, ItemIx item) {
  std::erase_if(naming.users, [&](UserIx user) { return !names(user, item); });
  std::sort(naming.users.begin(), naming.users.end());
  naming.users.erase(std::unique(naming.users.begin(), naming.users.end()), naming.users.end());
  naming.most = 16 + 2 * naming.users.size();
}

// --- Who waits ---

bool Refresher::may_have(const Row& row, const ShownList& list) const {
  return is_active(row) && row.in_a_row < options_.in_a_row && !is_answered(list);
}

bool Refresher::needs(const ShownList& list) const {
  const Time now = ledger_.now();
  if (options_.every.count() > 0 && now >= list.shown + options_.every) return true;
  if (!list.open) return now >= list.shown + window_;
  return std::any_of(list.places.begin(), list.places.end(), [&](const ShownPlace& place) {
    const bool offered = catalogue_.offered()[index(place.item)] != 0;
    return !place.ignored && (!offered || (minds_full_ && ledger_.full(place.item)));
  });
}

void Refresher::wait(UserIx user, RefreshCause cause) {
  Row* row = find(user);
  const ShownList* list = row != nullptr ? ledger_.newest_list(user) : nullptr;
  if (list == nullptr || options_.per_second == 0 || !may_have(*row, *list)) return;
  if (row->cause <= cause) return;
  watch_.changing(user);
  stop_waiting(user, *row);
  row->cause = cause;
  row->since = ledger_.now();
  queue_.insert({row->cause, row->since, user});
}

bool Refresher::stop_waiting(UserIx user, Row& row) {
  if (row.cause == RefreshCause::kCount) return false;
  queue_.erase({row.cause, row.since, user});
  row.cause = RefreshCause::kCount;
  return true;
}

std::vector<UserIx> Refresher::take() {
  const Time now = ledger_.now();
  const std::uint64_t second = kOne * options_.per_second;
  // What was not needed is kept for a second at most.
  allowed_ = std::min(allowed_, second);
  allowed_ += static_cast<std::uint64_t>(std::max((now - filled_).count(), Time::rep{0})) *
              options_.per_second;
  filled_ = now;
  std::vector<UserIx> users;
  while (!queue_.empty() && allowed_ >= kOne) {
    const auto [cause, since, user] = *queue_.begin();
    Row& row = *find(user);
    watch_.changing(user);
    stop_waiting(user, row);
    const ShownList* list = ledger_.newest_list(user);
    if (list == nullptr || !may_have(row, *list) || !needs(*list)) {
      ++tally_.dropped;
      continue;
    }
    ++tally_.made[static_cast<std::size_t>(cause)];
    allowed_ -= kOne;
    users.push_back(user);
  }
  return users;
}

Request Refresher::request(UserIx user) const {
  const Row& row = *find(user);
  return {.user = {}, .n = row.n, .party = row.party, .position = row.position};
}

std::optional<OutputId> Refresher::last_list(UserIx user) const {
  const ShownList* list = ledger_.newest_list(user);
  return list != nullptr ? std::optional(list->id) : std::nullopt;
}

Time Refresher::active_until(UserIx user) const { return find(user)->seen + options_.active; }

// --- To bytes and back ---

void Refresher::save(UserIx user, ByteWriter& to) const {
  const Row* row = find(user);
  to.put(row != nullptr);
  if (row == nullptr) return;
  to.put(row->n);
  to.put(row->party);
  to.put(row->position.has_value());
  if (row->position) {
    to.put(row->position->lat);
    to.put(row->position->lon);
  }
  to.put(row->seen);
  to.put(row->in_a_row);
  to.put(row->cause);
  to.put(row->since);
}

void Refresher::load(UserIx user, ByteReader& from) {
  if (!from.get<bool>()) return;
  if (index(user) >= rows_.size()) rows_.resize(index(user) + 1 + rows_.size() / 2);
  Row& row = *(rows_[index(user)] = std::make_unique<Row>());
  row.n = from.get<std::uint16_t>();
  row.party = from.get<Party>();
  if (from.get<bool>()) {
    const auto lat = from.get<double>();
    row.position = Position{lat, from.get<double>()};
  }
  row.seen = from.get<Time>();
  row.in_a_row = from.get<std::uint32_t>();
  row.cause = from.get<RefreshCause>();
  row.since = from.get<Time>();
}

void Refresher::save_rest(ByteWriter& to) const {
  to.put(filled_);
  to.put(allowed_);
  to.put(tally_);
}

void Refresher::load_rest(ByteReader& from) {
  filled_ = from.get<Time>();
  allowed_ = from.get<std::uint64_t>();
  tally_ = from.get<Tally>();
  now_ = ledger_.now();
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    if (!rows_[at]) continue;
    const UserIx user{static_cast<std::uint32_t>(at)};
    const Row& row = *rows_[at];
    if (row.cause != RefreshCause::kCount) queue_.insert({row.cause, row.since, user});
    const ShownList* list = ledger_.newest_list(user);
    if (list == nullptr) continue;
    deadlines_.ask(key_of(user), due(row, *list));
    if (!list->open) continue;
    for (const ShownPlace& place : list->places) name(user, place.item);
  }
}

}  // namespace headroom
