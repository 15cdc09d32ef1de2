#include "headroom/rank/allot.hpp"

#include <cmath>

namespace headroom {

namespace {

template <class HasRoom>
Choice choose(std::span<const float> scores, std::span<const std::uint8_t> offered, std::size_t n,
              const HasRoom& has_room) {
  Choice choice;
  choice.picks =
      top_n(scores, n, [&](ItemIx item) { return offered[index(item)] != 0 && has_room(item); });
  if (choice.picks.size() < n) {  // only then somebody asks why
    for (std::uint32_t j = 0; j < scores.size(); ++j) {
      if (offered[j] == 0) continue;
      ++choice.offered;
      choice.full += has_room(ItemIx{j}) ? 0 : 1;
    }
  }
  return choice;
}

}  // namespace

Choice allot(std::span<const float> scores, std::span<const std::uint8_t> offered,
             const Ledger& ledger, float seats, std::size_t n) {
  return choose(scores, offered, n, [&](ItemIx item) { return seats <= ledger.room(item); });
}

Choice allot_unlimited(std::span<const float> scores, std::span<const std::uint8_t> offered,
                       const Ledger& ledger, std::size_t n) {
  return choose(scores, offered, n, [&](ItemIx item) { return std::isinf(ledger.room(item)); });
}

}  // namespace headroom
