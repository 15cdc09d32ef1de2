#include "headroom/engine/state.hpp"

#include <utility>

#include "headroom/engine/journal.hpp"

namespace headroom {

State::State(const EngineOptions& options)
    : learner(options.learner, watch),
      pressure(options.pressure, options.learner.negatives),
      pricing(options.pricing, options.ledger.window, watch),
      ledger(options.ledger, watch),
      listening(options.listening, watch),
      catalogue(options.lists.time_zone),
      ignored(options.lists.ignored, watch),
      refresher(options.refresh, options.ledger.window, obeys_room(options.allot.policy), ledger,
                catalogue, watch),
      seen(options.seen_ids, watch),
      most_users_(options.most_users),
      most_items_(options.most_items) {}

std::optional<UserIx> State::add_user(std::string_view name) {
  if (full_of_users()) {
    const auto leaving = leaving_user();
    if (!leaving) return std::nullopt;
    remove(*leaving);
    ++counters.evicted_users;
  }
  watch.changing(users.next());
  const UserIx user = users.add(name);
  touch(user);
  learner.add(user);
  return user;
}

std::optional<ItemIx> State::add_item(std::string_view name) {
  if (full_of_items()) {
    const auto leaving = leaving_item();
    if (!leaving) return std::nullopt;
    if (catalogue.image(*leaving).removed) {
      removed_.add(items.name(*leaving), ledger.sold(*leaving));
    }
    remove(*leaving);
    ++counters.evicted_items;
  }
  watch.changing(items.next());
  const ItemIx item = items.add(name);
  touch(item);
  learner.add(item);
  const auto removed = removed_.take(name);
  ItemUpdate image;
  image.removed = removed.has_value();
  catalogue.put(item, std::move(image));
  ledger.set_item(item, std::nullopt, std::nullopt);
  if (removed) ledger.set_sold(item, removed->sold);
  return item;
}

std::optional<UserIx> State::leaving_user() {
  return user_recency.longest_unseen([&](UserIx user) { return ledger.idle(user); });
}

std::optional<ItemIx> State::leaving_item() {
  return item_recency.longest_unseen([&](ItemIx item) { return may_leave(item); });
}

bool State::may_leave(ItemIx item) const {
  if (!ledger.idle(item) || !catalogue.expendable(item)) return false;
  return ledger.sold(item) == 0 || catalogue.image(item).removed;
}

std::vector<UserIx> State::take_idle() {
  auto idle = ledger.take_idle_users();
  for (const UserIx user : idle) {
    if (users.has(user)) user_recency.offer(user);
    if (ledger.idle(user)) refresher.erase(user);
  }
  for (const ItemIx item : ledger.take_idle_items()) {
    if (items.has(item)) item_recency.offer(item);
  }
  return idle;
}

void State::touch(UserIx user) {
  watch.changing(user);
  user_recency.touch(user);
  if (index(user) >= seen_at_.size()) seen_at_.resize(index(user) + 1);
  seen_at_[index(user)] = ledger.now();
}

void State::touch(ItemIx item) {
  watch.changing(item);
  item_recency.touch(item);
}

void State::remove(UserIx user) {
  watch.changing(user);
  user_recency.remove(user);
  users.remove(user);
  learner.erase(user);
  listening.erase(user);
  pricing.erase(user);
  ignored.erase(user);
  refresher.erase(user);
}

void State::remove(ItemIx item) {
  watch.changing(item);
  item_recency.remove(item);
  items.remove(item);
  learner.erase(item);
  catalogue.erase(item);
  ignored.erase(item);
  ledger.remove_item(item);
  pricing.drop(item);
}

void State::save(const RowKey& key, ByteWriter& to) const {
  switch (key.kind) {
    case RowKind::kUser: {
      const UserIx user{key.row};
      if (!users.has(user)) break;
      to.put_text(users.name(user));
      to.put(user_recency.sight(user));
      to.put(seen_at(user));
      learner.save(user, to);
      listening.save(user, to);
      pricing.save(user, to);
      ledger.save(user, to);
      ignored.save(user, to);
      refresher.save(user, to);
      break;
    }
    case RowKind::kItem: {
      const ItemIx item{key.row};
      if (!items.has(item)) break;
      to.put_text(items.name(item));
      to.put(item_recency.sight(item));
      catalogue.save(item, to);
      learner.save(item, to);
      ledger.save(item, to);
      break;
    }
    case RowKind::kSeenIds:
      seen.save(key.row, to);
      break;
    case RowKind::kRequests:
      pricing.save_requests(key.row, to);
      break;
    case RowKind::kPrices:
      pricing.save_prices(key.row, to);
      break;
    case RowKind::kCount:
      break;
  }
}

SavedRest State::save_rest() const {
  ByteWriter to;
  to.put(now.has_value());
  to.put(now.value_or(Time{}).time_since_epoch().count());
  to.put_text(encode(JournalEntry{batch, {}, taken}));
  to.put_text(made.list ? to_text('r', *made.list) : "");
  to.put_text(made.letter ? to_text('d', *made.letter) : "");
  to.put(user_recency.sights());
  to.put(item_recency.sights());
  to.put(seen.added());
  to.put(counters);
  learner.save_shared(to);
  calibration.save(to);
  choice.save(to);
  pressure.save(to);
  pricing.save(to);
  listening.save_population(to);
  ledger.save_shared(to);
  agreement.save(to);
  removed_.save(to);
  refresher.save_rest(to);
  return {batch, to.bytes()};
}

void State::load(const SavedRest& rest, const EachRow& rows) {
  std::vector<std::string> user_names, item_names;
  std::vector<std::pair<std::uint64_t, UserIx>> user_sights;
  std::vector<std::pair<std::uint64_t, ItemIx>> item_sights;
  const auto name_of = [](std::vector<std::string>& names, std::size_t row, ByteReader& from) {
    if (names.size() <= row) names.resize(row + 1);
    names[row] = from.get_text();
  };
  rows([&](const RowKey& key, std::string_view bytes) {
    ByteReader from(bytes);
    switch (key.kind) {
      case RowKind::kUser: {
        const UserIx user{key.row};
        name_of(user_names, key.row, from);
        user_sights.emplace_back(from.get<std::uint64_t>(), user);
        if (seen_at_.size() <= key.row) seen_at_.resize(std::size_t{key.row} + 1);
        seen_at_[key.row] = from.get<Time>();
        learner.load(user, from);
        listening.load(user, from);
        pricing.load(user, from);
        ledger.load(user, from);
        ignored.load(user, from);
        refresher.load(user, from);
        break;
      }
      case RowKind::kItem: {
        const ItemIx item{key.row};
        name_of(item_names, key.row, from);
        item_sights.emplace_back(from.get<std::uint64_t>(), item);
        catalogue.load(item, from);
        learner.load(item, from);
        ledger.load(item, from);
        break;
      }
      case RowKind::kSeenIds:
        seen.load(key.row, from);
        break;
      case RowKind::kRequests:
        pricing.load_requests(key.row, from);
        break;
      case RowKind::kPrices:
        pricing.load_prices(key.row, from);
        break;
      case RowKind::kCount:
        break;
    }
    if (!from.empty()) throw Error("the state store: a row is longer than it should be");
  });
  users.restore(std::move(user_names));
  items.restore(std::move(item_names));

  ByteReader from(rest.bytes);
  batch = rest.batch;
  const bool has_now = from.get<bool>();
  const Time saved_now{Time::duration(from.get<Time::rep>())};
  now = has_now ? std::optional(saved_now) : std::nullopt;
  taken = decode_journal_entry(from.get_text()).bounds;
  made.list = parse_output_id('r', from.get_text());
  made.letter = parse_output_id('d', from.get_text());
  user_recency.restore(user_sights, from.get<std::uint64_t>());
  item_recency.restore(item_sights, from.get<std::uint64_t>());
  seen.restore(from.get<std::uint64_t>());
  counters = from.get<Counters>();
  learner.load_shared(from);
  calibration.load(from);
  choice.load(from);
  pressure.load(from);
  pricing.load(from);
  listening.load_population(from);
  ledger.load_shared(from);
  agreement.load(from);
  removed_.load(from);
  catalogue.begin_anew(ledger.now());
  catalogue.take_lost();
  refresher.load_rest(from);
  watch.clear();
}

}  // namespace headroom
