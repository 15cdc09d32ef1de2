#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "headroom/base/ids.hpp"

namespace headroom {

enum class RowKind : std::uint8_t { kUser, kItem, kSeenIds, kRequests, kPrices, kCount };

struct RowKey {
  RowKind kind = RowKind::kUser;
  std::uint32_t row = 0;
  bool operator==(const RowKey&) const = default;
};

// Which rows of the state changed since the last checkpoint. Who changes a row says so before. A
// checkpoint of many rows is copied in slices while the stream goes on: a row that is about to
// change before its turn is copied first, so that the copies are of one moment.
class RowWatch {
 public:
  void changing(UserIx user) { changing({RowKind::kUser, static_cast<std::uint32_t>(user)}); }
  void changing(ItemIx item) { changing({RowKind::kItem, static_cast<std::uint32_t>(item)}); }
  void changing(RowKey key) {
    auto& marks = marks_[static_cast<std::size_t>(key.kind)];
    if (key.row >= marks.size()) marks.resize(std::size_t{key.row} + 1 + marks.size() / 2);
    auto& mark = marks[key.row];
    if ((mark & kWaiting) != 0) {
      copy_(key);
      mark = static_cast<std::uint8_t>(mark & ~kWaiting);
    }
    if ((mark & kChanged) == 0) {
      mark |= kChanged;
      changed_.push_back(key);
    }
  }

  std::size_t changed() const { return changed_.size(); }

  // Begins a checkpoint of everything changed so far; none may be under way. `copy` is called once
  // for each row, now or in later calls of changing() and copy_some().
  void begin(std::function<void(RowKey)> copy);
  // Copies up to `most` further rows; true when none is left.
  bool copy_some(std::size_t most);
  // Forgets all marks: the state was just loaded.
  void clear();

 private:
  static constexpr std::uint8_t kChanged = 1, kWaiting = 2;
  std::array<std::vector<std::uint8_t>, static_cast<std::size_t>(RowKind::kCount)> marks_;
  std::vector<RowKey> changed_, waiting_;
  std::size_t next_ = 0;
  std::function<void(RowKey)> copy_;
};

}  // namespace headroom
