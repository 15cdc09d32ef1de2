#include "headroom/base/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "headroom/base/lanes.hpp"
#include "headroom/base/random.hpp"
#include "support/catch.hpp"

using namespace headroom;

// One contract for every kind of kernel: the plain formulas in double.

namespace {

AlignedFloats numbers(std::uint64_t place, std::size_t count, double spread = 1.0) {
  Draws draws(3, Purpose::kWorld, place);
  AlignedFloats out(count);
  for (float& value : out) value = static_cast<float>(spread * draws.normal());
  return out;
}

double dot(const float* a, const float* b, std::size_t size) {
  double total = 0.0;
  for (std::size_t k = 0; k < size; ++k) total += double{a[k]} * b[k];
  return total;
}

double sigmoid_of(double x) { return 1.0 / (1.0 + std::exp(-x)); }

struct Moved {
  double weight, squares;
};
Moved moved(double weight, double squares, double gradient, Rate rate) {
  gradient += rate.l2 * weight;
  squares += gradient * gradient;
  return {weight - rate.step * gradient / (std::sqrt(squares) + 1e-8), squares};
}

template <class Check>
void for_every_kind(const Check& check) {
  for (const KernelKind kind : runnable_kernels()) {
    const Kernels& kernels = kernels_of(kind);
    INFO("kernels " << kernels.name);
    check(kernels);
  }
}

constexpr std::size_t kWidths[] = {16, 32, 48};
constexpr std::size_t kCounts[] = {0, 1, 5, 16, 17, 40};

}  // namespace

TEST_CASE("the plain kernels are always there, and the best are the last") {
  const auto kinds = runnable_kernels();
  REQUIRE_FALSE(kinds.empty());
  CHECK(kinds.front() == KernelKind::kPlain);
  CHECK(&kernels_of(KernelKind::kBest) == &kernels_of(kinds.back()));
  int lanes = 0;
  for_every_kind([&](const Kernels& kernels) {
    CHECK(kernels.lanes > lanes);
    lanes = kernels.lanes;
  });
  use_kernels(KernelKind::kPlain);
  CHECK(kernels().name == "plain");
  use_kernels(KernelKind::kBest);
}

TEST_CASE("dots of gathered rows") {
  for_every_kind([](const Kernels& kernels) {
    for (const std::size_t width : kWidths) {
      for (const std::size_t count : kCounts) {
        const AlignedFloats x = numbers(1, width), table = numbers(2, width * count);
        std::vector<const float*> rows;
        for (std::size_t n = 0; n < count; ++n) rows.push_back(&table[n * width]);
        std::vector<float> gathered(count);
        kernels.dots(x.data(), rows.data(), count, width, gathered.data());
        for (std::size_t n = 0; n < count; ++n) {
          CHECK(gathered[n] == Approx(dot(x.data(), rows[n], width)).margin(1e-5));
        }
      }
    }
  });
}

TEST_CASE("a score is the same, bit for bit, by rows, by blocks and in a tile of users") {
  for_every_kind([](const Kernels& kernels) {
    for (const std::size_t rank : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33}) {
      constexpr std::size_t kBlocks = 3, kCount = kBlocks * kBlockItems;
      constexpr float kBelow = -1e9F;  // for what is not said
      const AlignedFloats users = numbers(1, rank * kTileUsers), cuts = numbers(4, kTileUsers);
      const AlignedFloats blocks = numbers(2, kBlocks * block_floats(rank));
      // The same items as rows.
      AlignedFloats table(kCount * rank), biases(kCount);
      std::vector<const float*> rows(kCount);
      for (std::size_t j = 0; j < kCount; ++j) {
        const float* const at = &blocks[j / kBlockItems * block_floats(rank) + j % kBlockItems];
        biases[j] = at[0];
        for (std::size_t k = 0; k < rank; ++k) table[j * rank + k] = at[(1 + k) * kBlockItems];
        rows[j] = &table[j * rank];
      }
      AlignedFloats tiles(kTileUsers * kCount);
      for (std::size_t b = 0; b < kBlocks; ++b) {
        AlignedFloats tile(kTileUsers * kBlockItems);
        std::uint32_t above[kTileUsers];
        const std::uint32_t any = kernels.score_tile(
            users.data(), rank, &blocks[b * block_floats(rank)], cuts.data(), tile.data(), above);
        CHECK(any == std::accumulate(above, above + kTileUsers, 0U, std::bit_or<>()));
        for (std::size_t u = 0; u < kTileUsers; ++u) {
          for (std::size_t n = 0; n < kBlockItems; ++n) {
            const bool is_above = (above[u] >> n & 1U) != 0;
            tiles[u * kCount + b * kBlockItems + n] = is_above ? tile[u * kBlockItems + n] : kBelow;
          }
        }
      }
      for (std::size_t u = 0; u < kTileUsers; ++u) {
        AlignedFloats z(rank), by_blocks(kCount), by_rows = biases;
        for (std::size_t k = 0; k < rank; ++k) z[k] = users[k * kTileUsers + u];
        kernels.score_blocks(z.data(), rank, blocks.data(), kBlocks, by_blocks.data());
        kernels.score_rows(z.data(), rank, rows.data(), kCount, by_rows.data());
        for (std::size_t b = 0; b < kBlocks; ++b) {
          const float* const block = &by_blocks[b * kBlockItems];
          const std::uint32_t above = kernels.above(block, cuts[u]);
          for (std::size_t n = 0; n < kBlockItems; ++n) {
            CHECK(((above >> n & 1U) != 0) == (block[n] > cuts[u]));
          }
        }
        for (std::size_t j = 0; j < kCount; ++j) {
          CHECK(by_blocks[j] ==
                Approx(double{biases[j]} + dot(z.data(), rows[j], rank)).margin(1e-4));
          CHECK(tiles[u * kCount + j] == (by_blocks[j] > cuts[u] ? by_blocks[j] : kBelow));
          CHECK(by_blocks[j] == by_rows[j]);
          float alone = biases[j];
          kernels.score_rows(z.data(), rank, &rows[j], 1, &alone);
          CHECK(alone == by_rows[j]);
        }
      }
    }
  });
}

TEST_CASE("a step is Adagrad's, and padding stays 0") {
  for_every_kind([](const Kernels& kernels) {
    AlignedFloats weights = numbers(1, 32), squares(32, 0.5F), gradient = numbers(3, 32);
    for (std::size_t k = 20; k < 32; ++k) weights[k] = squares[k] = gradient[k] = 0.0F;
    const AlignedFloats before = weights;
    kernels.step(weights.data(), squares.data(), gradient.data(), {0.3F, 0.02F}, 32);
    for (std::size_t k = 0; k < 20; ++k) {
      const Moved expected = moved(before[k], 0.5, gradient[k], {0.3F, 0.02F});
      CHECK(weights[k] == Approx(expected.weight).margin(1e-6));
      CHECK(squares[k] == Approx(expected.squares));
    }
    for (std::size_t k = 20; k < 32; ++k) CHECK(weights[k] == 0.0F);
  });
}

TEST_CASE("an outcome moves all rows on gradients from before any of them moved") {
  for_every_kind([](const Kernels& kernels) {
    constexpr std::size_t kWidth = 32, kItems = 3;
    constexpr Rate kItemRate{0.05F, 0.01F}, kUserRate{0.4F, 0.02F};
    AlignedFloats items = numbers(1, kItems * kWidth), item_squares(kItems * kWidth, 1.0F);
    AlignedFloats u = numbers(2, kWidth), u_squares(kWidth, 1.0F), x = numbers(4, kWidth);
    AlignedFloats gathered(kWidth, 0.25F);
    const AlignedFloats items_before = items, u_before = u, x_before = x;
    const float pulls[kItems] = {-0.7F, 0.2F, 0.5F};
    PulledRow rows[kItems];
    for (std::size_t n = 0; n < kItems; ++n) {
      rows[n] = {&items[n * kWidth], &item_squares[n * kWidth], pulls[n]};
    }
    kernels.learn(rows, kItems, kItemRate, u.data(), u_squares.data(), kUserRate, x.data(),
                  gathered.data(), kWidth);
    for (std::size_t k = 0; k < kWidth; ++k) {
      double du = 0.0;
      for (std::size_t n = 0; n < kItems; ++n) {
        const float before = items_before[n * kWidth + k];
        du += double{pulls[n]} * before;
        const Moved expected = moved(before, 1.0, double{pulls[n]} * x_before[k], kItemRate);
        CHECK(items[n * kWidth + k] == Approx(expected.weight).margin(1e-6));
      }
      const Moved expected = moved(u_before[k], 1.0, du, kUserRate);
      CHECK(u[k] == Approx(expected.weight).margin(1e-6));
      CHECK(x[k] == Approx(x_before[k] + expected.weight - u_before[k]).margin(1e-6));
      CHECK(gathered[k] == Approx(0.25 + du).margin(1e-6));
    }
  });
}

TEST_CASE("chances and slopes, for any count and extreme scores") {
  for_every_kind([](const Kernels& kernels) {
    for (const std::size_t count : kCounts) {
      AlignedFloats scores = numbers(5, count, 4.0);
      if (count > 4) std::copy_n(std::data({-1e30F, 1e30F, -100.0F, 100.0F}), 4, scores.begin());
      std::vector<float> sums(count + 1, 2.0F), slopes(count + 1, 7.0F);
      kernels.add_chances(scores.data(), 0.5F, count, sums.data());
      kernels.slopes(scores.data(), count, slopes.data());
      for (std::size_t n = 0; n < count; ++n) {
        const double chance = sigmoid_of(scores[n]);
        CHECK(sums[n] == Approx(2.0 + 0.5 * chance).epsilon(1e-6));
        CHECK(slopes[n] == Approx(chance * (1.0 - chance)).margin(1e-6));
      }
      CHECK(sums[count] == 2.0F);  // nothing is written beyond
      CHECK(slopes[count] == 7.0F);
    }
  });
}

TEST_CASE("pressed rows: du is the sum of forces times v, each dv grows by force times z") {
  for_every_kind([](const Kernels& kernels) {
    constexpr std::size_t kWidth = 16, kItems = 5;
    const AlignedFloats items = numbers(1, kItems * kWidth), z = numbers(2, kWidth);
    AlignedFloats gradients(kItems * kWidth, 1.0F), du(kWidth, 9.0F);
    std::vector<PressedRow> rows;
    for (std::size_t n = 0; n < kItems; ++n) {
      rows.push_back({&items[n * kWidth], &gradients[n * kWidth], 0.1F * static_cast<float>(n)});
    }
    kernels.press(rows.data(), kItems, z.data(), du.data(), kWidth);
    for (std::size_t k = 0; k < kWidth; ++k) {
      double expected = 0.0;
      for (std::size_t n = 0; n < kItems; ++n) {
        expected += double{rows[n].force} * items[n * kWidth + k];
        CHECK(gradients[n * kWidth + k] == Approx(1.0 + double{rows[n].force} * z[k]));
      }
      CHECK(du[k] == Approx(expected).margin(1e-6));
    }
  });
}

TEST_CASE("the square of the distance to the nearest anchor, the same alone and in a run") {
  for_every_kind([](const Kernels& kernels) {
    const AlignedFloats x = numbers(1, 40, 1e3), y = numbers(2, 40, 1e3), z = numbers(3, 40, 1e3);
    const float anchors[3][3] = {{0, 0, 0}, {500, -200, 30}, {-900, 10, 800}};
    for (const std::size_t count : {1, 2, 3}) {
      for (const std::size_t points : {1, 16, 37}) {
        std::vector<float> out(points);
        kernels.nearest({x.data(), y.data(), z.data()}, points, anchors, count, out.data());
        for (std::size_t n = 0; n < points; ++n) {
          double least = 1e30;
          for (std::size_t a = 0; a < count; ++a) {
            least = std::min(least, std::pow(x[n] - anchors[a][0], 2.0) +
                                        std::pow(y[n] - anchors[a][1], 2.0) +
                                        std::pow(z[n] - anchors[a][2], 2.0));
          }
          CHECK(out[n] == Approx(least));
          float alone = 0.0F;
          kernels.nearest({&x[n], &y[n], &z[n]}, 1, anchors, count, &alone);
          CHECK(alone == out[n]);
        }
      }
    }
  });
}

TEST_CASE("the nearest group is the one with the greatest product less its distance") {
  for_every_kind([](const Kernels& kernels) {
    constexpr std::size_t kRank = 5;
    const AlignedFloats toward = numbers(1, kRank * kTasteGroups), far = numbers(2, kTasteGroups);
    for (std::uint64_t user = 0; user < 50; ++user) {
      const AlignedFloats z = numbers(10 + user, kRank);
      std::size_t nearest = 0;
      double most = -1e30;
      for (std::size_t g = 0; g < kTasteGroups; ++g) {
        double near = -far[g];
        for (std::size_t k = 0; k < kRank; ++k) near += double{z[k]} * toward[k * kTasteGroups + g];
        if (near > most) {
          most = near;
          nearest = g;
        }
      }
      CHECK(kernels.nearest_group(z.data(), kRank, toward.data(), far.data()) == nearest);
    }
  });
}

TEST_CASE("the control of a group that the sample has all of is 0, and else its mean chance") {
  for_every_kind([](const Kernels& kernels) {
    constexpr std::size_t kRank = 3;
    const AlignedFloats vectors = numbers(1, kRank * kControlledItems);
    const AlignedFloats biases = numbers(2, kControlledItems), mean = numbers(3, kRank);
    const AlignedFloats none(kRank * kRank);  // no spread: every user of the group is its mean
    for (const float missing : {0.0F, 0.25F}) {
      const GroupControl group{kRank, missing, mean.data(), none.data(), none.data(), none.data()};
      AlignedFloats out(kControlledItems, 2.0F);
      kernels.add_control(group, vectors.data(), biases.data(), out.data());
      for (std::size_t n = 0; n < kControlledItems; ++n) {
        double score = biases[n];
        for (std::size_t k = 0; k < kRank; ++k) {
          score += double{mean[k]} * vectors[k * kControlledItems + n];
        }
        CHECK(out[n] == Approx(2.0 + double{missing} * sigmoid_of(score)).epsilon(1e-5));
      }
    }
  });
}
