#include "simulator/split.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"
#include "simulator/definitions.hpp"

namespace headroom::sim {
namespace {

using Ids = std::vector<std::uint32_t>;

void add_user(ObservationSet& set, std::span<const std::uint32_t> liked,
              std::span<const std::uint32_t> disliked, float disliked_target) {
  set.item.insert(set.item.end(), liked.begin(), liked.end());
  set.item.insert(set.item.end(), disliked.begin(), disliked.end());
  set.target.insert(set.target.end(), liked.size(), 1.0F);
  set.target.insert(set.target.end(), disliked.size(), disliked_target);
  set.liked.push_back(static_cast<std::uint32_t>(liked.size()));
  set.start.push_back(static_cast<std::uint32_t>(set.item.size()));
}

// As many items as the user has, if there are, that it has not.
Ids draw_unseen(std::span<const std::uint32_t> seen, std::size_t items, Draws draws) {
  Ids all(items), unseen;
  std::iota(all.begin(), all.end(), 0U);
  std::set_difference(all.begin(), all.end(), seen.begin(), seen.end(), std::back_inserter(unseen));
  const std::size_t count = std::min(seen.size(), unseen.size());
  draws.shuffle_first(std::span(unseen), count);
  unseen.resize(count);
  return unseen;
}

void split_implicit(Split& split, std::span<const std::uint32_t> seen,
                    std::span<const std::uint32_t> drawn, std::size_t half, Draws draws) {
  const Ids unseen = draw_unseen(seen, split.train.items, draws);
  const std::size_t unseen_half = (unseen.size() * half + seen.size() / 2) / seen.size();
  const std::span others(unseen);
  add_user(split.train, drawn.first(half), others.first(unseen_half), 0.0F);
  add_user(split.test, drawn.subspan(half), others.subspan(unseen_half), 0.0F);
}

void split_explicit(Split& split, std::span<const std::uint32_t> drawn, std::size_t half,
                    const Ratings& ratings, std::size_t user) {
  const auto add = [&](ObservationSet& set, std::span<const std::uint32_t> part) {
    Ids liked, disliked;
    for (const std::uint32_t item : part) {
      const auto seen = ratings.of_user(user);
      const auto at = std::lower_bound(seen.begin(), seen.end(), item) - seen.begin();
      const float stars = ratings.value[ratings.start[user] + static_cast<std::size_t>(at)];
      (stars >= kLikedStars ? liked : disliked).push_back(item);
    }
    add_user(set, liked, disliked, -1.0F);
  };
  add(split.train, drawn.first(half));
  add(split.test, drawn.subspan(half));
}

}  // namespace

Split split_in_halves(const Ratings& ratings, Feedback feedback, std::uint64_t seed,
                      std::uint64_t repeat) {
  if (feedback == Feedback::kExplicit && !ratings.has_stars) {
    throw Error("explicit feedback needs a data set of stars; this one has check-ins only");
  }
  Split split;
  split.feedback = feedback;
  for (ObservationSet* set : {&split.train, &split.test}) {
    set->users = ratings.users.size();
    set->items = ratings.items.size();
    set->start.push_back(0);
  }
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    const auto seen = ratings.of_user(i);
    Ids drawn(seen.begin(), seen.end());
    Draws(seed, Purpose::kSplit, place_in_repeat(repeat, i))
        .shuffle_first(std::span(drawn), drawn.size());
    const std::size_t half = (drawn.size() + 1) / 2;
    if (feedback == Feedback::kImplicit) {
      split_implicit(split, seen, drawn, half,
                     Draws(seed, Purpose::kNegatives, place_in_repeat(repeat, i)));
    } else {
      split_explicit(split, drawn, half, ratings, i);
    }
  }
  return split;
}

}  // namespace headroom::sim
