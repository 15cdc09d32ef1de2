#include "simulator/split.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/ratings.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

using Ids = std::vector<std::uint32_t>;
using Set = std::set<std::uint32_t>;

Set set_of(std::span<const std::uint32_t> ids) {
  const Set out(ids.begin(), ids.end());
  CHECK(out.size() == ids.size());  // distinct
  return out;
}

bool disjoint(const Set& a, const Set& b) {
  return std::none_of(a.begin(), a.end(), [&](std::uint32_t id) { return b.contains(id); });
}

Set united(Set a, const Set& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// Users with 2, 3, 7, 10 and 1 of 40 items.
Ratings checkins() {
  return ratings_of({run_of(0, 2), run_of(5, 3), run_of(30, 7), run_of(11, 10), run_of(39, 1)}, 40);
}

Ratings stars() {
  std::vector<Rated> many;
  for (std::uint32_t j = 0; j < 20; ++j) many.push_back({j, 1.0F + static_cast<float>(j % 5)});
  return ratings_of({many, {{0, 4.0F}, {1, 3.5F}, {2, 5.0F}}, {{3, 1.0F}, {7, 3.0F}}}, 20, true);
}

}  // namespace

TEST_CASE("each user's ratings are halved, the odd one goes to training") {
  const Ratings ratings = checkins();
  const Split split = split_in_halves(ratings, Feedback::kImplicit, 1, 0);
  const Ids train_sizes = {1, 2, 4, 5, 1};
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    const Set train = set_of(split.train.liked_by(i)), test = set_of(split.test.liked_by(i));
    INFO("user " << i);
    CHECK(train.size() == train_sizes[i]);
    CHECK(disjoint(train, test));
    CHECK(united(train, test) == set_of(ratings.of_user(i)));
  }
  for (const ObservationSet* set : {&split.train, &split.test}) {
    CHECK(set->users == ratings.users.size());
    CHECK(set->items == ratings.items.size());
    CHECK(set->start.size() == ratings.users.size() + 1);
    CHECK(set->start.back() == set->item.size());
    CHECK(set->target.size() == set->item.size());
  }
}

TEST_CASE("beside each half stand as many items that the user has not, none of them twice") {
  const Ratings ratings = checkins();
  for (std::uint64_t repeat = 0; repeat < 50; ++repeat) {
    const Split split = split_in_halves(ratings, Feedback::kImplicit, 1, repeat);
    for (std::size_t i = 0; i < ratings.users.size(); ++i) {
      const Set train = set_of(split.train.disliked_by(i)),
                test = set_of(split.test.disliked_by(i));
      CHECK(train.size() == split.train.liked_by(i).size());
      CHECK(test.size() == split.test.liked_by(i).size());
      CHECK(disjoint(train, test));
      CHECK(disjoint(united(train, test), set_of(ratings.of_user(i))));
    }
  }
}

TEST_CASE("implicit targets are 1 for the user's own items and 0 for the drawn ones") {
  const Split split = split_in_halves(checkins(), Feedback::kImplicit, 1, 0);
  for (const ObservationSet* set : {&split.train, &split.test}) {
    for (std::size_t i = 0; i < set->users; ++i) {
      for (std::size_t n = set->start[i]; n < set->start[i + 1]; ++n) {
        CHECK(set->target[n] == (n < set->start[i] + set->liked[i] ? 1.0F : 0.0F));
      }
    }
  }
}

TEST_CASE("a user with almost all items shares out what is left, one with all gets none") {
  const Ratings ratings = ratings_of({run_of(0, 10), run_of(0, 7), run_of(1, 9)}, 10);
  const Split split = split_in_halves(ratings, Feedback::kImplicit, 1, 0);
  CHECK(split.train.liked_by(0).size() == 5);
  CHECK(split.test.liked_by(0).size() == 5);
  CHECK(split.train.disliked_by(0).empty());
  CHECK(split.test.disliked_by(0).empty());
  // Three left for halves of 4 and 3: two and one.
  CHECK(split.train.disliked_by(1).size() == 2);
  CHECK(split.test.disliked_by(1).size() == 1);
  const Set drawn = united(set_of(split.train.disliked_by(1)), set_of(split.test.disliked_by(1)));
  CHECK(drawn == Set{7, 8, 9});
  // One left for halves of 5 and 4.
  CHECK(split.train.disliked_by(2).size() + split.test.disliked_by(2).size() == 1);
}

TEST_CASE("explicit: four stars or more are +1, less is -1, and nothing is drawn") {
  const Ratings ratings = stars();
  for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
    const Split split = split_in_halves(ratings, Feedback::kExplicit, 1, repeat);
    for (std::size_t i = 0; i < ratings.users.size(); ++i) {
      const Set train = set_of(split.train.of_user(i)), test = set_of(split.test.of_user(i));
      CHECK(train.size() == (ratings.of_user(i).size() + 1) / 2);
      CHECK(disjoint(train, test));
      CHECK(united(train, test) == set_of(ratings.of_user(i)));
      for (const ObservationSet* set : {&split.train, &split.test}) {
        for (std::size_t n = set->start[i]; n < set->start[i + 1]; ++n) {
          const auto seen = ratings.of_user(i);
          const auto at = std::find(seen.begin(), seen.end(), set->item[n]) - seen.begin();
          const bool liked = ratings.value[ratings.start[i] + static_cast<std::size_t>(at)] >= 4.0F;
          CHECK(set->target[n] == (liked ? 1.0F : -1.0F));
          CHECK((n < set->start[i] + set->liked[i]) == liked);  // the liked come first
        }
      }
    }
  }
}

TEST_CASE("explicit feedback of check-ins is refused") {
  CHECK(contains(error_of([] { split_in_halves(checkins(), Feedback::kExplicit, 1, 0); }),
                 "explicit feedback needs a data set of stars"));
}

TEST_CASE("what is known is never recommended: the training likes, or all that was rated") {
  const Split implicit = split_in_halves(checkins(), Feedback::kImplicit, 1, 0);
  CHECK(set_of(implicit.known(3)) == set_of(implicit.train.liked_by(3)));
  const Split with_stars = split_in_halves(stars(), Feedback::kExplicit, 1, 0);
  CHECK(set_of(with_stars.known(0)) == set_of(with_stars.train.of_user(0)));
}

TEST_CASE("the same seed and repeat give the same split, others differ") {
  const Ratings ratings = checkins();
  const auto items = [&](std::uint64_t seed, std::uint64_t repeat) {
    const Split split = split_in_halves(ratings, Feedback::kImplicit, seed, repeat);
    return std::pair(split.train.item, split.test.item);
  };
  CHECK(items(1, 0) == items(1, 0));
  CHECK(items(1, 0) != items(1, 1));
  CHECK(items(1, 0) != items(2, 0));
  CHECK(items(1, 1) != items(2, 0));
}

TEST_CASE(
    "over many repeats each rating is in training half the time, each other item drawn alike") {
  const Ratings ratings = checkins();
  constexpr int kRepeats = 800;
  std::vector<int> trained(40), drawn(40);
  for (std::uint64_t repeat = 0; repeat < kRepeats; ++repeat) {
    const Split split = split_in_halves(ratings, Feedback::kImplicit, 9, repeat);
    for (const std::uint32_t j : split.train.liked_by(3)) ++trained[j];
    for (const std::uint32_t j : split.train.disliked_by(3)) ++drawn[j];
  }
  for (std::uint32_t j = 0; j < 40; ++j) {
    const bool own = j >= 11 && j < 21;
    // Chances 1/2 and 1/6; the bounds are more than 4 standard deviations.
    CHECK(std::abs(trained[j] - (own ? kRepeats / 2 : 0)) < 60);
    CHECK(std::abs(drawn[j] - (own ? 0 : kRepeats / 6)) < 45);
  }
}
