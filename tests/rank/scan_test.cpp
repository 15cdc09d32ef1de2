#include "headroom/rank/scan.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

UserIx user(std::size_t i) { return UserIx{static_cast<std::uint32_t>(i)}; }
ItemIx item(std::size_t j) { return ItemIx{static_cast<std::uint32_t>(j)}; }

// A learner that learned a little, prices and rooms: all random, with many ties.
struct World {
  World(LearnerOptions options, std::size_t users_, std::size_t items_, std::uint64_t seed)
      : users(users_), items(items_), learner(options, watch), draws(seed, Purpose::kWorld, 0) {
    for (std::size_t i = 0; i < users; ++i) learner.add(user(i));
    for (std::size_t j = 0; j < items; ++j) {
      learner.add(item(j));
      if (draws.below(5) > 0) {
        learner.place(item(j), Position{1.3 + 0.1 * draws.uniform(), 103.8 + draws.uniform() / 10});
      }
    }
    // The last user did nothing, and of a few items there is nothing left.
    const std::size_t likes = items == 0 || users < 2 ? 0 : 3 * users;
    for (std::size_t n = 0; n < likes; ++n) {
      like(draws.below(static_cast<std::uint32_t>(users - 1)), 0.2F);
    }
    for (std::size_t n = 0; n < items / 20; ++n) {
      learner.erase(item(draws.below(static_cast<std::uint32_t>(items))));
    }
    const float seats[] = {-1.0F, 0.0F, 0.3F, 1.0F, kInf};
    const bool empty_blocks = draws.below(2) == 0;
    for (std::size_t j = 0; j < items; ++j) {
      const float step = j % 2 == 0 ? 0.05F : 0.2F;
      prices.push_back(draws.below(3) == 0 ? step * static_cast<float>(draws.below(4)) : 0.0F);
      const bool none = (empty_blocks && j / 64 % 3 != 0) || !learner.has(item(j));
      room.push_back(none ? -1.0F : seats[draws.below(5)]);
      cutoffs.push_back(draws.below(2) == 0 ? -kInf : static_cast<float>(draws.uniform()) - 0.5F);
    }
  }

  void like(std::size_t who, float share) {
    const auto some = std::max(1.0F, share * static_cast<float>(items));
    const ItemIx liked = item(draws.below(static_cast<std::uint32_t>(some)));
    if (learner.has(liked)) learner.like(user(who), liked, 1.0F, 1.0F, ++place);
  }

  std::vector<Found> by_sorting(const Seeker& seeker, const Seeker::Wish& wish,
                                const Search& search, std::span<const float> rooms) const {
    std::vector<Found> all;
    for (std::size_t j = 0; j < std::min(items, rooms.size()); ++j) {
      if (!(wish.seats <= rooms[j])) continue;
      if (seeker.filter != nullptr && !seeker.filter->allows(item(j))) continue;
      const float score = learner.score(seeker.user, item(j));
      if (j < search.cutoffs.size() && score <= search.cutoffs[j]) continue;
      const float worth = search.calibration != nullptr ? search.calibration->chance(score) : score;
      all.push_back({worth - (j < search.prices.size() ? search.prices[j] : 0.0F), score, item(j)});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Found& a, const Found& b) { return a.value > b.value; });
    all.resize(std::min(all.size(), wish.most));
    return all;
  }

  std::size_t users, items;
  RowWatch watch;
  Learner learner;
  Draws draws;
  std::uint64_t place = 0;
  std::vector<float> prices, room, cutoffs;
};

void check_same(const std::vector<Found>& found, const std::vector<Found>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    CHECK(found[n].item == expected[n].item);
    CHECK(found[n].score == expected[n].score);
    CHECK(found[n].value == expected[n].value);
  }
}

LearnerOptions random_options(Draws& draws) {
  LearnerOptions options;
  const Method methods[] = {Method::kBpr, Method::kGeoBpr, Method::kPmf};
  options.method = methods[draws.below(3)];
  options.rank = 1 + draws.below(33);
  options.bias = draws.below(3) > 0;
  options.start_deviation = draws.below(3) == 0 ? 0.0F : 0.1F;  // 0: all that is new is the same
  options.mini_batch = draws.below(4) == 0 ? 3 : 1;
  return options;
}

}  // namespace

TEST_CASE(
    "a scan finds what sorting all items finds, bit for bit, on any threads and in any groups") {
  Workers one(1), three(3);
  for (const KernelKind kind : runnable_kernels()) {
    use_kernels(kind);
    for (std::uint64_t trial = 0; trial < 40; ++trial) {
      INFO("kernels " << kernels().name << ", trial " << trial);
      Draws draws(7, Purpose::kWorld, trial);
      const LearnerOptions options = random_options(draws);
      const std::size_t items = trial < 4 ? trial : trial % 8 == 7 ? 5'000 : draws.below(700);
      World world(options, 1 + draws.below(70), items, trial);
      Calibration calibration;
      for (int n = 0; n < 30; ++n) {
        const float scores[] = {0.5F + static_cast<float>(draws.uniform()), 0.0F, -0.5F, 0.2F};
        calibration.observe(scores, 1.0F);
      }
      std::vector<Seeker> seekers;
      std::vector<ItemIx> without;
      for (std::size_t j = 0; j < items; ++j) {
        if (draws.below(10) == 0) without.push_back(item(j));
      }
      Filter filter;
      filter.ignore(without);
      const float seats[] = {0.0F, 0.25F, 0.9F, kInf};
      const std::size_t most[] = {0, 1, 10, 256, 6'000};
      for (std::size_t i = 0; i < world.users + 1; ++i) {  // and one who is not there
        seekers.push_back({user(i), {}, draws.below(2) == 0 ? &filter : nullptr});
        for (Seeker::Wish& wish : seekers.back().wishes) {
          wish = {most[draws.below(5)], seats[draws.below(4)]};
        }
      }
      const auto half = std::span<const float>(world.prices).first(items / 2);
      const Search some[] = {{&calibration, world.prices, {}},
                             {nullptr, {}, {}},
                             {&calibration, {}, {}},
                             {nullptr, half, {}},
                             {nullptr, {}, world.cutoffs}};
      std::vector<Search> searches;  // one to three of them, in any order
      for (std::size_t k = 0; k <= trial % kMostSearches; ++k) {
        searches.push_back(some[(trial + 2 * k) % std::size(some)]);
      }
      const auto rooms =
          std::span<const float>(world.room).first(trial % 3 == 0 ? items / 2 : items);
      world.learner.line_up();
      const auto found = scan(world.learner, seekers, searches, rooms, one);
      const auto again = scan(world.learner, seekers, searches, rooms, three);
      REQUIRE(found.size() == seekers.size());
      for (std::size_t n = 0; n < seekers.size(); ++n) {
        const auto alone = n % 7 != 0 ? found[n]
                                      : scan(world.learner, std::span(seekers).subspan(n, 1),
                                             searches, rooms, one)[0];
        for (std::size_t k = 0; k < kMostSearches; ++k) {
          const auto expected =
              k < searches.size()
                  ? world.by_sorting(seekers[n], seekers[n].wishes[k], searches[k], rooms)
                  : std::vector<Found>{};
          check_same(found[n][k], expected);
          check_same(again[n][k], expected);
          check_same(alone[k], expected);
        }
      }
    }
  }
  use_kernels(KernelKind::kBest);
}

TEST_CASE("what moves between two scans is found where it is now") {
  Workers one(1);
  LearnerOptions options;
  options.method = Method::kBpr;
  World world(options, 20, 300, 5);
  const std::vector<float> room(world.items, kInf);
  for (int round = 0; round < 20; ++round) {
    world.like(static_cast<std::size_t>(round % 19), 1.0F);
    if (round % 3 == 0) {
      const ItemIx gone = item(world.draws.below(300));
      world.learner.erase(gone);
      if (round % 2 == 0) world.learner.add(gone);
    }
    world.learner.line_up();
    for (float& price : world.prices) price = static_cast<float>(world.draws.uniform()) / 10;
    const Search search{nullptr, world.prices, {}};
    const auto rooms = std::span(room).first(world.learner.items());
    std::vector<Seeker> seekers;
    for (std::size_t i = 0; i < world.users; ++i)
      seekers.push_back({user(i), {Seeker::Wish{10, 0.0F}}});
    const auto found = scan(world.learner, seekers, std::span(&search, 1), rooms, one);
    for (std::size_t n = 0; n < seekers.size(); ++n) {
      check_same(found[n][0], world.by_sorting(seekers[n], seekers[n].wishes[0], search, rooms));
    }
  }
}

TEST_CASE("a scan is not misled where the best lie together") {
  Workers one(1);
  LearnerOptions options;
  options.method = Method::kBpr;
  World world(options, 20, 4'000, 6);
  std::vector<Seeker> seekers;
  for (std::size_t i = 0; i < world.users; ++i) {
    seekers.push_back({user(i), {Seeker::Wish{200 + 50 * (i % 9), 0.0F}}});
  }
  const std::vector<float> room(world.items, 1.0F);
  // Whatever part of the blocks is looked at first, once it is far better than the rest.
  for (std::size_t part = 0; part < 8; ++part) {
    std::vector<float> prices(world.items, 0.5F);
    for (std::size_t j = 0; j < world.items; ++j) {
      if (j / kBlockItems % 8 == part) prices[j] = 0.0F;
    }
    const Search search{nullptr, prices, {}};
    world.learner.line_up();
    const auto found = scan(world.learner, seekers, std::span(&search, 1), room, one);
    for (std::size_t n = 0; n < seekers.size(); ++n) {
      check_same(found[n][0], world.by_sorting(seekers[n], seekers[n].wishes[0], search, room));
    }
  }
}

TEST_CASE("the sum of the best counts at most n values, and none below 0") {
  const std::vector<Found> found = {{3.0F, 0, item(1)}, {2.0F, 0, item(0)}, {-1.0F, 0, item(2)}};
  CHECK(sum_of_best(found, 0) == 0.0);
  CHECK(sum_of_best(found, 1) == 3.0);
  CHECK(sum_of_best(found, 5) == 5.0);
}
