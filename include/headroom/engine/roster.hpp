#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/base/hash.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/open_addressing.hpp"

namespace headroom {

// Names outside, dense rows inside. A row that is given back is used again, the lowest first, so
// that the rows depend only on which names are there and in which order they came and went.
template <class Ix>
class Roster {
 public:
  std::size_t size() const { return names_.size() - free_.size(); }
  std::size_t rows() const { return names_.size(); }  // given out so far; some may be free again
  bool has(Ix row) const { return index(row) < names_.size() && !names_[index(row)].empty(); }
  const std::string& name(Ix row) const { return names_[index(row)]; }

  std::optional<Ix> find(std::string_view name) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t row = slots_[slot_of(name)];
    if (row == kEmpty) return std::nullopt;
    return Ix{row};
  }

  // The row that the next name gets.
  Ix next() const {
    return Ix{free_.empty() ? static_cast<std::uint32_t>(names_.size()) : free_.top()};
  }

  // `name` is not there yet, and not empty.
  Ix add(std::string_view name) {
    const Ix row = next();
    if (free_.empty()) {
      names_.emplace_back();
    } else {
      free_.pop();
    }
    names_[index(row)] = name;
    if (slots_.size() < 2 * names_.size()) {
      restore(std::move(names_));
    } else {
      slots_[slot_of(name)] = static_cast<std::uint32_t>(row);
    }
    return row;
  }

  void remove(Ix row) {
    erase_slot(slots_, slot_of(names_[index(row)]), kEmpty,
               [this](std::uint32_t other) { return home_of(names_[other]); });
    names_[index(row)] = {};
    free_.push(static_cast<std::uint32_t>(row));
  }

  // For loading: all rows, an empty name for one that is free.
  void restore(std::vector<std::string> names) {
    names_ = std::move(names);
    free_ = {};
    slots_.clear();
    std::size_t capacity = 16;
    while (capacity < 2 * names_.size()) capacity *= 2;
    slots_.assign(capacity, kEmpty);
    for (std::uint32_t row = 0; row < names_.size(); ++row) {
      if (names_[row].empty()) {
        free_.push(row);
      } else {
        slots_[slot_of(names_[row])] = row;
      }
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;

  std::size_t home_of(std::string_view name) const { return hash64(name) & (slots_.size() - 1); }

  // Where the name is, or the empty slot where it would go. Half of the slots are always empty.
  std::size_t slot_of(std::string_view name) const {
    std::size_t slot = home_of(name);
    while (slots_[slot] != kEmpty && names_[slots_[slot]] != name) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  std::vector<std::string> names_;  // by row; empty: free
  std::vector<std::uint32_t> slots_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
};

}  // namespace headroom
