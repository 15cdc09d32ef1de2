#include "headroom/rank/top_n.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

namespace {

const auto kEverything = [](ItemIx) { return true; };

std::vector<std::uint32_t> items_of(const std::vector<Scored>& list) {
  std::vector<std::uint32_t> items;
  for (const Scored& entry : list) items.push_back(static_cast<std::uint32_t>(entry.item));
  return items;
}

// The same by a full, stable sort.
template <class Allowed>
std::vector<std::uint32_t> by_sorting(const std::vector<float>& scores, std::size_t n,
                                      const Allowed& allowed) {
  std::vector<std::uint32_t> items;
  for (std::uint32_t j = 0; j < scores.size(); ++j) {
    if (allowed(ItemIx{j})) items.push_back(j);
  }
  std::stable_sort(items.begin(), items.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  items.resize(std::min(n, items.size()));
  return items;
}

}  // namespace

TEST_CASE("the best n are those of a full sort, ties by the lower index") {
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    Draws draws(1, Purpose::kWorld, trial);
    const std::size_t items = draws.below(60);
    const std::uint32_t levels = trial % 3 == 0 ? 3 : 1U << 20;  // few levels: many ties
    std::vector<float> scores;
    for (std::size_t j = 0; j < items; ++j) {
      scores.push_back(static_cast<float>(draws.below(levels)) - 1.0F);
    }
    std::vector<bool> open(items);
    for (std::size_t j = 0; j < items; ++j) open[j] = draws.below(4) > 0;
    const auto allowed = [&](ItemIx item) { return open[index(item)]; };
    for (const std::size_t n : {0, 1, 2, 5, 10, 59, 60, 100}) {
      INFO("trial " << trial << ", n = " << n);
      const auto best = top_n(std::span<const float>(scores), n, allowed);
      CHECK(items_of(best) == by_sorting(scores, n, allowed));
      for (const Scored& entry : best) CHECK(entry.score == scores[index(entry.item)]);
    }
  }
}

TEST_CASE("no places, no items or nothing allowed give an empty list") {
  const std::vector<float> scores = {3.0F, 1.0F, 2.0F};
  CHECK(top_n(std::span<const float>(scores), 0, kEverything).empty());
  CHECK(top_n(std::span<const float>(), 5, kEverything).empty());
  CHECK(top_n(std::span<const float>(scores), 5, [](ItemIx) { return false; }).empty());
}

TEST_CASE("more places than items give all items, best first") {
  const std::vector<float> scores = {3.0F, 1.0F, 2.0F};
  CHECK(items_of(top_n(std::span<const float>(scores), 10, kEverything)) ==
        std::vector<std::uint32_t>{0, 2, 1});
}

TEST_CASE("equal scores keep the order of the items") {
  const std::vector<float> scores(8, 0.5F);
  CHECK(items_of(top_n(std::span<const float>(scores), 3, kEverything)) ==
        std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("infinite scores have their place, and 0 and -0 are equal") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> scores = {-kInf, -0.0F, kInf, 0.0F};
  CHECK(items_of(top_n(std::span<const float>(scores), 4, kEverything)) ==
        std::vector<std::uint32_t>{2, 1, 3, 0});
}
