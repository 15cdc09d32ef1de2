#include "headroom/base/row_watch.hpp"

#include <map>
#include <random>
#include <utility>

#include "support/catch.hpp"

namespace headroom {
namespace {

using Rows = std::map<std::pair<int, std::uint32_t>, int>;

// A state of numbers that says what it changes, and a store that is fed by copies.
struct Watched {
  RowWatch watch;
  Rows rows, store;
  std::map<std::pair<int, std::uint32_t>, int> copies;  // of the checkpoint under way

  void change(RowKey key, int value) {
    watch.changing(key);
    rows[{static_cast<int>(key.kind), key.row}] = value;
  }
  void begin() {
    copies.clear();
    watch.begin([this](RowKey key) {
      const std::pair at{static_cast<int>(key.kind), key.row};
      store[at] = rows.at(at);
      ++copies[at];
    });
  }
};

TEST_CASE("row watch: a row counts as changed once, until a checkpoint begins") {
  Watched w;
  CHECK(w.watch.changed() == 0);
  for (int n = 0; n < 3; ++n) w.change({RowKind::kUser, 7}, n);
  w.change({RowKind::kItem, 7}, 1);
  CHECK(w.watch.changed() == 2);
  w.begin();
  CHECK(w.watch.changed() == 0);
  CHECK(w.watch.copy_some(100));
  CHECK(w.store == w.rows);
  w.begin();  // nothing new
  CHECK(w.watch.copy_some(0));
  CHECK(w.copies.empty());
}

TEST_CASE("row watch: a row that is about to change is copied first") {
  Watched w;
  w.change({RowKind::kUser, 0}, 1);
  w.change({RowKind::kUser, 1}, 2);
  w.begin();
  w.change({RowKind::kUser, 1}, 20);  // before its turn
  w.change({RowKind::kUser, 1}, 21);
  w.change({RowKind::kUser, 5}, 50);  // new: of the next checkpoint
  CHECK_FALSE(w.watch.copy_some(1));
  CHECK(w.watch.copy_some(1));
  CHECK(w.store == Rows{{{0, 0}, 1}, {{0, 1}, 2}});
  CHECK(w.watch.changed() == 2);
  w.begin();
  CHECK(w.watch.copy_some(2));
  CHECK(w.store == w.rows);
}

TEST_CASE("row watch: clear forgets all marks") {
  Watched w;
  w.change({RowKind::kUser, 3}, 1);
  w.begin();
  w.watch.clear();
  CHECK(w.watch.changed() == 0);
  w.change({RowKind::kUser, 3}, 2);
  CHECK(w.store.empty());  // nothing waited any more
  CHECK(w.watch.changed() == 1);
}

TEST_CASE("row watch: copies are of one moment, each row once, in any interleaving") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    Watched w;
    Rows moment;
    bool under_way = false;
    int checkpoints = 0;
    for (int n = 0; n < 20000; ++n) {
      const auto kind = static_cast<RowKind>(below(static_cast<std::uint64_t>(RowKind::kCount)));
      w.change({kind, static_cast<std::uint32_t>(below(200))}, n);
      if (!under_way && below(50) == 0) {
        moment = w.rows;
        w.begin();
        under_way = true;
      }
      if (under_way && below(3) == 0 && w.watch.copy_some(below(9))) {
        under_way = false;
        ++checkpoints;
        if (w.store != moment) FAIL("a torn copy at " << n);
        for (const auto& [key, times] : w.copies) {
          if (times != 1) FAIL("a row was copied " << times << " times");
        }
      }
    }
    CHECK(checkpoints > 50);
  }
}

}  // namespace
}  // namespace headroom
