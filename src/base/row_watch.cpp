#include "headroom/base/row_watch.hpp"

namespace headroom {

void RowWatch::begin(std::function<void(RowKey)> copy) {
  copy_ = std::move(copy);
  waiting_ = std::exchange(changed_, {});
  next_ = 0;
  for (const RowKey key : waiting_) {
    marks_[static_cast<std::size_t>(key.kind)][key.row] = kWaiting;
  }
}

bool RowWatch::copy_some(std::size_t most) {
  for (; most > 0 && next_ < waiting_.size(); --most, ++next_) {
    const RowKey key = waiting_[next_];
    auto& mark = marks_[static_cast<std::size_t>(key.kind)][key.row];
    if ((mark & kWaiting) == 0) continue;
    copy_(key);
    mark = static_cast<std::uint8_t>(mark & ~kWaiting);
  }
  if (next_ < waiting_.size()) return false;
  waiting_ = {};
  next_ = 0;
  return true;
}

void RowWatch::clear() {
  for (auto& marks : marks_) marks.clear();
  changed_.clear();
  waiting_.clear();
  next_ = 0;
}

}  // namespace headroom
