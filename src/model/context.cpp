#include "headroom/model/context.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace headroom {

Point point_of(const Position& position) {
  constexpr double kRadius = kEarthRadius, kDegree = std::numbers::pi / 180.0;
  const double lat = position.lat * kDegree, lon = position.lon * kDegree;
  return {static_cast<float>(kRadius * std::cos(lat) * std::cos(lon)),
          static_cast<float>(kRadius * std::cos(lat) * std::sin(lon)),
          static_cast<float>(kRadius * std::sin(lat))};
}

std::size_t Context::distance_bin(float square) {
  if (!(square >= 1.0F)) return 0;
  const auto exponent = static_cast<std::size_t>(std::bit_cast<std::uint32_t>(square) >> 23U) - 127;
  return std::min(kDistances - 1, 1 + exponent);
}

void Context::light_visits(Lit& lit, std::uint32_t visits, bool last) {
  if (visits == 0) return;
  lit.add(kVisited + std::min<std::size_t>(visits, kVisits) - 1);
  if (last) lit.add(kLast);
}

// Where the sides of an outcome light the same weight, nothing is left to learn of it.
void Context::step(const Adagrad& adagrad) {
  for (const std::uint8_t at : pulled_) {
    if (gradients_[at] != 0.0F) adagrad.move(weights_[at], squares_[at], gradients_[at]);
    gradients_[at] = 0.0F;
  }
  pulled_.clear();
}

void Context::save(ByteWriter& to) const {
  to.put(weights_);
  to.put(squares_);
}

void Context::load(ByteReader& from) {
  weights_ = from.get<decltype(weights_)>();
  squares_ = from.get<decltype(squares_)>();
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(weights_.begin(), weights_.end(), finite) ||
      !std::all_of(squares_.begin(), squares_.end(), finite)) {
    throw Error("the state store: the weights that all users share are damaged");
  }
}

}  // namespace headroom
