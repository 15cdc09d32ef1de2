#include "simulator/epochs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "headroom/base/random.hpp"
#include "simulator/cpu_clock.hpp"
#include "simulator/quality.hpp"
#include "simulator/split.hpp"

namespace headroom::sim {
namespace {

// A user's test: items that the other half holds, and items that the user does not have at all.
struct Test {
  UserIx user;
  std::vector<ItemIx> liked, unseen;
};

std::vector<ItemIx> draw_unseen(std::span<const std::uint32_t> seen, std::size_t items,
                                std::size_t count, Draws draws) {
  std::vector<ItemIx> unseen;
  for (std::uint32_t j = 0; j < items; ++j) {
    if (!std::binary_search(seen.begin(), seen.end(), j)) unseen.push_back(ItemIx{j});
  }
  count = std::min(count, unseen.size());
  draws.shuffle_first(std::span(unseen), count);
  unseen.resize(count);
  return unseen;
}

std::vector<Test> make_tests(const Ratings& ratings, const Split& split,
                             const EpochsOptions& options) {
  std::vector<Test> tests;
  for (std::uint32_t i = 0; i < ratings.users.size(); ++i) {
    Test test{UserIx{i}, {}, {}};
    for (const std::uint32_t j : split.test.liked_by(i)) test.liked.push_back(ItemIx{j});
    test.unseen = draw_unseen(ratings.of_user(i), ratings.items.size(), options.negatives,
                              Draws(options.seed, Purpose::kJudge, i));
    if (!test.liked.empty() && !test.unseen.empty()) tests.push_back(std::move(test));
  }
  return tests;
}

double auc_of(const Learner& learner, const Test& test) {
  std::vector<float> unseen;
  for (const ItemIx item : test.unseen) unseen.push_back(learner.score(test.user, item));
  double won = 0.0;
  for (const ItemIx item : test.liked) {
    const float score = learner.score(test.user, item);
    for (const float other : unseen) won += pair_won(score, other);
  }
  return won / static_cast<double>(test.liked.size() * unseen.size());
}

double mean_auc(const Learner& learner, const std::vector<Test>& tests, Workers& workers) {
  std::vector<double> by_user(tests.size());
  workers.each(tests.size(), [&](std::size_t n) { by_user[n] = auc_of(learner, tests[n]); });
  return std::accumulate(by_user.begin(), by_user.end(), 0.0) / static_cast<double>(tests.size());
}

using Pairs = std::vector<std::pair<UserIx, ItemIx>>;

// By user, and where each user's begin.
std::pair<Pairs, std::vector<std::size_t>> training_pairs(const Split& split) {
  Pairs pairs;
  std::vector<std::size_t> begins{0};
  for (std::uint32_t i = 0; i < split.train.users; ++i) {
    for (const std::uint32_t j : split.train.liked_by(i)) pairs.emplace_back(UserIx{i}, ItemIx{j});
    begins.push_back(pairs.size());
  }
  return {pairs, begins};
}

void add_rows(Learner& learner, const Ratings& ratings) {
  for (std::uint32_t i = 0; i < ratings.users.size(); ++i) learner.add(UserIx{i});
  for (std::uint32_t j = 0; j < ratings.items.size(); ++j) {
    learner.add(ItemIx{j});
    if (ratings.places.empty() || !std::isfinite(ratings.places[j].lat)) continue;
    learner.place(ItemIx{j}, Position{ratings.places[j].lat, ratings.places[j].lon});
  }
}

// A new order: the users in random blocks, the pairs of a block in random order. What is known of a
// block's users stays in the cache while its pairs are learned.
Pairs shuffled(const Pairs& by_user, std::span<const std::size_t> begins, Draws draws) {
  constexpr std::size_t kBlock = 128;  // users
  std::vector<std::uint32_t> users(begins.size() - 1);
  std::iota(users.begin(), users.end(), 0U);
  draws.shuffle_first(std::span(users), users.size());
  Pairs out;
  out.reserve(by_user.size());
  for (std::size_t first = 0; first < users.size(); first += kBlock) {
    const std::size_t begin = out.size();
    for (std::size_t n = first; n < std::min(first + kBlock, users.size()); ++n) {
      const auto at = [&](std::size_t user) {
        return by_user.begin() + static_cast<std::ptrdiff_t>(begins[user]);
      };
      out.insert(out.end(), at(users[n]), at(users[n] + 1));
    }
    draws.shuffle_first(std::span(out).subspan(begin), out.size() - begin);
  }
  return out;
}

// The first epochs bring most of what is learned, so they are looked at more closely.
std::size_t parts_of(std::size_t epoch) {
  constexpr std::size_t kClosely = 4, kParts = 4;
  return epoch < kClosely ? kParts : 1;
}

}  // namespace

EpochsRun run_epochs(const Ratings& ratings, const EpochsOptions& options, Workers& workers,
                     const std::function<void(const EpochsPoint&)>& progress) {
  const Split split = split_in_halves(ratings, Feedback::kImplicit, options.seed, 0);
  const std::vector<Test> tests = make_tests(ratings, split, options);
  const auto [by_user, begins] = training_pairs(split);
  RowWatch watch;
  Learner learner(options.learner, watch);
  add_rows(learner, ratings);

  EpochsRun out;
  out.train = by_user.size();
  out.test = ratings.size() - by_user.size();
  out.tested_users = tests.size();
  std::uint64_t place = 0;
  double cpu = 0.0;
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    const Pairs pairs = shuffled(by_user, begins, Draws(options.seed, Purpose::kOrder, epoch));
    const std::size_t parts = parts_of(epoch);
    for (std::size_t part = 0, at = 0; part < parts; ++part) {
      const std::size_t end = (part + 1) * pairs.size() / parts;
      const double began = process_cpu_seconds();
      for (; at < end; ++at) learner.like(pairs[at].first, pairs[at].second, 1.0F, 1.0F, ++place);
      learner.flush();
      cpu += process_cpu_seconds() - began;
      const double done =
          static_cast<double>(epoch) + static_cast<double>(part + 1) / static_cast<double>(parts);
      out.points.push_back({done, cpu, mean_auc(learner, tests, workers)});
      if (progress) progress(out.points.back());
    }
  }
  out.rejected_steps = learner.rejected_steps();
  return out;
}

}  // namespace headroom::sim
