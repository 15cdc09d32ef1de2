#include "simulator/metrics.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

using Row = std::vector<float>;

// Factors whose scores are the given table: V is the unit matrix.
Factors with_scores(const std::vector<Row>& table) {
  Factors factors;
  factors.rank = table.front().size();
  for (const Row& row : table) factors.users.insert(factors.users.end(), row.begin(), row.end());
  factors.items.assign(factors.rank * factors.rank, 0.0F);
  for (std::size_t j = 0; j < factors.rank; ++j) factors.items[j * factors.rank + j] = 1.0F;
  return factors;
}

struct Observed {
  std::vector<std::uint32_t> liked, disliked;
};

ObservationSet set_of(const std::vector<Observed>& users, std::size_t items, float disliked) {
  ObservationSet set;
  set.users = users.size();
  set.items = items;
  set.start.push_back(0);
  for (const Observed& user : users) {
    set.item.insert(set.item.end(), user.liked.begin(), user.liked.end());
    set.item.insert(set.item.end(), user.disliked.begin(), user.disliked.end());
    set.target.insert(set.target.end(), user.liked.size(), 1.0F);
    set.target.insert(set.target.end(), user.disliked.size(), disliked);
    set.liked.push_back(static_cast<std::uint32_t>(user.liked.size()));
    set.start.push_back(static_cast<std::uint32_t>(set.item.size()));
  }
  return set;
}

Split split_of(const std::vector<Observed>& train, const std::vector<Observed>& test,
               std::size_t items, Feedback feedback = Feedback::kImplicit) {
  const float disliked = feedback == Feedback::kImplicit ? 0.0F : -1.0F;
  return {set_of(train, items, disliked), set_of(test, items, disliked), feedback};
}

Lists lists_of(const std::vector<std::vector<std::uint32_t>>& rows) {
  Lists lists;
  for (const auto& row : rows) {
    lists.emplace_back();
    for (const std::uint32_t item : row) lists.back().push_back(ItemIx{item});
  }
  return lists;
}

// Three users and four items, used throughout.
const std::vector<Row> kScores = {
    {0.5F, 2.0F, -1.0F, 0.25F}, {1.0F, 1.0F, 3.0F, 0.0F}, {0.0F, -2.0F, 0.5F, 1.5F}};
const std::vector<Observed> kTrain = {{{0}, {2}}, {{1}, {}}, {{3}, {0}}};
const std::vector<Observed> kTest = {{{1, 3}, {2}}, {{0, 2}, {3, 1}}, {{}, {1}}};

}  // namespace

TEST_CASE("RMSE is the root of the mean over users of the mean over their liked items") {
  Workers workers(2);
  const Factors factors = with_scores(kScores);
  // User 0: (2-1)^2, (0.25-1)^2; user 1: (1-1)^2, (3-1)^2; user 2 likes nothing and is left out.
  const double user_0 = (1.0 + 0.5625) / 2.0, user_1 = (0.0 + 4.0) / 2.0;
  CHECK(rmse(factors, set_of(kTest, 4, 0.0F), Over::kLiked, workers) ==
        Approx(std::sqrt((user_0 + user_1) / 2.0)));
}

TEST_CASE("RMSE over all items takes each against its target, dislikes against -1") {
  Workers workers(2);
  const Factors factors = with_scores(kScores);
  const double user_0 = (1.0 + 0.5625 + 0.0) / 3.0;     // and item 2: (-1 + 1)^2
  const double user_1 = (0.0 + 4.0 + 1.0 + 4.0) / 4.0;  // and items 3 and 1
  const double user_2 = 1.0;                            // item 1: (-2 + 1)^2
  CHECK(rmse(factors, set_of(kTest, 4, -1.0F), Over::kAll, workers) ==
        Approx(std::sqrt((user_0 + user_1 + user_2) / 3.0)));
}

TEST_CASE("the pairwise loss is the share of pairs in the wrong order, ties among them") {
  Workers workers(2);
  const Factors factors = with_scores(kScores);
  // User 0: 2.0 and 0.25 against -1.0: none wrong. User 1: likes 1.0 and 3.0, dislikes 0.0 and 1.0:
  // of four pairs the tie 1.0, 1.0 is wrong. User 2 has no pair.
  CHECK(pairwise_loss(factors, set_of(kTest, 4, 0.0F), workers) == Approx((0.0 + 0.25) / 2.0));
  const std::vector<Observed> upside_down = {{{2}, {0, 1, 3}}, {{3}, {0, 1, 2}}, {{1}, {0, 2, 3}}};
  CHECK(pairwise_loss(factors, set_of(upside_down, 4, 0.0F), workers) == 1.0);
  CHECK(std::isnan(pairwise_loss(factors, set_of({{}, {}, {}}, 4, 0.0F), workers)));
}

TEST_CASE("the capacity loss is the mean over items of the surrogate at usage - capacity") {
  const std::vector<float> usage = {3.0F, 1.0F, 0.0F, 2.0F}, capacity = {1.0F, 1.0F, 2.0F, 4.0F};
  CHECK(capacity_loss(usage, capacity, CapacityLoss::kHinge, 1.0F) == Approx(2.0 / 4.0));
  CHECK(capacity_loss(usage, capacity, CapacityLoss::kHinge, 0.5F) == Approx(4.0 / 4.0));
  const double logistic =
      std::log1p(std::exp(2.0)) + std::log(2.0) + 2.0 * std::log1p(std::exp(-2.0));
  CHECK(capacity_loss(usage, capacity, CapacityLoss::kLogistic, 1.0F) == Approx(logistic / 4.0));
  const double exponential = std::exp(2.0) + 1.0 + 2.0 * std::exp(-2.0);
  CHECK(capacity_loss(usage, capacity, CapacityLoss::kExponential, 1.0F) ==
        Approx(exponential / 4.0));
}

TEST_CASE("lists hold the best items that the user is not known to have, best first") {
  Workers workers(2);
  const Factors factors = with_scores(kScores);
  // Known are 0, 1 and 3; drawn negatives may be recommended.
  CHECK(make_lists(factors, split_of(kTrain, kTest, 4), Candidates::kCatalogue, nullptr, workers) ==
        lists_of({{1, 3, 2}, {2, 0, 3}, {2, 0, 1}}));
  // Explicit: what was disliked in training is known too.
  CHECK(make_lists(factors, split_of(kTrain, kTest, 4, Feedback::kExplicit), Candidates::kCatalogue,
                   nullptr, workers) == lists_of({{1, 3}, {2, 0, 3}, {2, 1}}));
}

TEST_CASE("with a cutoff an item is only on the lists of those that it admits") {
  Workers workers(2);
  const Factors factors = with_scores(kScores);
  // Best user of items 0, 1, 2, 3: users 1, 0, 1, 2. Item 3's best user has it already.
  const Cutoff one_each(factors, {1.0F, 1.0F, 1.0F, 1.0F}, workers);
  CHECK(make_lists(factors, split_of(kTrain, kTest, 4), Candidates::kCatalogue, &one_each,
                   workers) == lists_of({{1}, {2, 0}, {}}));
  const Cutoff none(factors, {0.0F, 0.0F, 0.0F, 0.0F}, workers);
  CHECK(make_lists(factors, split_of(kTrain, kTest, 4), Candidates::kCatalogue, &none, workers) ==
        lists_of({{}, {}, {}}));
}

TEST_CASE("lists of test items hold those only, liked and not, best first") {
  Workers workers(2);
  const Factors factors = with_scores(kScores);
  const Split split = split_of(kTrain, kTest, 4);
  CHECK(make_lists(factors, split, Candidates::kTestItems, nullptr, workers) ==
        lists_of({{1, 3, 2}, {2, 0, 1, 3}, {1}}));
  const Cutoff one_each(factors, {1.0F, 1.0F, 1.0F, 1.0F}, workers);
  CHECK(make_lists(factors, split, Candidates::kTestItems, &one_each, workers) ==
        lists_of({{1}, {2, 0}, {}}));
}

TEST_CASE("lists are no longer than the longest that is reported") {
  Workers workers(1);
  const Factors factors = with_scores({Row(25, 1.0F), Row(25, 2.0F)});
  const Lists lists = make_lists(factors, split_of({{{0}, {}}, {{1}, {}}}, {{}, {}}, 25),
                                 Candidates::kCatalogue, nullptr, workers);
  CHECK(lists[0].size() == kLongest);
  CHECK(lists[0].front() == ItemIx{1});
  CHECK(lists[1].front() == ItemIx{0});
}

TEST_CASE("list metrics by hand at top 2") {
  const Split split = split_of(kTrain, kTest, 4);
  const Lists lists = lists_of({{3, 2, 1}, {3, 2, 0}, {2, 3}});
  const std::vector<float> p = {0.5F, 1.0F, 0.25F}, capacity = {1.0F, 0.5F, 1.5F, 1.75F};
  const ListMetrics at_2 = measure_lists(lists, 2, split, p, capacity);
  // User 0 likes 1 and 3: a hit at rank 1 of 2: AP (1/1) / 2. User 1 likes 0 and 2: a hit at rank
  // 2: AP (1/2) / 2. User 2 likes nothing and has no AP.
  CHECK(at_2.ap == Approx((0.5 + 0.25) / 2.0));
  CHECK(at_2.wap == Approx((0.5 * 0.5 + 1.0 * 0.25) / 1.5));
  // Followers: item 2 0.5 + 1 + 0.25 = 1.75 of 1.5, item 3 1.75 of 1.75, the others 0.
  CHECK(at_2.wmcv == Approx(2.0 / 4.0));
  CHECK(at_2.wmcv_amount == Approx(0.25 / 4.0));
  CHECK(at_2.congestion == Approx(0.25 / 3.5));
  CHECK(at_2.coverage == Approx(2.0 / 4.0));
  // Shown 0, 0, 3, 3 times: (1*0 + 3*0 + 5*3 + 7*3) / (4*6) - 1.
  CHECK(at_2.gini == Approx(0.5));
}

TEST_CASE("average precision counts every hit at its rank, over no more likes than there are") {
  const auto ap = [](const std::vector<std::uint32_t>& list,
                     const std::vector<std::uint32_t>& liked, std::size_t top) {
    const Split split = split_of({{}}, {{liked, {}}}, 6);
    return measure_lists(lists_of({list}), top, split, {1.0F}, std::vector<float>(6, 9.0F)).ap;
  };
  CHECK(ap({0, 1, 2, 3, 4}, {0}, 5) == 1.0);  // fewer liked than places: still 1
  CHECK(ap({1, 0, 2, 3, 4}, {0}, 5) == Approx(0.5));
  CHECK(ap({0, 1, 2, 3, 4}, {0, 2}, 5) == Approx((1.0 + 2.0 / 3.0) / 2.0));
  CHECK(ap({0, 1, 2, 3, 4}, {0, 2, 4, 5}, 2) == Approx(1.0 / 2.0));
  CHECK(ap({0, 1, 2, 3, 4}, {0, 2, 4, 5}, 1) == 1.0);
  CHECK(ap({0}, {0, 1}, 5) == Approx(0.5));  // a short list loses what it lacks
  CHECK(ap({3, 4}, {0}, 5) == 0.0);
  CHECK(ap({}, {0}, 5) == 0.0);
}

TEST_CASE("Gini is 0 when all items are shown alike and near 1 when one has everything") {
  constexpr std::uint32_t kItems = 100;
  const std::vector<float> p(kItems, 0.5F), room(kItems, 1e6F);
  std::vector<std::vector<std::uint32_t>> alike, single;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    alike.push_back({i});
    single.push_back({7});
  }
  const Split split =
      split_of(std::vector<Observed>(kItems), std::vector<Observed>(kItems), kItems);
  const ListMetrics even = measure_lists(lists_of(alike), 10, split, p, room);
  const ListMetrics one = measure_lists(lists_of(single), 10, split, p, room);
  CHECK(even.gini == Approx(0.0).margin(1e-12));
  CHECK(even.coverage == 1.0);
  CHECK(one.gini == Approx(0.99));
  CHECK(one.coverage == Approx(0.01));
  CHECK(one.wmcv == 0.0);
  CHECK(one.congestion == 0.0);
}

TEST_CASE("empty lists and users who never listen give zeros, not NaN") {
  const Split split = split_of(kTrain, kTest, 4);
  const ListMetrics none =
      measure_lists(lists_of({{}, {}, {}}), 10, split, {0.0F, 0.0F, 0.0F}, {1, 1, 1, 1});
  for (const double value : {none.ap, none.wap, none.wmcv, none.wmcv_amount, none.gini,
                             none.coverage, none.congestion}) {
    CHECK(value == 0.0);
  }
}

TEST_CASE("everything beyond capacity is congestion: all on one item without room") {
  const Split split = split_of(kTrain, kTest, 4);
  const ListMetrics full = measure_lists(lists_of({{0}, {0}, {0}}), 1, split, {1.0F, 1.0F, 1.0F},
                                         {1.0F, 1.0F, 1.0F, 1.0F});
  CHECK(full.wmcv == Approx(0.25));
  CHECK(full.wmcv_amount == Approx(2.0 / 4.0));
  CHECK(full.congestion == Approx(2.0 / 3.0));
}
