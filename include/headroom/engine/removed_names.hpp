#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/hash.hpp"

namespace headroom {

// Removed items whose rows had to leave at the limit, with the copies they sold: a late check-in
// must not bring one back as an item that anyone may be sent to, nor a later image as one that sold
// nothing. Only the last ones are known, by hash; they are saved with every checkpoint, so they are
// few.
class RemovedNames {
 public:
  static constexpr std::size_t kMost = 4096;

  struct Removed {
    std::uint64_t name;
    std::int64_t sold;
  };

  // Each name at most once: it can only leave again after it was taken out.
  void add(std::string_view name, std::int64_t sold) {
    if (all_.size() == kMost) all_.erase(all_.begin());
    all_.push_back({hash64(name), sold});
  }
  // Out of here, if it was there: it has a row again.
  std::optional<Removed> take(std::string_view name) {
    const std::uint64_t hash = hash64(name);
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [hash](const Removed& each) { return each.name == hash; });
    if (found == all_.end()) return std::nullopt;
    const Removed removed = *found;
    all_.erase(found);
    return removed;
  }

  void save(ByteWriter& to) const { to.put_all(std::span(all_)); }
  void load(ByteReader& from) { all_ = from.get_all<Removed>(); }

 private:
  std::vector<Removed> all_;  // the oldest first
};

}  // namespace headroom
