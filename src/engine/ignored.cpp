#include "headroom/engine/ignored.hpp"

#include <algorithm>

namespace headroom {

void Ignored::count(ItemIx item, int change) {
  if (index(item) >= mentions_.size()) mentions_.resize(index(item) + 1);
  mentions_[index(item)] += static_cast<std::uint32_t>(change);
}

void Ignored::add(UserIx user, ItemIx item, Time at, Time now) {
  at = std::min(at, now);
  if (at + time_ <= now) return;
  watch_.changing(user);
  Entries& entries = rows_[index(user)];
  std::erase_if(entries, [&](const Entry& entry) {
    const bool goes = entry.item == item || entry.at + time_ <= now;
    if (goes) count(entry.item, -1);
    return goes;
  });
  if (entries.size() == kMost) {
    count(entries.front().item, -1);
    entries.erase(entries.begin());
  }
  entries.push_back({item, at});
  count(item, 1);
}

void Ignored::drop(UserIx user, ItemIx item) {
  const auto row = rows_.find(index(user));
  if (row == rows_.end()) return;
  const auto is_it = [item](const Entry& entry) { return entry.item == item; };
  if (std::none_of(row->second.begin(), row->second.end(), is_it)) return;
  watch_.changing(user);
  std::erase_if(row->second, is_it);
  count(item, -1);
}

std::vector<ItemIx> Ignored::items(UserIx user, Time now) const {
  std::vector<ItemIx> items;
  const auto row = rows_.find(index(user));
  if (row == rows_.end()) return items;
  for (const Entry& entry : row->second) {
    if (entry.at + time_ > now) items.push_back(entry.item);
  }
  std::sort(items.begin(), items.end());
  return items;
}

void Ignored::erase(UserIx user) {
  const auto row = rows_.find(index(user));
  if (row == rows_.end()) return;
  for (const Entry& entry : row->second) count(entry.item, -1);
  rows_.erase(row);
}

void Ignored::begin_anew() {
  for (const auto& [user, entries] : rows_) {
    watch_.changing(UserIx{static_cast<std::uint32_t>(user)});
  }
  rows_.clear();
  mentions_.clear();
}

// A search over all who ignored anything, where one ignored it: items leave rarely.
void Ignored::erase(ItemIx item) {
  if (index(item) >= mentions_.size() || mentions_[index(item)] == 0) return;
  for (const auto& [user, entries] : rows_) drop(UserIx{static_cast<std::uint32_t>(user)}, item);
}

void Ignored::save(UserIx user, ByteWriter& to) const {
  const auto row = rows_.find(index(user));
  const std::size_t size = row == rows_.end() ? 0 : row->second.size();
  to.put(static_cast<std::uint32_t>(size));
  for (std::size_t n = 0; n < size; ++n) {
    to.put(row->second[n].item);
    to.put(row->second[n].at);
  }
}

void Ignored::load(UserIx user, ByteReader& from) {
  const auto size = from.get<std::uint32_t>();
  if (size == 0) return;
  Entries& entries = rows_[index(user)];
  for (auto left = size; left > 0; --left) {
    const auto item = from.get<ItemIx>();
    entries.push_back({item, from.get<Time>()});
    count(item, 1);
  }
}

}  // namespace headroom
