#include "headroom/demand/listening.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace headroom {
namespace {

using std::chrono::hours;

constexpr Time kStart{hours(480000)};

UserIx user_ix(std::size_t user) { return UserIx{static_cast<std::uint32_t>(user)}; }

ListeningOptions of_kind(ListeningKind kind) {
  ListeningOptions options;
  options.kind = kind;
  return options;
}

struct Draws {
  std::mt19937_64 engine{17};
  double uniform() { return std::uniform_real_distribution<double>()(engine); }
  double beta(double a, double b) {
    const double x = std::gamma_distribution<double>(a)(engine);
    return x / (x + std::gamma_distribution<double>(b)(engine));
  }
};

// Users with constant truths from Beta(1.2, 2.8), 10 to 40 labels each, one after another in turn.
struct Crowd {
  std::vector<double> truths;
  std::vector<int> labels;
  Crowd(std::size_t users, Draws& draws) {
    for (std::size_t u = 0; u < users; ++u) {
      truths.push_back(draws.beta(1.2, 2.8));
      labels.push_back(10 + static_cast<int>(draws.uniform() * 31));
    }
  }
  void teach(Listening& listening, float exposure, Draws& draws) const {
    for (int round = 0; round < 40; ++round) {
      for (std::size_t u = 0; u < truths.size(); ++u) {
        if (round >= labels[u]) continue;
        const bool followed = draws.uniform() < static_cast<double>(exposure) * truths[u];
        listening.observe(user_ix(u), followed, exposure, kStart + hours(round));
      }
    }
  }
  double covered(const Listening& listening) const {
    double inside = 0;
    for (std::size_t u = 0; u < truths.size(); ++u) {
      const Estimate e = listening.estimate(user_ix(u), kStart + hours(40));
      inside += e.low <= truths[u] && truths[u] <= e.high;
    }
    return inside / static_cast<double>(truths.size());
  }
};

// The strength of the learned prior shows in how far one follow moves a new user.
double strength(const Listening& listening, RowWatch& watch) {
  ByteWriter population;
  listening.save_population(population);
  Listening copy(of_kind(ListeningKind::kBeta), watch);
  ByteReader in(population.bytes());
  copy.load_population(in);
  ByteWriter row;
  row.put(1.0F);
  row.put(1.0F);
  row.put(kStart);
  row.put(std::uint32_t{1});
  ByteReader one_follow(row.bytes());
  copy.load(user_ix(0), one_follow);
  const double m = copy.prior().mean, after = copy.mean(user_ix(0), kStart);
  return (1.0 - after) / (after - m);
}

TEST_CASE("listening: the prior of a known population is learned") {
  Draws draws;
  RowWatch watch;
  Listening listening(of_kind(ListeningKind::kBeta), watch);
  const Crowd crowd(2000, draws);
  crowd.teach(listening, 1.0F, draws);
  CHECK(listening.prior().mean == Approx(0.3).epsilon(0.03));
  CHECK(strength(listening, watch) == Approx(4.0).epsilon(0.08));
}

TEST_CASE("listening: a 90 % interval holds 90 % of the truths") {
  for (const float exposure : {1.0F, 0.6F}) {
    Draws draws;
    RowWatch watch;
    Listening listening(of_kind(ListeningKind::kBeta), watch);
    const Crowd crowd(4000, draws);
    crowd.teach(listening, exposure, draws);
    const double covered = crowd.covered(listening);
    INFO("exposure " << exposure);
    CHECK(listening.prior().mean == Approx(0.3).epsilon(0.05));
    CHECK(covered > (exposure == 1.0F ? 0.87 : 0.82));
    CHECK(covered < 0.93);
  }
}

TEST_CASE("listening: few users do not move the prior far") {
  RowWatch watch;
  Listening listening(of_kind(ListeningKind::kBeta), watch);
  for (int n = 0; n < 1000; ++n) listening.observe(user_ix(0), true, 1.0F, kStart);
  const Estimate prior = listening.prior();
  CHECK(prior.mean < 0.75F);
  CHECK(prior.low < 0.3F);
  CHECK(listening.mean(user_ix(0), kStart) > 0.99F);
}

TEST_CASE("listening: the ratio is the paper's") {
  RowWatch watch;
  Listening listening(of_kind(ListeningKind::kRatio), watch);
  for (int n = 0; n < 8; ++n) listening.observe(user_ix(3), n < 2, 1.0F, kStart);
  const Estimate e = listening.estimate(user_ix(3), kStart);
  CHECK(e.mean == Approx(2.0 / 8.0));
  // Wilson's interval of 2 in 8 with z = 1.645, by hand.
  CHECK(e.low == Approx(0.0875).margin(0.001));
  CHECK(e.high == Approx(0.5391).margin(0.001));
  listening.observe(user_ix(4), false, 1.0F, kStart);
  CHECK(listening.mean(user_ix(4), kStart) == Approx(0.01));  // clipped
  // Nothing shown: the population's, with the configured one weighing 20 labels.
  CHECK(listening.mean(user_ix(9), kStart) == Approx((0.3 * 20 + 2) / (20 + 9)));
}

TEST_CASE("listening: who forgets follows a jump") {
  ListeningOptions options = of_kind(ListeningKind::kForgetting);
  options.half_life = hours(24 * 7);
  RowWatch watch;
  Listening forgetting(options, watch), remembering(of_kind(ListeningKind::kBeta), watch);
  Draws draws;
  Time at = kStart;
  for (int n = 0; n < 400; ++n, at += hours(12)) {
    const bool followed = draws.uniform() < (n < 300 ? 0.8 : 0.1);
    forgetting.observe(user_ix(0), followed, 1.0F, at);
    remembering.observe(user_ix(0), followed, 1.0F, at);
  }
  CHECK(forgetting.mean(user_ix(0), at) < 0.25F);
  CHECK(remembering.mean(user_ix(0), at) > 0.5F);
  // And forgets all in the end.
  CHECK(forgetting.mean(user_ix(0), at + hours(24 * 7 * 60)) == Approx(forgetting.prior().mean));
}

TEST_CASE("listening: estimates are finite and in order whatever was seen") {
  for (const auto kind :
       {ListeningKind::kRatio, ListeningKind::kBeta, ListeningKind::kForgetting}) {
    for (const float exposure : {0.0F, 1e-6F, 0.5F, 1.0F}) {
      for (const double chance : {0.0, 0.5, 1.0}) {
        RowWatch watch;
        Draws draws;
        Listening listening(of_kind(kind), watch);
        for (int n = 0; n < 300; ++n) {
          const UserIx user = user_ix(static_cast<std::size_t>(n % 3));
          listening.observe(user, draws.uniform() < chance, exposure, kStart + hours(n % 7 * 1000));
          const Estimate e = listening.estimate(user, kStart + hours(n % 5 * 100000));
          const bool good = e.low >= 0.0F && e.low <= e.mean && e.mean <= e.high && e.high <= 1.0F;
          if (!good) FAIL(e.low << " " << e.mean << " " << e.high << " after " << n);
        }
        CHECK(listening.prior().mean > 0.0F);
      }
    }
  }
}

TEST_CASE("listening: saved and loaded goes on the same; erased is new") {
  for (const auto kind : {ListeningKind::kBeta, ListeningKind::kForgetting}) {
    RowWatch watch;
    Draws draws;
    Listening straight(of_kind(kind), watch), resumed(of_kind(kind), watch);
    const Crowd crowd(50, draws);
    crowd.teach(straight, 0.8F, draws);
    ByteWriter out;
    straight.save_population(out);
    for (std::size_t u = 0; u < 50; ++u) straight.save(user_ix(u), out);
    ByteReader in(out.bytes());
    resumed.load_population(in);
    for (std::size_t u = 0; u < 50; ++u) resumed.load(user_ix(u), in);
    CHECK(in.empty());
    straight.observe(user_ix(7), true, 0.3F, kStart + hours(900));
    resumed.observe(user_ix(7), true, 0.3F, kStart + hours(900));
    for (std::size_t u = 0; u < 51; ++u) {
      const Time at = kStart + hours(1000);
      CHECK(straight.estimate(user_ix(u), at).low == resumed.estimate(user_ix(u), at).low);
      CHECK(straight.mean(user_ix(u), at) == resumed.mean(user_ix(u), at));
    }
    resumed.erase(user_ix(7));
    CHECK(resumed.mean(user_ix(7), kStart) == resumed.prior().mean);
  }
}

}  // namespace
}  // namespace headroom
