#include "headroom/model/learner.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"

using namespace headroom;

namespace {

constexpr Method kMethods[] = {Method::kPmf, Method::kBpr, Method::kGeoMf, Method::kGeoBpr};

UserIx user(std::size_t i) { return UserIx{static_cast<std::uint32_t>(i)}; }
ItemIx item(std::size_t j) { return ItemIx{static_cast<std::uint32_t>(j)}; }

// A learner with rows 0 to users - 1 and 0 to items - 1, items spread over a few tiles.
struct World {
  World(const LearnerOptions& options, std::size_t users, std::size_t items)
      : learner(options, watch) {
    for (std::size_t i = 0; i < users; ++i) learner.add(user(i));
    for (std::size_t j = 0; j < items; ++j) {
      learner.add(item(j));
      const auto column = static_cast<double>(j % 7), row = static_cast<double>(j / 7);
      if (j % 11 != 10) learner.place(item(j), Position{1.3 + 0.01 * row, 103.8 + 0.01 * column});
    }
  }
  RowWatch watch;
  Learner learner;
};

void like_at_random(Learner& learner, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = from; n < to; ++n) {
    Draws draws(7, Purpose::kWorld, n);
    const UserIx i = user(draws.below(static_cast<std::uint32_t>(learner.users())));
    const ItemIx j = item(draws.below(static_cast<std::uint32_t>(learner.items())));
    if (!learner.has(i) || !learner.has(j)) continue;
    learner.like(i, j, draws.below(4) == 0 ? -0.5F : 1.0F, 1.0F, n);
  }
  learner.flush();
}

template <class Index>
std::string bytes_of(const Learner& learner, Index row) {
  ByteWriter to;
  learner.save(row, to);
  return to.bytes();
}

std::vector<std::string> all_bytes(const Learner& learner) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < learner.users(); ++i) {
    out.push_back(learner.has(user(i)) ? bytes_of(learner, user(i)) : "");
  }
  for (std::size_t j = 0; j < learner.items(); ++j) {
    out.push_back(learner.has(item(j)) ? bytes_of(learner, item(j)) : "");
  }
  return out;
}

// Saves all rows and loads them into a fresh one, in an order of their own.
void copy_rows(const Learner& from, Learner& to) {
  ByteWriter shared;
  from.save_shared(shared);
  ByteReader shared_reader(shared.bytes());
  to.load_shared(shared_reader);
  CHECK(shared_reader.empty());
  for (std::size_t j = from.items(); j-- > 0;) {
    if (!from.has(item(j))) continue;
    const std::string bytes = bytes_of(from, item(j));
    ByteReader reader(bytes);
    to.load(item(j), reader);
    CHECK(reader.empty());
  }
  for (std::size_t i = from.users(); i-- > 0;) {
    if (!from.has(user(i))) continue;
    const std::string bytes = bytes_of(from, user(i));
    ByteReader reader(bytes);
    to.load(user(i), reader);
    CHECK(reader.empty());
  }
}

std::vector<float> scores_of(const Learner& learner, UserIx of) {
  std::vector<float> out(learner.items());
  learner.score_all(of, out);
  return out;
}

}  // namespace

TEST_CASE("a checkerboard is learned online, and its hidden squares come first") {
  // Users like the items of their own colour; user i never met item i.
  constexpr std::size_t kSide = 20;
  for (const Method method : kMethods) {
    for (const unsigned mini_batch : {1U, 4U}) {
      INFO("method " << static_cast<int>(method) << ", mini-batch " << mini_batch);
      RowWatch watch;
      // Few factors, or the drawn negatives are learned by heart, the hidden squares among them.
      LearnerOptions options = bare_learner(method);
      options.rank = 2;
      options.mini_batch = mini_batch;
      Learner learner(options, watch);
      for (std::size_t n = 0; n < kSide; ++n) {
        learner.add(user(n));
        learner.add(item(n));
        // The colours are two towns, so that geography helps, where it is used.
        learner.place(item(n), Position{n % 2 == 0 ? 1.3 : 1.9, 103.8});
      }
      std::uint64_t place = 0;
      for (int pass = 0; pass < 20; ++pass) {
        for (std::size_t i = 0; i < kSide; ++i) {
          for (std::size_t j = i % 2; j < kSide; j += 2) {
            if (i != j) learner.like(user(i), item(j), 1.0F, 1.0F, ++place);
          }
        }
      }
      learner.flush();
      for (std::size_t i = 0; i < kSide; ++i) {
        const std::vector<float> scores = scores_of(learner, user(i));
        for (std::size_t j = (i + 1) % 2; j < kSide; j += 2) CHECK(scores[i] > scores[j]);
      }
    }
  }
}

TEST_CASE("the same events give the same bytes") {
  for (const Method method : kMethods) {
    World a({.method = method, .negatives = 2}, 20, 50),
        b({.method = method, .negatives = 2}, 20, 50);
    like_at_random(a.learner, 0, 2000);
    like_at_random(b.learner, 0, 2000);
    CHECK(all_bytes(a.learner) == all_bytes(b.learner));
    World c({.method = method, .negatives = 2, .seed = 2}, 20, 50);
    like_at_random(c.learner, 0, 2000);
    CHECK(all_bytes(a.learner) != all_bytes(c.learner));
  }
}

TEST_CASE("half, saved and loaded, and the other half are a straight run, bit for bit") {
  for (const Method method : kMethods) {
    for (const unsigned mini_batch : {1U, 5U}) {
      INFO("method " << static_cast<int>(method) << ", mini-batch " << mini_batch);
      const LearnerOptions options{.method = method, .mini_batch = mini_batch, .past = 20};
      World straight(options, 20, 50);
      like_at_random(straight.learner, 0, 1000);
      // Rows that go leave nothing behind that a saved learner would not have.
      for (const std::size_t gone : {3, 10, 48, 49}) straight.learner.erase(item(gone));
      for (const std::size_t gone : {0, 19}) straight.learner.erase(user(gone));
      World resumed(options, 0, 0);
      copy_rows(straight.learner, resumed.learner);
      CHECK(resumed.learner.items() == straight.learner.items());
      CHECK(all_bytes(straight.learner) == all_bytes(resumed.learner));
      for (Learner* learner : {&straight.learner, &resumed.learner}) {
        like_at_random(*learner, 1000, 1500);
        learner->add(item(10));  // a row used again
        learner->place(item(10), Position{1.31, 103.82});
        learner->add(user(30));  // a row beyond all others
        like_at_random(*learner, 1500, 2500);
      }
      CHECK(all_bytes(straight.learner) == all_bytes(resumed.learner));
      CHECK(scores_of(straight.learner, user(5)) == scores_of(resumed.learner, user(5)));
    }
  }
}

TEST_CASE("all scores are the single scores, bit for bit") {
  for (const Method method : kMethods) {
    for (const std::size_t rank : {3, 16, 40}) {
      World world({.method = method, .rank = rank}, 10, 77);
      like_at_random(world.learner, 0, 500);
      world.learner.erase(item(20));
      world.learner.add(user(10));  // nothing is known of this one
      for (std::size_t i = 0; i < 11; ++i) {
        std::vector<float> out(100, -1.0F);  // more places than items
        world.learner.score_all(user(i), out);
        for (std::size_t j = 0; j < out.size(); ++j) {
          CHECK(out[j] == world.learner.score(user(i), item(j)));
        }
        CHECK(out[20] == 0.0F);
        CHECK(out[99] == 0.0F);
        std::vector<float> some(19, -1.0F);  // fewer
        world.learner.score_all(user(i), some);
        CHECK(std::equal(some.begin(), some.end(), out.begin()));
      }
    }
  }
}

TEST_CASE("who is not known yet gets what is liked most, new items last") {
  World world(bare_learner(Method::kBpr), 10, 6);
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < 6; ++i) world.learner.like(user(i), item(4), 1.0F, 1.0F, ++place);
  for (std::size_t i = 0; i < 3; ++i) world.learner.like(user(i), item(2), 1.0F, 1.0F, ++place);
  world.learner.like(user(0), item(0), 1.0F, 8.0F, ++place);   // a weighty like
  world.learner.like(user(5), item(1), -1.0F, 1.0F, ++place);  // a dislike is no like
  for (const UserIx unknown : {user(9), user(1234)}) {
    CHECK_FALSE(world.learner.knows(unknown));
    const std::vector<float> scores = scores_of(world.learner, unknown);
    CHECK(scores[0] == Approx(std::log1p(8.0)));
    CHECK(scores[0] > scores[4]);
    CHECK(scores[4] > scores[2]);
    CHECK(scores[2] > scores[1]);
    CHECK(scores[1] == scores[5]);
  }
  CHECK(world.learner.knows(user(0)));
}

TEST_CASE("negatives are never of the user's past, not there, or the item itself") {
  // Rows move only if touched: whatever was drawn shows as a changed row.
  RowWatch watch;
  LearnerOptions options = bare_learner(Method::kBpr);
  options.negatives = 3;
  Learner learner(options, watch);
  learner.add(user(0));
  for (std::size_t j = 0; j < 30; ++j) learner.add(item(j));
  learner.erase(item(7));
  std::set<std::size_t> past;
  for (std::size_t n = 0; n < 25; ++n) {
    const std::size_t liked = (n * 7 + 1) % 30 == 7 ? 0 : (n * 7 + 1) % 30;
    const auto before = all_bytes(learner);
    learner.like(user(0), item(liked), 1.0F, 1.0F, n);
    const auto after = all_bytes(learner);
    std::size_t drawn = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      if (j == liked || before[1 + j] == after[1 + j]) continue;
      ++drawn;
      CHECK(past.count(j) == 0);
      CHECK(j != 7);
    }
    past.insert(liked);
    CHECK(drawn <= 3);  // one may be drawn twice
    if (past.size() < 20) CHECK(drawn >= 1);
  }
}

TEST_CASE("with nothing to draw a pair is not learned, but remembered") {
  World world(bare_learner(Method::kBpr), 1, 1);
  const auto row = bytes_of(world.learner, item(0)).substr(0, 2 * (4 + 16 * sizeof(float)));
  world.learner.like(user(0), item(0), 1.0F, 1.0F, 1);
  CHECK_FALSE(world.learner.knows(user(0)));
  CHECK(bytes_of(world.learner, item(0)).substr(0, row.size()) == row);
  CHECK(world.learner.score(user(0), item(0)) > 0.0F);
  world.learner.like(user(0), item(0), -1.0F, 1.0F, 2);  // nothing else was liked
  CHECK_FALSE(world.learner.knows(user(0)));
}

TEST_CASE("a disliked item falls behind what the user liked") {
  for (const Method method : kMethods) {
    for (const LearnerOptions& options : {bare_learner(method), LearnerOptions{.method = method}}) {
      World world(options, 1, 20);
      std::uint64_t place = 0;
      for (int round = 0; round < 20; ++round) {
        world.learner.like(user(0), item(1), 1.0F, 1.0F, ++place);
        world.learner.like(user(0), item(2), -1.0F, 0.5F, ++place);
      }
      CHECK(world.learner.score(user(0), item(1)) > world.learner.score(user(0), item(2)) + 0.5F);
    }
  }
}

TEST_CASE("an event of no weight, and a pair of no preference, change nothing") {
  World world({}, 2, 20);
  like_at_random(world.learner, 0, 50);
  const auto before = all_bytes(world.learner);
  world.learner.like(user(0), item(1), 1.0F, 0.0F, 77);
  world.learner.like(user(0), item(1), 0.0F, 1.0F, 78);
  CHECK(all_bytes(world.learner) == before);
}

TEST_CASE("rows appear and go; a row used again is a new one") {
  for (const Method method : kMethods) {
    World world({.method = method}, 4, 30), fresh({.method = method}, 4, 30);
    Learner& learner = world.learner;
    like_at_random(learner, 0, 400);
    learner.erase(user(2));
    learner.erase(item(5));
    learner.erase(item(5));
    CHECK_FALSE(learner.has(user(2)));
    CHECK_FALSE(learner.knows(user(2)));
    CHECK(learner.score(user(1), item(5)) == 0.0F);
    like_at_random(learner, 400, 800);
    CHECK_FALSE(learner.has(item(5)));
    learner.add(user(2));
    learner.add(item(5));
    learner.place(item(5), Position{1.3, 103.85});
    CHECK(bytes_of(learner, user(2)) == bytes_of(fresh.learner, user(2)));
    CHECK(bytes_of(learner, item(5)) == bytes_of(fresh.learner, item(5)));
    learner.erase(item(29));
    learner.erase(item(28));
    CHECK(learner.items() == 28);
    learner.erase(user(3));
    CHECK(learner.users() == 3);
  }
}

TEST_CASE("what was liked on a row is not the item that has the row later") {
  RowWatch watch;
  Learner learner({}, watch);
  learner.add(user(0));
  learner.add(user(1));
  learner.add(item(0));
  learner.add(item(1));
  learner.like(user(0), item(1), 1.0F, 1.0F, 1);
  learner.erase(item(1));
  learner.add(item(1));
  learner.like(user(1), item(1), 1.0F, 1.0F, 2);  // it lives, so that it could be in a past
  // The only item left to draw for user 0 is the new one.
  const std::string before = bytes_of(learner, item(1));
  learner.like(user(0), item(0), 1.0F, 1.0F, 3);
  CHECK(bytes_of(learner, item(1)) != before);
}

TEST_CASE("only the newest of the past are remembered") {
  RowWatch watch;
  LearnerOptions options = bare_learner(Method::kBpr);
  options.past = 2;
  Learner learner(options, watch);
  learner.add(user(0));
  for (std::size_t j = 0; j < 4; ++j) learner.add(item(j));
  for (const std::size_t j : {0, 1, 2, 1}) learner.like(user(0), item(j), 1.0F, 1.0F, j);
  // Of 0 to 3, the past is 2 and 1: with 3 as the item, 0 is all that can be drawn.
  const auto before = all_bytes(learner);
  learner.like(user(0), item(3), 1.0F, 1.0F, 9);
  const auto after = all_bytes(learner);
  CHECK(before[1] != after[1]);
  CHECK(before[2] == after[2]);
  CHECK(before[3] == after[3]);
}

TEST_CASE("a past longer than what is remembered now is cut when it is loaded") {
  World before({}, 1, 30), now({.past = 2}, 0, 30);
  for (const std::size_t j : {5, 6, 7, 8}) before.learner.like(user(0), item(j), 1.0F, 1.0F, j);
  copy_rows(before.learner, now.learner);
  // The past is the only part of a row that differs in size: two items fewer, with lives and
  // visits.
  CHECK(bytes_of(now.learner, user(0)).size() == bytes_of(before.learner, user(0)).size() - 2 * 12);
}

TEST_CASE("a user who likes places of one district prefers others there") {
  for (const LearnerOptions& options :
       {bare_learner(Method::kGeoMf), bare_learner(Method::kGeoBpr)}) {
    RowWatch watch;
    Learner learner(options, watch);
    learner.add(user(0));
    // Items 0 to 9 in one district, 10 to 19 in another, 20 nowhere.
    for (std::size_t j = 0; j <= 20; ++j) {
      learner.add(item(j));
      if (j < 20)
        learner.place(item(j),
                      Position{j < 10 ? 1.30 : 1.45, 103.8 + 0.002 * static_cast<double>(j % 10)});
    }
    for (std::size_t n = 0; n < 10; ++n) learner.like(user(0), item(n % 5), 1.0F, 1.0F, n);
    const std::vector<float> scores = scores_of(learner, user(0));
    for (std::size_t near = 5; near < 10; ++near) {
      for (std::size_t far = 10; far <= 20; ++far) CHECK(scores[near] > scores[far] + 0.1F);
    }
    // An item that moves takes its influence from where it is.
    learner.place(item(7), Position{1.45, 103.8});
    CHECK(learner.score(user(0), item(7)) < scores[7] - 0.1F);
    learner.place(item(7), std::nullopt);
    learner.place(item(12), Position{1.30, 103.804});
    CHECK(learner.score(user(0), item(12)) > scores[12] + 0.1F);
  }
}

TEST_CASE("rows say that they change before they do") {
  for (const Method method : kMethods) {
    for (const unsigned mini_batch : {1U, 6U}) {
      World world({.method = method, .mini_batch = mini_batch}, 5, 40);
      like_at_random(world.learner, 0, 200);
      const auto before = all_bytes(world.learner);
      // A checkpoint begins; its copies must be of this moment, however much is learned meanwhile.
      std::vector<std::string> copies(before.size());
      world.watch.begin([&](RowKey key) {
        const bool of_user = key.kind == RowKind::kUser;
        copies[of_user ? key.row : 5 + key.row] = of_user ? bytes_of(world.learner, user(key.row))
                                                          : bytes_of(world.learner, item(key.row));
      });
      like_at_random(world.learner, 200, 400);
      while (!world.watch.copy_some(3)) {
      }
      CHECK(copies == before);
    }
  }
}

TEST_CASE("several threads may score at once") {
  World world({.method = Method::kGeoBpr}, 20, 60);
  like_at_random(world.learner, 0, 1000);
  std::vector<std::vector<float>> found(20);
  const auto score = [&](std::size_t from) {
    for (std::size_t i = from; i < 20; i += 2) found[i] = scores_of(world.learner, user(i));
  };
  std::thread other(score, 1);
  score(0);
  other.join();
  for (std::size_t i = 0; i < 20; ++i) CHECK(found[i] == scores_of(world.learner, user(i)));
}

TEST_CASE("options out of bounds and damaged rows are refused") {
  RowWatch watch;
  const auto error = [&](const LearnerOptions& options) {
    return test::error_of([&] { Learner(options, watch); });
  };
  CHECK(error({}) == "no error");
  CHECK(error({.rank = 0}) == "learner: rank is 1 to 256");
  CHECK(error({.user_step = std::nanf("")}) == "learner: every step is above 0");
  CHECK(error({.mini_batch = 0}) == "learner: mini_batch is at least 1");
  CHECK(error({.level_of_detail = 40}) == "learner: level_of_detail is 1 to 23");

  World narrow({.rank = 8}, 1, 1), wide({.rank = 16}, 0, 0);
  const std::string bytes = bytes_of(narrow.learner, user(0));
  CHECK(test::error_of([&] {
          ByteReader reader(bytes);
          wide.learner.load(user(0), reader);
        }) == "the state store: a row of factors has another rank or is damaged");
}
