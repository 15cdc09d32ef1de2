#include "headroom/model/factor_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headroom {

void FactorRows::start(std::size_t row, float deviation, float squares_start, Draws draws) {
  clear(row);
  float* const at = weights(row);
  for (std::size_t k = 0; k < rank_; ++k) at[k] = deviation * static_cast<float>(draws.normal());
  std::fill_n(squares(row), rank_, squares_start);
}

void FactorRows::clear(std::size_t row) {
  std::fill_n(weights(row), padded_, 0.0F);
  std::fill_n(squares(row), padded_, 0.0F);
}

void FactorRows::save(std::size_t row, ByteWriter& to) const {
  to.put_all(std::span(weights(row), rank_));
  to.put_all(std::span(squares(row), rank_));
}

void FactorRows::restore(std::size_t row, ByteReader& from) {
  clear(row);
  for (float* part : {weights(row), squares(row)}) {
    const std::vector<float> values = from.get_all<float>();
    const bool good =
        values.size() == rank_ &&
        std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
    if (!good) throw Error("the state store: a row of factors has another rank or is damaged");
    std::copy(values.begin(), values.end(), part);
  }
}

}  // namespace headroom
