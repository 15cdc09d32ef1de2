#include "headroom/demand/crowd.hpp"

namespace headroom {

Crowd counted_of(std::span<const float> listen) {
  Crowd crowd;
  for (std::size_t i = 0; i < listen.size(); ++i) {
    if (listen[i] > 0.0F) crowd.push_back({UserIx{static_cast<std::uint32_t>(i)}, listen[i]});
  }
  return crowd;
}

double weight_of(const Crowd& crowd) {
  double total = 0.0;
  for (const Counted& counted : crowd) total += static_cast<double>(counted.weight);
  return total;
}

Crowd sample_of(const Crowd& crowd, std::size_t size, Draws draws) {
  Crowd sample;
  if (crowd.empty() || size == 0) return sample;
  const double part = weight_of(crowd) / static_cast<double>(size);
  std::size_t at = 0;
  double passed = static_cast<double>(crowd[0].weight);
  for (std::size_t n = 0; n < size; ++n) {
    const double point = (static_cast<double>(n) + draws.uniform()) * part;
    while (passed <= point && at + 1 < crowd.size()) {
      passed += static_cast<double>(crowd[++at].weight);
    }
    const UserIx user = crowd[at].user;
    if (sample.empty() || sample.back().user != user) sample.push_back({user, 0.0F});
    sample.back().weight += 1.0F;
  }
  return sample;
}

}  // namespace headroom
