#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGXFSZ is POSIX
#include <sys/resource.h>

#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "headroom/base/error.hpp"
#include "headroom/io/kill_point.hpp"
#include "headroom/io/partition.hpp"
#include "headroom/io/retention.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/errors.hpp"
#include "support/log_records.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

constexpr int kWriters = 8;
constexpr int kAppends = 500;
constexpr int kSegment = 20'000;

std::string record_of(int writer, int number) {
  const auto size = static_cast<std::size_t>((writer * 31 + number * 7) % 90);
  const std::string filling(size, static_cast<char>('a' + number % 26));
  return std::to_string(writer) + " " + std::to_string(number) + " " + filling + ".";
}

// What a writer had in hand, kept by the system however the writer ends: "try" before an append,
// "done" once it is acknowledged.
class Diary {
 public:
  explicit Diary(const std::filesystem::path& path) : path_(path) {}

  void write(const std::string& word, int number) {
    if (!file_.is_open()) file_ = File(path_, O_WRONLY | O_CREAT | O_APPEND);
    file_.write_at(0, word + " " + std::to_string(number) + "\n");  // at the end: O_APPEND
  }
  std::vector<int> numbers(const std::string& wanted) const {
    std::istringstream in(test::bytes_of(path_));
    std::vector<int> found;
    std::string word;
    for (int number = 0; in >> word >> number;) {
      if (word == wanted) found.push_back(number);
    }
    return found;
  }

 private:
  std::filesystem::path path_;
  File file_;
};

Diary diary_of(const std::filesystem::path& folder, int writer) {
  return Diary(folder / ("diary" + std::to_string(writer)));
}

// Appends what this writer has not yet tried.
void append_rest(const std::filesystem::path& folder, int writer, std::uint64_t segment_bytes,
                 int appends, std::chrono::microseconds pause = {}) {
  auto diary = diary_of(folder, writer);
  const auto tried = diary.numbers("try");
  PartitionWriter log(folder / "p", segment_bytes);
  for (int number = tried.empty() ? 0 : tried.back() + 1; number < appends; ++number) {
    diary.write("try", number);
    const std::string record = record_of(writer, number);
    const std::string_view views[] = {record};
    log.append(views);
    diary.write("done", number);
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

// Every record whole, each writer's in order and once, and all that was acknowledged.
void check_records(const std::vector<std::string>& records, const std::filesystem::path& folder,
                   int writers) {
  std::map<int, std::vector<int>> seen;
  for (const auto& record : records) {
    int writer = -1, number = -1;
    std::istringstream(record) >> writer >> number;
    REQUIRE(record == record_of(writer, number));
    if (!seen[writer].empty()) REQUIRE(seen[writer].back() < number);
    seen[writer].push_back(number);
  }
  for (int writer = 0; writer < writers; ++writer) {
    const auto done = diary_of(folder, writer).numbers("done");
    CHECK(std::includes(seen[writer].begin(), seen[writer].end(), done.begin(), done.end()));
  }
}

TEST_CASE("many writers killed at any moment while a reader follows") {
  const test::FastTempDir dir;
  std::mt19937 random(7);
  std::vector<test::Child> children;
  const auto start = [&](int writer) {
    return test::Child([&, writer] {
      append_rest(dir.path(), writer, kSegment, kAppends, std::chrono::microseconds(500));
    });
  };
  for (int writer = 0; writer < kWriters; ++writer) children.push_back(start(writer));

  PartitionReader reader(dir.path() / "p");
  std::vector<std::string> followed;
  const auto follow = [&] {
    const auto more = test::drain(reader);
    followed.insert(followed.end(), more.begin(), more.end());
  };
  int killed = 0;
  for (int round = 0; round < 150; ++round) {
    // Each life of a writer does something: wait for a few records more.
    const std::size_t wanted = followed.size() + random() % 25;
    for (int looks = 0; followed.size() < wanted && looks < 1000; ++looks) follow();
    const int victim = static_cast<int>(random() % kWriters);
    children[victim].kill();
    killed += children[victim].wait() == -SIGKILL ? 1 : 0;
    children[victim] = start(victim);
  }
  for (auto& child : children) CHECK(child.wait() == 0);
  follow();

  CHECK(killed > 0);
  CHECK((followed == test::all_records(dir.path() / "p")));
  check_records(followed, dir.path(), kWriters);
  CHECK(followed.size() >= kWriters * kAppends - 150);
}

TEST_CASE("a reader never sees what a writer without room takes back") {
  const test::FastTempDir dir;
  test::Child child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small{50'000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &small);
    PartitionWriter log(dir.path() / "p");
    int failures = 0;
    for (int number = 0; failures < 2000; ++number) {
      // A group whose first records fit when its last does not.
      std::vector<std::string> records(20, "record " + std::to_string(number));
      if (number > 100) records.push_back(std::string(50'000, 'x'));
      try {
        log.append(std::vector<std::string_view>(records.begin(), records.end()));
      } catch (const Error&) {
        ++failures;
      }
    }
  });
  PartitionReader reader(dir.path() / "p");
  std::vector<std::string> followed;
  while (child.is_running()) {
    for (auto& record : test::drain(reader)) followed.push_back(std::move(record));
  }
  CHECK(child.wait() == 0);
  for (auto& record : test::drain(reader)) followed.push_back(std::move(record));
  CHECK((followed == test::all_records(dir.path() / "p")));
  CHECK(followed.size() > 1000);
}

TEST_CASE("a writer killed at each of its kill points") {
  for (const auto name : kill_point_names()) {
    if (!name.starts_with("writer.")) continue;
    for (const int count : {1, 2, 5}) {
      INFO(name << ":" << count);
      const test::FastTempDir dir;
      test::Child child([&] {
        set_kill_point(std::string(name) + ":" + std::to_string(count));
        append_rest(dir.path(), 0, 100, 100);
      });
      REQUIRE(child.wait() == -SIGKILL);
      PartitionReader reader(dir.path() / "p");
      auto followed = test::drain(reader);
      append_rest(dir.path(), 0, 100, 110);
      append_rest(dir.path(), 1, 100, 10);
      const auto more = test::drain(reader);
      followed.insert(followed.end(), more.begin(), more.end());
      CHECK((followed == test::all_records(dir.path() / "p")));
      check_records(followed, dir.path(), 2);
      CHECK(followed.size() >= 110 + 10 - 1);
    }
  }
}

TEST_CASE("retention killed between two segments leaves no hole") {
  const test::FastTempDir dir;
  append_rest(dir.path(), 0, 100, 50);
  const auto before = list_segments(dir.path() / "p");
  test::Child child([&] {
    set_kill_point("retention.between:3");
    retain(dir.path() / "p", {.bytes = 0, .age = {}}, kAllReleased, Time());
  });
  REQUIRE(child.wait() == -SIGKILL);
  const auto after = list_segments(dir.path() / "p");
  REQUIRE(after.size() == before.size() - 3);
  CHECK(after.front().base == before[3].base);
  CHECK(test::all_records(dir.path() / "p").back() == record_of(0, 49));
}

TEST_CASE("a kill point that does not exist is refused") {
  CHECK(test::contains(test::error_of([] { set_kill_point("nowhere:1"); }), "HEADROOM_KILL_AT"));
  CHECK(test::contains(test::error_of([] { set_kill_point("writer.after_sync:0"); }), "is not"));
  set_kill_point("");
}

}  // namespace
}  // namespace headroom
