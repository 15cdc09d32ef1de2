#include "headroom/base/workers.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

using headroom::Workers;

namespace {

// How often each of `count` tasks ran in one round.
std::vector<int> runs_of(Workers& workers, std::size_t count) {
  std::vector<std::atomic<int>> runs(count);
  workers.each(count, [&](std::size_t task) { ++runs[task]; });
  return {runs.begin(), runs.end()};
}

}  // namespace

TEST_CASE("a crew has the threads that it was asked for, and at least one") {
  for (const std::size_t threads : {1, 2, 3, 4}) CHECK(Workers(threads).threads() == threads);
  CHECK(Workers(0).threads() >= 1);
}

TEST_CASE("each task runs exactly once on any number of threads") {
  for (const std::size_t threads : {1, 2, 3, 4}) {
    Workers workers(threads);
    for (const std::size_t count : {0, 1, 2, 1000, 0, 7}) {
      INFO(threads << " threads, " << count << " tasks");
      CHECK(runs_of(workers, count) == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("what the tasks wrote is there when each returns") {
  Workers workers(4);
  std::vector<std::size_t> squares(5000);  // plain memory, on purpose
  workers.each(squares.size(), [&](std::size_t task) { squares[task] = task * task; });
  bool right = true;
  for (std::size_t task = 0; task < squares.size(); ++task) {
    right = right && squares[task] == task * task;
  }
  CHECK(right);
}

TEST_CASE("an exception of a task reaches the caller, and the crew goes on") {
  for (const std::size_t threads : {1, 2, 3, 4}) {
    Workers workers(threads);
    for (const std::size_t bad : {0, 1, 500, 999}) {
      INFO(threads << " threads, task " << bad << " fails");
      std::string caught;
      try {
        workers.each(1000, [&](std::size_t task) {
          if (task == bad) throw std::runtime_error(std::to_string(task));
        });
      } catch (const std::runtime_error& error) {
        caught = error.what();
      }
      CHECK(caught == std::to_string(bad));
      CHECK(runs_of(workers, 100) == std::vector<int>(100, 1));
    }
  }
}

TEST_CASE("when every task fails, one exception is thrown and no task is left running") {
  Workers workers(4);
  std::atomic<int> begun{0};
  const auto fail = [&](std::size_t) {
    ++begun;
    throw std::runtime_error("no");
  };
  CHECK_THROWS_AS(workers.each(1000, fail), std::runtime_error);
  const int then = begun;
  CHECK(then >= 1);
  CHECK(runs_of(workers, 1000) == std::vector<int>(1000, 1));
  CHECK(begun == then);
}

TEST_CASE("ten thousand tiny rounds lose and repeat nothing") {
  for (const std::size_t threads : {1, 2}) {
    Workers workers(threads);
    std::atomic<std::size_t> total{0};
    std::size_t expected = 0;
    for (std::size_t round = 0; round < 10'000; ++round) {
      const std::size_t count = round % 4;
      workers.each(count, [&](std::size_t task) { total += task + 1; });
      expected += count * (count + 1) / 2;
      if (total != expected) break;
    }
    CHECK(total == expected);
  }
}

TEST_CASE("a crew that never worked ends") {
  for (const std::size_t threads : {1, 2, 4}) const Workers workers(threads);
  SUCCEED();
}
