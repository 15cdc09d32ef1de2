#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom::test {

// What a step put out, as the bytes that leave the program.
inline std::string encoded(const Outcome& outcome) {
  std::string lines;
  for (const RankedList& list : outcome.lists) {
    encode(list, lines);
    lines += '\n';
  }
  for (const DeadLetter& letter : outcome.letters) {
    encode(letter, lines);
    lines += '\n';
  }
  return lines;
}

// Rows of a state as a store has them: those that are gone are not there.
class StoredRows {
 public:
  using Key = std::pair<RowKind, std::uint32_t>;

  void put(const State& state, const RowKey& row) {
    ByteWriter bytes;
    state.save(row, bytes);
    const Key key{row.kind, row.row};
    if (bytes.bytes().empty()) {
      rows_.erase(key);
    } else {
      rows_[key] = bytes.bytes();
    }
  }
  // Every row that there is, asked for one by one.
  static StoredRows all_of(const State& state) {
    StoredRows all;
    const auto add = [&](RowKind kind, std::size_t count) {
      for (std::uint32_t row = 0; row < count; ++row) all.put(state, {kind, row});
    };
    add(RowKind::kUser, state.users.rows());
    add(RowKind::kItem, state.items.rows());
    add(RowKind::kSeenIds, state.seen.most() / SeenIds::kRow);
    add(RowKind::kRequests, Pricing::kRequests / Pricing::kBlock);
    add(RowKind::kPrices, state.items.rows() / Pricing::kBlock + 1);
    return all;
  }
  void load_into(State& state, const SavedRest& rest) const {
    state.load(rest, [this](const auto& take) {
      for (const auto& [key, bytes] : rows_) take(RowKey{key.first, key.second}, bytes);
    });
  }
  bool operator==(const StoredRows&) const = default;
  std::size_t size() const { return rows_.size(); }

 private:
  std::map<Key, std::string> rows_;
};

}  // namespace headroom::test
