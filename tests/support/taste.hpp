#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "headroom/base/lanes.hpp"
#include "headroom/base/random.hpp"
#include "headroom/demand/usage.hpp"

namespace headroom {

// What may happen to a population between two looks at it.
enum class Shock { kNone, kShift, kJump, kHeavyTail, kTwoClusters, kBiasSpread };
inline constexpr std::array kShocks = {Shock::kNone,      Shock::kShift,       Shock::kJump,
                                       Shock::kHeavyTail, Shock::kTwoClusters, Shock::kBiasSpread};
inline const char* word(Shock shock) {
  constexpr std::array kWords = {"as made", "all shift",    "10 % jump",
                                 "heavy p", "two clusters", "biases -6..2"};
  return kWords[static_cast<std::size_t>(shock)];
}

// Made-up users and items: z of three groups with one covariance, p of Beta(1.2, 2.8), biases with
// heavy tails. Scores of one item spread over users by about 1.5.
struct Taste {
  std::size_t rank;
  std::vector<float> users, items;  // rows of `rank`
  std::vector<float> listen, bias;
  AlignedFloats blocks;  // of 16 items, coordinate by coordinate: what score_run reads

  Taste(std::size_t user_count, std::size_t item_count, std::size_t rank_, std::uint64_t seed)
      : rank(rank_),
        users(user_count * rank_),
        items(item_count * rank_),
        listen(user_count),
        bias(item_count) {
    make_users(seed);
    Draws draws(seed, Purpose::kWorld, 1);
    for (float& v : items) v = static_cast<float>(0.35 * draws.normal());
    for (float& b : bias) {
      const double x = draws.normal(), y = draws.normal(), z = draws.normal();
      const double tail = draws.normal() / std::sqrt((x * x + y * y + z * z) / 3.0);
      b = static_cast<float>(std::clamp(-2.0 + 1.2 * tail, -7.0, 3.0));
    }
    fill_blocks();
  }

  std::size_t user_count() const { return listen.size(); }
  std::size_t item_count() const { return bias.size(); }

  void suffer(Shock shock, std::uint64_t seed) {
    Draws draws(seed, Purpose::kWorld, 2);
    std::vector<float> way(rank);
    for (float& x : way) x = static_cast<float>(draws.normal());
    for (std::size_t i = 0; i < user_count(); ++i) {
      const double chance = draws.uniform();
      if (shock == Shock::kShift) move(i, 0.8F, way);
      if (shock == Shock::kJump && chance < 0.1) move(i, 1.5F, way);
      if (shock == Shock::kTwoClusters) move(i, chance < 0.5 ? 1.0F : -1.0F, way);
      if (shock == Shock::kHeavyTail) {
        const double pareto = 0.01 * std::pow(1.0 - chance, -1.0 / 1.2);
        listen[i] = static_cast<float>(std::min(1.0, pareto));
      }
    }
    if (shock == Shock::kBiasSpread) {
      for (float& b : bias) b = static_cast<float>(-6.0 + 8.0 * draws.uniform());
      fill_blocks();
    }
  }

  // Refers to this.
  UsageInput input() const {
    UsageInput input;
    input.users = user_count();
    input.items = item_count();
    input.rank = rank;
    input.listen = listen;
    input.score_all = [this](UserIx user, std::span<float> out) { score_run(user, 0, out); };
    input.score_run = [this](UserIx user, ItemIx first, std::span<float> out) {
      score_run(user, index(first), out);
    };
    input.score_some = [this](UserIx user, std::span<const ItemIx> some, std::span<float> out) {
      score_some(user, some, out);
    };
    input.user_vector = [this](UserIx user) { return &users[index(user) * rank]; };
    input.item_vector = [this](ItemIx item) { return &items[index(item) * rank]; };
    input.item_bias = [this](ItemIx item) { return bias[index(item)]; };
    return input;
  }

 private:
  static constexpr std::size_t kBlock = 16;

  void make_users(std::uint64_t seed) {
    Draws draws(seed, Purpose::kWorld, 0);
    std::vector<float> mix(rank * rank), middles(3 * rank), raw(rank);
    for (std::size_t n = 0; n < mix.size(); ++n) {
      const double along = static_cast<double>(n % rank) / static_cast<double>(rank);
      mix[n] = static_cast<float>((1.6 - 1.3 * along) * draws.normal() /
                                  std::sqrt(static_cast<double>(rank)));
    }
    for (float& m : middles) m = static_cast<float>(0.6 * draws.normal());
    for (std::size_t i = 0; i < user_count(); ++i) {
      const double chance = draws.uniform();
      const std::size_t group = chance < 0.5 ? 0 : chance < 0.8 ? 1 : 2;
      for (float& x : raw) x = static_cast<float>(draws.normal());
      for (std::size_t k = 0; k < rank; ++k) {
        float z = middles[group * rank + k];
        for (std::size_t l = 0; l < rank; ++l) z += mix[k * rank + l] * raw[l];
        users[i * rank + k] = z;
      }
      listen[i] = static_cast<float>(beta(draws, 1.2, 2.8));
    }
  }
  static double beta(Draws& draws, double a, double b) {  // Joehnk's
    for (;;) {
      const double x = std::pow(draws.uniform(), 1.0 / a), y = std::pow(draws.uniform(), 1.0 / b);
      if (x + y <= 1.0 && x > 0.0) return x / (x + y);
    }
  }

  void move(std::size_t user, float far, const std::vector<float>& way) {
    for (std::size_t k = 0; k < rank; ++k) users[user * rank + k] += far * way[k];
  }

  void fill_blocks() {
    const std::size_t count = (item_count() + kBlock - 1) / kBlock;
    blocks.assign(count * (rank + 1) * kBlock, 0.0F);
    for (std::size_t j = 0; j < item_count(); ++j) {
      float* const block = &blocks[j / kBlock * (rank + 1) * kBlock] + j % kBlock;
      block[0] = bias[j];
      for (std::size_t k = 0; k < rank; ++k) block[(k + 1) * kBlock] = items[j * rank + k];
    }
  }

  // `first` is a multiple of kBlock.
  void score_run(UserIx user, std::size_t first, std::span<float> out) const {
    const float* const z = &users[index(user) * rank];
    for (std::size_t at = 0; at < out.size(); at += kBlock) {
      const float* const block = &blocks[(first + at) * (rank + 1)];
      const std::size_t count = std::min(kBlock, out.size() - at);
      float scores[kBlock];
      for (std::size_t n = 0; n < kBlock; n += kLanes) {
        Lanes total = load(block + n);
        for (std::size_t k = 0; k < rank; ++k) total += z[k] * load(block + (k + 1) * kBlock + n);
        store(scores + n, total);
      }
      if (count == kBlock) {
        std::copy_n(scores, kBlock, &out[at]);
      } else {
        std::copy_n(scores, count, &out[at]);
      }
    }
  }

  void score_some(UserIx user, std::span<const ItemIx> some, std::span<float> out) const {
    const float* const z = &users[index(user) * rank];
    const std::size_t whole = rank - rank % kLanes;
    for (std::size_t n = 0; n < some.size(); ++n) {
      const float* const v = &items[index(some[n]) * rank];
      Lanes lanes = {};
      for (std::size_t k = 0; k < whole; k += kLanes) lanes += load(z + k) * load(v + k);
      float total = bias[index(some[n])] + sum(lanes);
      for (std::size_t k = whole; k < rank; ++k) total += z[k] * v[k];
      out[n] = total;
    }
  }
};

// The root of the mean squared relative error.
inline double relative_error(std::span<const float> values, std::span<const float> truths) {
  double squares = 0.0;
  for (std::size_t j = 0; j < truths.size(); ++j) {
    const double error = static_cast<double>(values[j]) / static_cast<double>(truths[j]) - 1.0;
    squares += error * error;
  }
  return truths.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(truths.size()));
}

}  // namespace headroom
