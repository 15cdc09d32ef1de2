#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "headroom/base/random.hpp"

namespace headroom::sim {

// Draws in proportion to weights at the cost of one random number, however many there are (Vose,
// 1991).
class AliasTable {
 public:
  AliasTable() = default;
  explicit AliasTable(std::span<const double> weights);  // of which one is above 0

  bool empty() const { return keep_.empty(); }
  std::uint32_t pick(Draws& draws) const {
    const double at = draws.uniform() * static_cast<double>(keep_.size());
    const auto cell = static_cast<std::uint32_t>(at);
    return at - cell < static_cast<double>(keep_[cell]) ? cell : other_[cell];
  }

 private:
  std::vector<float> keep_;
  std::vector<std::uint32_t> other_;
};

}  // namespace headroom::sim
