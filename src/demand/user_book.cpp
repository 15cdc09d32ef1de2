#include "headroom/demand/user_book.hpp"

#include <algorithm>

namespace headroom {

namespace {

// Field by field: the padding inside a structure has no value, and equal rows must be equal bytes.
void put(ByteWriter& out, const OutputId& id) {
  out.put(id.instance);
  out.put(id.epoch);
  out.put(id.batch);
  out.put(id.k);
}

OutputId get_id(ByteReader& in) {
  OutputId id;
  id.instance = in.get<std::uint32_t>();
  id.epoch = in.get<std::uint32_t>();
  id.batch = in.get<std::uint64_t>();
  id.k = in.get<std::uint32_t>();
  return id;
}

void put(ByteWriter& out, const ShownList& list) {
  put(out, list.id);
  out.put(list.shown);
  out.put(list.closed);
  out.put(list.party);
  out.put(list.open);
  out.put(list.followed);
  out.put(list.labelled);
  out.put(list.exposed);
  out.put(list.counted);
  out.put(list.by_follow);
  out.put(list.by_coming);
  out.put(static_cast<std::uint32_t>(list.places.size()));
  for (const ShownPlace& place : list.places) {
    out.put(place.item);
    out.put(place.seats);
    out.put(place.expected);
    out.put(place.followed);
    out.put(place.ignored);
    out.put(place.awaited);
    out.put(place.paid);
  }
}

ShownList get_list(ByteReader& in) {
  ShownList list;
  list.id = get_id(in);
  list.shown = in.get<Time>();
  list.closed = in.get<Time>();
  list.party = in.get<Party>();
  list.open = in.get<bool>();
  list.followed = in.get<bool>();
  list.labelled = in.get<bool>();
  list.exposed = in.get<bool>();
  list.counted = in.get<bool>();
  list.by_follow = in.get<bool>();
  list.by_coming = in.get<bool>();
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    ShownPlace& place = list.places.emplace_back();
    place.item = in.get<ItemIx>();
    place.seats = in.get<Seats>();
    place.expected = in.get<float>();
    place.followed = in.get<bool>();
    place.ignored = in.get<bool>();
    place.awaited = in.get<Party>();
    place.paid = in.get<bool>();
  }
  return list;
}

void put(ByteWriter& out, const Way& way) {
  put(out, way.list);
  out.put(way.item);
  out.put(way.until);
  out.put(way.party);
  out.put(way.paid);
}

Way get_way(ByteReader& in) {
  Way way;
  way.list = get_id(in);
  way.item = in.get<ItemIx>();
  way.until = in.get<Time>();
  way.party = in.get<Party>();
  way.paid = in.get<bool>();
  return way;
}

}  // namespace

const ShownPlace* ShownList::place(ItemIx item) const {
  const auto found = std::find_if(places.begin(), places.end(),
                                  [item](const ShownPlace& place) { return place.item == item; });
  return found == places.end() ? nullptr : &*found;
}

const ShownList* UserBook::find(const OutputId& id) const {
  // The newest first: it is the one that most feedback is for.
  const auto found = std::find_if(lists.rbegin(), lists.rend(),
                                  [&id](const ShownList& list) { return list.id == id; });
  return found == lists.rend() ? nullptr : &*found;
}

const ShownList* UserBook::open_list() const {
  return !lists.empty() && lists.back().open ? &lists.back() : nullptr;
}

bool UserBook::has_way_to(ItemIx item) const {
  return std::any_of(ways.begin(), ways.end(), [item](const Way& way) { return way.item == item; });
}

UserBook::Awaiting UserBook::awaiting(ItemIx item) {
  for (ShownList& list : lists) {
    ShownPlace* place = list.followed ? list.place(item) : nullptr;
    if (place != nullptr && place->awaited > 0) return {&list, place};
  }
  return {};
}

void UserBook::save(ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(lists.size()));
  for (const ShownList& list : lists) put(out, list);
  out.put(static_cast<std::uint32_t>(ways.size()));
  for (const Way& way : ways) put(out, way);
  out.put(presence.has_value());
  if (!presence) return;
  out.put(presence->item);
  out.put(presence->party);
  out.put(presence->since);
  out.put(presence->until);
}

UserBook UserBook::load(ByteReader& in) {
  UserBook book;
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) book.lists.push_back(get_list(in));
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) book.ways.push_back(get_way(in));
  if (in.get<bool>()) {
    Presence& presence = book.presence.emplace();
    presence.item = in.get<ItemIx>();
    presence.party = in.get<Party>();
    presence.since = in.get<Time>();
    presence.until = in.get<Time>();
  }
  return book;
}

}  // namespace headroom
