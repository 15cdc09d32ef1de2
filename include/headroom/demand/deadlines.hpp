#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"

namespace headroom {

// Which row must be looked at next, in the order of (time, kind, row). A row has at most one valid
// entry, its earliest: one that is moved to an earlier time leaves a dead entry behind, one whose
// business went away or moved later is looked at in vain once and asks again. So nothing is ever
// searched for, and the order of what happens never depends on what was asked before. One thread.
class Deadlines {
 public:
  struct Due {
    Time at;
    RowKey key;
  };

  void ask(RowKey key, Time due);  // to be looked at by then at the latest; Time::max(): no wish
  std::optional<Due> pop(Time upto);

  std::size_t size() const { return heap_.size(); }

 private:
  Time& asked(RowKey key);
  void drop_dead();

  std::array<std::vector<Time>, static_cast<std::size_t>(RowKind::kCount)> asked_;
  std::vector<Due> heap_;
  std::size_t dead_ = 0;
};

}  // namespace headroom
