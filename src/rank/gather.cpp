#include "headroom/rank/gather.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace headroom {

// Some askers at a time, so that what was found is not held twice of all. Best first: a solve looks
// through candidates in such an order more than twice as fast as in any other.
void gather(Demand& demand, std::span<const UserIx> users, std::size_t most, const Learner& learner,
            const Search& search, std::span<const float> room, Workers& workers) {
  assert(users.size() == demand.askers.size() && search.calibration != nullptr);
  constexpr std::size_t kAtOnce = 1024;
  const std::size_t expected = users.size() * std::min(most, learner.items());
  demand.items.reserve(expected);
  demand.chances.reserve(expected);
  std::vector<Seeker> seekers;
  for (std::size_t first = 0; first < users.size(); first += seekers.size()) {
    seekers.clear();
    for (std::size_t i = first; i < std::min(users.size(), first + kAtOnce); ++i) {
      const std::size_t wanted = std::max<std::size_t>(most, demand.askers[i].n);
      seekers.push_back({users[i], {Seeker::Wish{wanted, 0.0F}}});
    }
    const auto found = scan(learner, seekers, std::span(&search, 1), room, workers);
    for (std::size_t n = 0; n < seekers.size(); ++n) {
      Demand::Asker& asker = demand.askers[first + n];
      asker.begin = demand.items.size();
      for (const Found& one : found[n][0]) {
        const std::size_t j = index(one.item);
        demand.items.push_back(one.item);
        demand.chances.push_back(one.value + (j < search.prices.size() ? search.prices[j] : 0.0F));
      }
      asker.end = demand.items.size();
    }
  }
}

}  // namespace headroom
