#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"

namespace headroom {

// What users said no to lately, part of their rows: no list of theirs repeats it for a while. Only
// the last kMost of a user are known, as many as a list can have. One thread.
class Ignored {
 public:
  static constexpr std::size_t kMost = 1000;

  Ignored(std::chrono::milliseconds time, RowWatch& watch) : time_(time), watch_(watch) {}

  // At a time that may have passed a while ago.
  void add(UserIx user, ItemIx item, Time at, Time now);
  // They went there after all.
  void drop(UserIx user, ItemIx item);
  // What is still not to be repeated; in the order of rows.
  std::vector<ItemIx> items(UserIx user, Time now) const;

  void erase(UserIx user);
  void begin_anew();        // time was wrong
  void erase(ItemIx item);  // its row may be used again

  void save(UserIx user, ByteWriter& to) const;
  void load(UserIx user, ByteReader& from);

 private:
  struct Entry {
    ItemIx item;
    Time at;
  };
  using Entries = std::vector<Entry>;  // as they came, each item once

  void count(ItemIx item, int change);

  std::chrono::milliseconds time_;
  RowWatch& watch_;
  std::unordered_map<std::size_t, Entries> rows_;
  std::vector<std::uint32_t> mentions_;  // by item: in so many users' rows
};

}  // namespace headroom
