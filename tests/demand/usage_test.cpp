#include "headroom/demand/usage.hpp"

#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "headroom/demand/crowd.hpp"
#include "support/catch.hpp"
#include "support/taste.hpp"

namespace headroom {
namespace {

UserIx user_ix(std::size_t user) { return UserIx{static_cast<std::uint32_t>(user)}; }

// The definition, in double, from scores as they are given.
std::vector<double> defined(const UsageInput& input) {
  std::vector<double> usage(input.items);
  std::vector<float> scores(input.items);
  for (std::size_t i = 0; i < input.users; ++i) {
    const double p = static_cast<double>(input.listen[i]);
    if (p == 0.0) continue;
    input.score_all(user_ix(i), scores);
    for (std::size_t j = 0; j < input.items; ++j) {
      usage[j] += p / (1.0 + std::exp(-static_cast<double>(scores[j])));
    }
  }
  return usage;
}

void check_close(const std::vector<float>& values, const std::vector<double>& truths) {
  REQUIRE(values.size() == truths.size());
  double worst = 0.0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double away = std::fabs(static_cast<double>(values[j]) - truths[j]);
    if (away > 1e-30) worst = std::max(worst, away / truths[j]);
  }
  CHECK(worst < 1e-4);
}

TEST_CASE("usage: recomputed is its definition") {
  Workers workers(2);
  for (const std::size_t users : {0U, 1U, 127U, 128U, 129U, 1000U}) {
    for (const std::size_t items : {0U, 1U, 15U, 16U, 17U, 333U}) {
      for (const std::size_t rank : {1U, 5U, 16U}) {
        Taste taste(users, items, rank, 7);
        for (std::size_t i = 0; i < users; i += 3) taste.listen[i] = 0.0F;
        INFO(users << " users, " << items << " items, rank " << rank);
        check_close(recompute_usage(taste.input(), workers), defined(taste.input()));
      }
    }
  }
}

TEST_CASE("usage: recomputed holds with a hundred thousand users") {
  Workers workers(2);
  const Taste taste(100'000, 20, 4, 3);
  check_close(recompute_usage(taste.input(), workers), defined(taste.input()));
}

TEST_CASE("usage: scored run by run is the same as all at once") {
  Workers workers(2);
  const Taste taste(300, 2'500, 6, 3);
  UsageInput at_once = taste.input();
  at_once.score_run = nullptr;
  CHECK(recompute_usage(taste.input(), workers) == recompute_usage(at_once, workers));
  CHECK(estimate_usage(taste.input(), 99, {}, workers) == estimate_usage(at_once, 99, {}, workers));
}

TEST_CASE("usage: nobody counted") {
  Workers workers(1);
  Taste taste(200, 30, 4, 1);
  std::fill(taste.listen.begin(), taste.listen.end(), 0.0F);
  const std::vector<float> none(30);
  CHECK(recompute_usage(taste.input(), workers) == none);
  CHECK(estimate_usage(taste.input(), 64, {}, workers) == none);
  CHECK(audit_usage(taste.input(), none, 64, {}, workers) == 0.0F);
}

TEST_CASE("usage: huge scores are chances of 0 and 1") {
  Workers workers(1);
  Taste taste(300, 8, 2, 5);
  UsageInput input = taste.input();
  input.score_run = nullptr;
  input.score_all = [](UserIx, std::span<float> out) {
    const float scores[8] = {1e30F, -1e30F, 200.0F, -200.0F, 90.0F, -80.0F, 0.0F, 30.0F};
    std::copy_n(scores, out.size(), out.data());
  };
  const std::vector<float> values = recompute_usage(input, workers);
  const double all = std::accumulate(taste.listen.begin(), taste.listen.end(), 0.0);
  CHECK(values[0] == Approx(all));
  CHECK(values[1] < 1e-30F);
  CHECK(values[2] == Approx(all));
  CHECK(values[3] < 1e-30F);
  CHECK(values[4] == Approx(all));
  CHECK(values[5] == Approx(all * std::exp(-80.0)).epsilon(1e-4));
  CHECK(values[6] == Approx(all / 2.0));
  CHECK(values[7] == Approx(all));

  // Users and items so far out that variances are huge: still finite, and within all and nobody.
  for (float& z : taste.users) z *= 1e6F;
  for (const float value : estimate_usage(taste.input(), 64, {}, workers)) {
    CHECK(value >= 0.0F);
    CHECK(value <= static_cast<float>(all) * 1.0001F);
  }
}

TEST_CASE("usage: rows that are not there") {
  Workers workers(2);
  Taste taste(2'000, 120, 8, 11);
  UsageInput input = taste.input();
  for (std::size_t i = 0; i < input.users; i += 2) taste.listen[i] = 0.0F;
  const auto gone = [](std::size_t j) { return j % 5 == 4; };
  const auto every = input.item_vector;
  input.item_vector = [&](ItemIx item) { return gone(index(item)) ? nullptr : every(item); };
  const auto vector = input.user_vector;
  std::atomic<int> strangers = 0;
  input.user_vector = [&](UserIx user) {
    if (taste.listen[index(user)] == 0.0F) ++strangers;
    return vector(user);
  };
  const std::vector<double> truths = defined(input);
  const std::vector<float> exact = recompute_usage(input, workers);
  const std::vector<float> estimated = estimate_usage(input, 500, {1, 2}, workers);
  for (std::size_t j = 0; j < input.items; ++j) {
    if (gone(j)) {
      CHECK(exact[j] == 0.0F);
      CHECK(estimated[j] == 0.0F);
    } else {
      CHECK(exact[j] == Approx(truths[j]).epsilon(1e-4));
      CHECK(estimated[j] == Approx(truths[j]).epsilon(0.15));
    }
  }
  CHECK(strangers == 0);  // who isn't counted isn't asked for
  CHECK(audit_usage(input, exact, 64, {1, 2}, workers) < 1e-5F);
  input.listen = input.listen.first(1'000);  // rows beyond: not there
  CHECK(sizes_of(input).counted == 500);
  CHECK(recompute_usage(input, workers)[0] < exact[0]);
}

TEST_CASE("usage: the same bits on any number of threads") {
  const Taste taste(5'000, 700, 10, 2);
  Workers one(1);
  const std::vector<float> exact = recompute_usage(taste.input(), one);
  const std::vector<float> estimated = estimate_usage(taste.input(), 512, {3, 4}, one);
  const float error = audit_usage(taste.input(), estimated, 64, {3, 4}, one);
  for (const std::size_t threads : {2U, 5U}) {
    Workers workers(threads);
    CHECK(recompute_usage(taste.input(), workers) == exact);
    CHECK(estimate_usage(taste.input(), 512, {3, 4}, workers) == estimated);
    CHECK(audit_usage(taste.input(), estimated, 64, {3, 4}, workers) == error);
  }
  // Another refresh, or another seed, draws others.
  CHECK(estimate_usage(taste.input(), 512, {3, 5}, one) != estimated);
  CHECK(estimate_usage(taste.input(), 512, {4, 4}, one) != estimated);
  CHECK(audit_usage(taste.input(), estimated, 64, {3, 5}, one) != error);
}

TEST_CASE("usage: a sample is drawn in proportion to weight") {
  Crowd crowd;
  for (std::size_t i = 0; i < 1'000; ++i) {
    crowd.push_back({user_ix(i), i == 500 ? 250.0F : 0.25F * static_cast<float>(1 + i % 4)});
  }
  const double part = weight_of(crowd) / 200.0;
  std::vector<double> hits(crowd.size());
  constexpr int kTimes = 400;
  for (int time = 0; time < kTimes; ++time) {
    const Crowd sample = sample_of(crowd, 200, Draws(1, Purpose::kUsage, time));
    REQUIRE(weight_of(sample) == 200.0);
    for (const auto& [user, weight] : sample) hits[index(user)] += static_cast<double>(weight);
  }
  CHECK(hits[500] / kTimes == Approx(250.0 / part).margin(1.0));
  for (const std::size_t kind : {0U, 1U, 2U, 3U}) {
    double total = 0.0;
    for (std::size_t i = kind; i < hits.size(); i += 4) total += i == 500 ? 0.0 : hits[i];
    const double users = kind == 0 ? 249.0 : 250.0;
    const double wanted = users * 0.25 * static_cast<double>(kind + 1) / part * kTimes;
    CHECK(total == Approx(wanted).margin(4.0 * std::sqrt(wanted)));
  }
  CHECK(sample_of({}, 10, Draws(1, Purpose::kUsage, 0)).empty());
}

TEST_CASE("usage: estimated stays within 1.2 % whatever happens to the population") {
  Workers workers(2);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Taste made(20'000, 120, 16, seed);
    for (const Shock shock : kShocks) {
      Taste taste = made;
      taste.suffer(shock, seed);
      const std::vector<float> exact = recompute_usage(taste.input(), workers);
      const std::vector<float> estimated =
          estimate_usage(taste.input(), UsageOptions{}.sample, {seed, 9}, workers);
      INFO(word(shock) << ", seed " << seed);
      CHECK(relative_error(estimated, exact) < 0.012);
    }
  }
}

// Also where other parts of a score are not small, of which the quadratic knows nothing.
TEST_CASE("usage: the mean of many estimates is the truth") {
  Workers workers(1);
  constexpr std::size_t kTimes = 100;
  for (const bool with_others : {false, true}) {
    Taste taste(3'000, 100, 8, 12);
    taste.suffer(Shock::kTwoClusters, 12);
    UsageInput input = taste.input();
    input.score_run = nullptr;
    const auto known = input.score_all;
    input.score_all = [&](UserIx user, std::span<float> out) {
      known(user, out);
      for (std::size_t j = 0; with_others && j < out.size(); ++j) {
        out[j] += (index(user) + j) % 7 == 0 ? 2.0F : 0.0F;
      }
    };
    const std::vector<float> exact = recompute_usage(input, workers);
    std::vector<float> mean(input.items);
    double squares = 0.0;
    for (std::size_t n = 0; n < kTimes; ++n) {
      const std::vector<float> estimated = estimate_usage(input, 256, {12, n}, workers);
      for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += estimated[j] / kTimes;
      squares += std::pow(relative_error(estimated, exact), 2) / kTimes;
    }
    INFO("with others " << with_others << ", one: " << std::sqrt(squares));
    CHECK(relative_error(mean, exact) < 2.0 * std::sqrt(squares / kTimes));
  }
}

TEST_CASE("usage: a sample of everybody leaves no difference") {
  Workers workers(1);
  Taste taste(1'000, 50, 16, 4);
  std::fill(taste.listen.begin(), taste.listen.end(), 0.5F);
  const std::vector<float> exact = recompute_usage(taste.input(), workers);
  CHECK(relative_error(estimate_usage(taste.input(), 1'000'000, {}, workers), exact) < 1e-3);
  // Users who are all alike are known from one of them.
  for (std::size_t n = 16; n < taste.users.size(); ++n) taste.users[n] = taste.users[n - 16];
  const std::vector<float> alike = recompute_usage(taste.input(), workers);
  CHECK(relative_error(estimate_usage(taste.input(), 1, {}, workers), alike) < 1e-4);
}

// Given the estimate, an audit is the mean of 64 squared errors drawn without replacement: it may
// stray from the mean of all by four of its standard deviations.
TEST_CASE("usage: an audit agrees with the true error") {
  Workers workers(2);
  constexpr std::size_t kItems = 500, kAudits = 20;
  for (const Shock shock : {Shock::kNone, Shock::kJump}) {
    Taste taste(6'000, kItems, 16, 6);
    taste.suffer(shock, 6);
    const std::vector<float> exact = recompute_usage(taste.input(), workers);
    const std::vector<float> estimated = estimate_usage(taste.input(), 600, {6, 1}, workers);
    double mean = 0.0, fourth = 0.0;
    for (std::size_t j = 0; j < kItems; ++j) {
      const double square = std::pow(static_cast<double>(estimated[j] / exact[j]) - 1.0, 2);
      mean += square / kItems;
      fourth += square * square / kItems;
    }
    const double deviation = std::sqrt((fourth - mean * mean) / 64.0);
    double audits = 0.0;
    for (std::size_t n = 0; n < kAudits; ++n) {
      const double error =
          static_cast<double>(audit_usage(taste.input(), estimated, 64, {6, n}, workers));
      CHECK(error * error == Approx(mean).margin(4.0 * deviation));
      audits += error * error / kAudits;
    }
    CHECK(audits == Approx(mean).margin(4.0 * deviation / std::sqrt(kAudits)));
    // All items audited: no sample at all.
    const float all = audit_usage(taste.input(), estimated, kItems, {}, workers);
    CHECK(static_cast<double>(all) == Approx(std::sqrt(mean)).epsilon(1e-3));
  }
}

TEST_CASE("usage: a refresh recomputes what is cheap") {
  Workers workers(1);
  const Taste taste(900, 300, 8, 8);
  const Usage usage = refresh_usage(taste.input(), {}, 0, {1, 1}, workers);
  CHECK(usage.how == UsageHow::kExact);
  CHECK(usage.work == 900.0 * 300.0);
  CHECK(usage.error == 0.0F);
  CHECK(usage.sample == 0);
  CHECK(usage.values == recompute_usage(taste.input(), workers));

  const Taste empty(0, 0, 8, 8);
  CHECK(refresh_usage(empty.input(), {}, 0, {1, 1}, workers).values.empty());
}

TEST_CASE("usage: a refresh estimates what is dear, and says how well") {
  Workers workers(2);
  const Taste taste(20'000, 600, 16, 8);
  const Usage usage = refresh_usage(taste.input(), {}, 0, {1, 1}, workers);
  CHECK(usage.how == UsageHow::kEstimated);
  CHECK(usage.sample == UsageOptions{}.sample);
  CHECK(usage.next_sample == usage.sample);
  CHECK(usage.error > 0.0F);
  CHECK(usage.error < 0.012F);
  CHECK(usage.work == estimate_work({20'000, 600, 16}, usage.sample, 64));
  CHECK(usage.work < recompute_work({20'000, 600, 16}));
  CHECK(usage.values == estimate_usage(taste.input(), usage.sample, {1, 1}, workers));
}

TEST_CASE("usage: over budget the sample grows until to recompute is cheaper") {
  Workers workers(2);
  const Taste taste(3'000, 400, 8, 9);
  UsageOptions options;
  options.most_exact = 0;
  options.sample = 100;
  options.budget = 1e-4F;
  std::size_t sample = 0;
  std::vector<std::size_t> samples;
  Usage usage;
  for (std::uint64_t refresh = 0; refresh < 8; ++refresh) {
    usage = refresh_usage(taste.input(), options, sample, {1, refresh}, workers);
    samples.push_back(usage.sample);
    sample = usage.next_sample;
  }
  CHECK(samples == std::vector<std::size_t>{100, 200, 400, 800, 0, 0, 0, 0});
  CHECK(usage.how == UsageHow::kExact);
  CHECK(usage.error == 0.0F);

  // Up to its limit only; and back, but not below the first, when the budget is far.
  options.most_sample = 300;
  CHECK(refresh_usage(taste.input(), options, 200, {1, 1}, workers).next_sample == 300);
  CHECK(refresh_usage(taste.input(), options, 800, {1, 1}, workers).sample == 300);
  options.budget = 10.0F;
  CHECK(refresh_usage(taste.input(), options, 300, {1, 1}, workers).next_sample == 150);
  CHECK(refresh_usage(taste.input(), options, 150, {1, 1}, workers).next_sample == 100);
}

}  // namespace
}  // namespace headroom
