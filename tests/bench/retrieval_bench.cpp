// The best 10 of all items for many users at once, beside others that do the same: a program that
// tests/bench/retrieval_peers.py talks to, so that all take turns within one run on one core.
//
// Usage: bench_retrieval USERS ITEMS FOLDER
//
// Writes users.f32 and items.f32, the vectors as the learner has them, into FOLDER. Then for each
// line of standard input it scans once and prints the CPU seconds that it took:
//   plain    by score; writes items and scores of the lists as found.i32 and found.f32
//   same     by chance less price, with the same prices each time
//   prices   the same with other prices each time
//   few      the same where 9 of 10 blocks of items are full
//   alone    by score, one user after the other instead of all at once

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "headroom/rank/scan.hpp"

namespace headroom {
namespace {

constexpr std::size_t kMost = 10;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Bench {
 public:
  Bench(std::uint32_t users, std::uint32_t items) : learner_(options(), watch_) {
    for (std::uint32_t i = 0; i < users; ++i) learner_.add(UserIx{i});
    for (std::uint32_t j = 0; j < items; ++j) learner_.add(ItemIx{j});
    for (std::uint32_t i = 0; i < users; ++i) {  // one event, so that it is known
      learner_.like(UserIx{i}, ItemIx{i % items}, 1.0F, 1.0F, i);
      seekers_.push_back({UserIx{i}, {Seeker::Wish{kMost, 0.2F}}});
    }
    learner_.line_up();
    room_.assign(items, kInfinity);
    few_ = room_;
    for (std::uint32_t j = 0; j < items; ++j)
      few_[j] = j / kBlockItems % 10 == 0 ? kInfinity : 0.1F;
  }

  void write_vectors(const std::string& folder) const {
    std::ofstream users(folder + "/users.f32", std::ios::binary);
    for (const Seeker& seeker : seekers_) write(users, learner_.vector(seeker.user), kRank);
    std::ofstream items(folder + "/items.f32", std::ios::binary);
    for (std::uint32_t j = 0; j < room_.size(); ++j) {
      write(items, learner_.factors(ItemIx{j}).data(), kRank);
    }
  }

  double plain() { return seconds({}, room_, seekers_.size()); }
  double alone() { return seconds({}, room_, 1); }
  double same_prices() {
    draw_prices(0);
    return priced(room_);
  }
  double other_prices(bool few) {
    draw_prices(++round_);
    return priced(few ? few_ : room_);
  }

  void write_found(const std::string& folder) const {
    std::ofstream items(folder + "/found.i32", std::ios::binary);
    std::ofstream scores(folder + "/found.f32", std::ios::binary);
    for (const auto& list : found_) {
      for (const Found& found : list[0]) {
        write(items, &found.item, 1);
        write(scores, &found.score, 1);
      }
    }
  }

 private:
  void draw_prices(std::uint64_t round) {
    prices_.assign(room_.size(), 0.0F);
    Draws draws(3, Purpose::kWorld, round);
    for (float& price : prices_) {  // a third of the items has one
      if (draws.below(3) == 0) price = 0.3F * static_cast<float>(draws.uniform());
    }
  }
  double priced(std::span<const float> room) {
    return seconds({&calibration_, prices_, {}}, room, seekers_.size());
  }

  static constexpr std::size_t kRank = 16;

  // Vectors and nothing else, as the others have it, and wide enough that no list is like another.
  static LearnerOptions options() {
    LearnerOptions options = bare_learner(Method::kBpr);
    options.rank = kRank;
    options.start_deviation = 0.5F;
    return options;
  }

  template <class T>
  static void write(std::ofstream& to, const T* from, std::size_t count) {
    to.write(reinterpret_cast<const char*>(from), static_cast<std::streamsize>(count * sizeof(T)));
  }

  double seconds(const Search& search, std::span<const float> room, std::size_t at_once) {
    const std::clock_t begin = std::clock();
    for (std::size_t n = 0; n < seekers_.size(); n += at_once) {
      found_ = scan(learner_, std::span(seekers_).subspan(n, at_once), std::span(&search, 1), room,
                    workers_);
    }
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }

  Workers workers_{1};
  RowWatch watch_;
  Learner learner_;
  Calibration calibration_;
  std::vector<Seeker> seekers_;
  std::vector<float> room_, few_, prices_;
  std::vector<FoundBest> found_;
  std::uint64_t round_ = 0;
};

int serve(std::uint32_t users, std::uint32_t items, const std::string& folder) {
  Bench bench(users, items);
  bench.write_vectors(folder);
  std::printf("ready\n");
  std::fflush(stdout);
  for (std::string what; std::getline(std::cin, what);) {
    double seconds = 0.0;
    if (what == "plain") {
      seconds = bench.plain();
      bench.write_found(folder);
    } else if (what == "alone") {
      seconds = bench.alone();
    } else if (what == "same") {
      seconds = bench.same_prices();
    } else if (what == "prices" || what == "few") {
      seconds = bench.other_prices(what == "few");
    } else {
      std::fprintf(stderr, "bench_retrieval: what is '%s'?\n", what.c_str());
      return 2;
    }
    std::printf("%.6f\n", seconds);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "Usage: bench_retrieval USERS ITEMS FOLDER\n");
    return 2;
  }
  const auto number = [&](int at) {
    return static_cast<std::uint32_t>(std::strtoul(argv[at], nullptr, 10));
  };
  return headroom::serve(number(1), number(2), argv[3]);
}
