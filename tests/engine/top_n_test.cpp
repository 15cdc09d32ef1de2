#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "support/catch.hpp"
#include "support/numbered.hpp"
#include "support/world.hpp"

namespace headroom {
namespace {

using test::seats;
using test::World;

struct Candidate {
  std::string name;
  float score, room;
  std::uint32_t row;
};

// All items that are open and have room for `held`, best first, the older row first among equals.
std::vector<Candidate> brute_force(World& world, const std::string& user, float held,
                                   const std::vector<std::string>& shut) {
  std::vector<Candidate> all;
  const State& state = world.state();
  for (std::uint32_t j = 0; j < state.items.rows(); ++j) {
    const ItemIx item{j};
    if (!state.items.has(item)) continue;
    const std::string& name = state.items.name(item);
    if (std::find(shut.begin(), shut.end(), name) != shut.end()) continue;
    if (state.ledger.room(item) < held) continue;
    const float score = state.learner.score(state.users.find(user).value_or(kNobody), item);
    all.push_back({name, score, state.ledger.room(item), j});
  }
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(b.score, a.row) < std::tie(a.score, b.row);
  });
  return all;
}

TEST_CASE("engine: a list is exactly the best that fit, through a crowded day") {
  for (const Method method : {Method::kPmf, Method::kBpr, Method::kGeoMf, Method::kGeoBpr}) {
    auto options = test::story_options();
    options.learner.method = method;
    options.learner.rank = 5;
    World world(options, 2);
    std::mt19937_64 random(static_cast<std::uint64_t>(method) + 1);
    const auto below = [&](int n) {
      return static_cast<int>(random() % static_cast<std::uint64_t>(n));
    };
    std::vector<std::string> shut;
    for (int j = 0; j < 60; ++j) {
      const std::string name = test::numbered("i", j);
      const int kind = below(10);
      world.item(name, [&](ItemUpdate& image) {
        if (kind < 8) image.capacity = seats(1 + below(4));
        image.closed = kind == 9;
        if (below(4) > 0) image.position = Position{1.3 + j * 0.001, 103.8 + below(100) * 0.0005};
      });
      if (kind == 9) shut.push_back(name);
    }
    int full = 0;
    for (int n = 0; n < 1500; ++n) {
      const std::string user = test::numbered("u", below(40));
      if (below(2) == 0) {
        world.check_in(user, test::numbered("i", below(60)));
        continue;
      }
      const auto size = static_cast<std::uint16_t>(1 + below(25));
      const auto party = static_cast<Party>(1 + below(4));
      // What was open is freed before the list is made.
      if (world.knows_user(user)) world.state().ledger.replace(world.user_ix(user), world.time());
      const float listening =
          world.knows_user(user) ? world.listening(user) : world.state().listening.prior().mean;
      const float held = listening * static_cast<float>(party);
      auto wanted = brute_force(world, user, held, shut);
      const auto list = world.request(user, size, party);
      REQUIRE(list.listen_propensity == listening);
      full += wanted.size() < size;
      wanted.resize(std::min<std::size_t>(wanted.size(), size));
      REQUIRE(list.items.size() == wanted.size());
      for (std::size_t at = 0; at < wanted.size(); ++at) {
        const ListedItem& place = list.items[at];
        if (place.item != wanted[at].name) FAIL("place " << at + 1 << " of list " << n);
        // Scores of a run are summed in another order than a single one.
        const float chance = world.state().calibration.chance(wanted[at].score);
        if (std::abs(place.score - chance) > 1e-5F) FAIL("score in list " << n);
        if (place.room != wanted[at].room || place.held != held) FAIL("room in list " << n);
      }
      CHECK(list.reason.empty() == (list.items.size() == size));
    }
    CHECK(full > 0);
  }
}

}  // namespace
}  // namespace headroom
