#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/readers.hpp"
#include "support/errors.hpp"

namespace headroom::test {

using Rows = std::vector<std::string>;
using Names = std::vector<std::string>;

inline std::string read_error(const sim::ReadOptions& options) {
  return error_of([&] { sim::read_dataset(options); });
}

// "user item value seconds", in the order of the set.
inline Rows rows_of(const sim::Dataset& set) {
  Rows rows;
  for (const auto& row : set.interactions) {
    const auto at = std::chrono::duration_cast<std::chrono::seconds>(row.at.time_since_epoch());
    rows.push_back(set.users.at(index(row.user)) + " " + set.items.at(index(row.item)) + " " +
                   std::to_string(std::lround(row.value)) + " " + std::to_string(at.count()));
  }
  return rows;
}

inline bool warns(const sim::Dataset& set, std::string_view words) {
  return std::any_of(set.warnings.begin(), set.warnings.end(),
                     [&](const std::string& warning) { return contains(warning, words); });
}

}  // namespace headroom::test
