#include "headroom/io/partition.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGXFSZ is POSIX
#include <sys/mount.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/errors.hpp"
#include "support/log_records.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

using test::all_records;
using test::contains;
using test::drain;
using test::error_of;
using Records = std::vector<std::string>;

std::uint64_t append(PartitionWriter& writer, const Records& records) {
  return writer.append(std::vector<std::string_view>(records.begin(), records.end()));
}

TEST_CASE("a partition gives back what was appended, by byte offsets") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path() / "p");
  CHECK(append(writer, {"one", "two"}) == 0);
  CHECK(append(writer, {"three"}) == 8);
  CHECK(test::bytes_of(segment_path(dir.path() / "p", 0)) == "one\ntwo\nthree\n");

  PartitionReader reader(dir.path() / "p");
  auto line = reader.next();
  REQUIRE(line);
  CHECK(line->bytes == "one");
  CHECK(line->offset == 0);
  CHECK(line->next == 4);
  CHECK(drain(reader) == Records{"two", "three"});
  CHECK(reader.position() == 14);
  append(writer, {"four"});
  CHECK(drain(reader) == Records{"four"});
  CHECK(writer.last_line() == "four");
}

TEST_CASE("a reader of a partition that is not there yet waits for it") {
  const test::FastTempDir dir;
  PartitionReader reader(dir.path() / "p");
  CHECK_FALSE(reader.next());
  CHECK(reader.end() == 0);
  PartitionWriter writer(dir.path() / "p");
  CHECK_FALSE(reader.next());
  CHECK(writer.last_line().empty());
  append(writer, {"one"});
  CHECK(drain(reader) == Records{"one"});
}

TEST_CASE("a record with a newline in it is refused, and those with it") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path());
  CHECK(contains(error_of([&] { append(writer, {"one", "t\nwo"}); }), "newline"));
  append(writer, {"three"});
  CHECK(all_records(dir.path()) == Records{"three"});
}

TEST_CASE("segments roll at their size, and no record spans two") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path(), 100);
  PartitionReader follower(dir.path());
  Records expected, followed;
  for (int i = 0; i < 200; ++i) {
    expected.push_back("record " + std::to_string(i));
    append(writer, {expected.back()});
    if (i % 7 == 0) {
      for (auto& record : drain(follower)) followed.push_back(record);
    }
  }
  for (auto& record : drain(follower)) followed.push_back(record);
  CHECK(followed == expected);
  CHECK(all_records(dir.path()) == expected);

  const auto segments = list_segments(dir.path());
  CHECK(segments.size() > 20);
  std::uint64_t end = 0;
  for (const auto& segment : segments) {
    CHECK(segment.base == end);
    const auto bytes = test::bytes_of(segment.path);
    CHECK(bytes.size() <= 100);
    CHECK(bytes.back() == '\n');
    end += bytes.size();
  }
  append(writer, {std::string(500, 'x')});  // longer than a segment: one of its own
  CHECK(test::bytes_of(list_segments(dir.path()).back().path).size() == 501);

  // From every record on, wherever the segments end.
  PartitionReader reader(dir.path());
  std::uint64_t at = 0;
  for (const auto& record : expected) {
    reader.seek(at);
    REQUIRE(reader.next()->bytes == record);
    at += record.size() + 1;
  }
}

TEST_CASE("writers note what is on disk, and a reader does not trust more") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path());
  append(writer, {"one"});
  const File lock(dir.path() / "lock", O_RDWR);
  CHECK(synced_end(lock) == 4);
  test::append_raw(segment_path(dir.path(), 0), "left by one that died\n");
  CHECK(all_records(dir.path()) == Records{"one", "left by one that died"});
  CHECK(synced_end(lock) == 4);
  append(writer, {"two"});
  CHECK(synced_end(lock) == 30);
}

TEST_CASE("two writers see each other's segments") {
  const test::FastTempDir dir;
  PartitionWriter a(dir.path(), 50), b(dir.path(), 50);
  Records expected;
  for (int i = 0; i < 60; ++i) {
    expected.push_back("record " + std::to_string(i));
    append(i % 5 < 3 ? a : b, {expected.back()});
  }
  CHECK(all_records(dir.path()) == expected);
}

TEST_CASE("a torn last line is never read, and cut off by the next append") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path());
  append(writer, {"one"});
  PartitionReader reader(dir.path());
  CHECK(drain(reader) == Records{"one"});
  const auto segment = segment_path(dir.path(), 0);
  test::append_raw(segment, "two\ntorn");
  CHECK(drain(reader) == Records{"two"});
  CHECK(writer.last_line() == "two");
  CHECK(test::bytes_of(segment) == "one\ntwo\n");

  test::append_raw(segment, std::string(300'000, 'x'));
  CHECK(drain(reader).empty());
  CHECK(append(writer, {"three"}) == 8);
  CHECK(drain(reader) == Records{"three"});
  PartitionWriter other(dir.path());
  test::append_raw(segment, "torn");
  append(other, {"four"});
  CHECK(test::bytes_of(segment) == "one\ntwo\nthree\nfour\n");
}

TEST_CASE("nothing is appended after a segment that lost its end") {
  const test::FastTempDir dir;
  const auto folder = dir.path() / "p";
  {
    PartitionWriter writer(folder, 10);
    for (const auto* record : {"one", "two", "three"}) append(writer, {record});
  }
  std::filesystem::resize_file(segment_path(folder, 0), 6);
  PartitionWriter writer(folder, 10);
  CHECK(contains(error_of([&] { append(writer, {"four"}); }), "ends at offset 6"));
  CHECK(contains(error_of([&] { writer.last_line(); }), "changed by hand"));
}

TEST_CASE("what threads append together is grouped, each in its own order") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path(), 2000);
  constexpr int kThreads = 8, kAppends = 40;
  std::vector<std::thread> threads;
  std::vector<std::vector<std::uint64_t>> offsets(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kAppends; ++i) {
        offsets[t].push_back(append(writer, {std::to_string(t) + " " + std::to_string(i), "-"}));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  PartitionReader reader(dir.path());
  for (int t = 0; t < kThreads; ++t) {
    CHECK(std::is_sorted(offsets[t].begin(), offsets[t].end()));
    for (int i = 0; i < kAppends; ++i) {
      reader.seek(offsets[t][i]);
      REQUIRE(reader.next()->bytes == std::to_string(t) + " " + std::to_string(i));
      REQUIRE(reader.next()->bytes == "-");
    }
  }
  CHECK(all_records(dir.path()).size() == 2 * kThreads * kAppends);
}

TEST_CASE("a position that the log does not have is an error, never skipped") {
  const test::FastTempDir dir;
  PartitionReader reader(dir.path());
  CHECK(contains(error_of([&] { reader.seek(5); }), "empty"));
  PartitionWriter writer(dir.path(), 10);
  for (int i = 0; i < 5; ++i) append(writer, {"12345678"});
  reader.seek(45);
  CHECK_FALSE(reader.next());
  CHECK(contains(error_of([&] { reader.seek(46); }), "ends at offset 45"));
  CHECK(contains(error_of([&] { reader.seek(20); }), "no record begins at offset 20"));

  std::filesystem::remove(segment_path(dir.path(), 18));
  CHECK(contains(error_of([&] { reader.seek(27); }), "removed by hand"));
  CHECK(contains(error_of([&] {
                   reader.seek(9);
                   for (int looks = 0; looks < 1000; ++looks) drain(reader);
                 }),
                 "changed by hand"));
  std::filesystem::remove(segment_path(dir.path(), 0));
  std::filesystem::remove(segment_path(dir.path(), 9));
  CHECK(contains(error_of([&] { reader.seek(9); }), "removed by retention or by hand"));
}

// A process that was stopped in the middle of an append, as others see it.
struct Appending {
  File file;
  FileLock lock{file, FileLock::Kind::kExclusive};
  explicit Appending(const std::filesystem::path& partition) : file(partition / "lock", O_RDWR) {}
};

TEST_CASE("a writer that is to stop does not wait for one that holds the lock") {
  const test::FastTempDir dir;
  std::atomic<bool> stop = false;
  PartitionWriter writer(dir.path(), kSegmentBytes, [&] { return stop.load(); });
  append(writer, {"one"});
  {
    const Appending other(dir.path());
    std::string error;
    std::jthread waiting([&] {
      try {
        append(writer, {"two"});
      } catch (const Stopped& stopped) {
        error = stopped.what();
      }
    });
    stop = true;
    waiting.join();
    CHECK(contains(error, "lock: another process holds it"));
    CHECK_THROWS_AS(writer.last_line(), Stopped);
  }
  append(writer, {"three"});  // nobody to wait for
  CHECK(all_records(dir.path()) == Records{"one", "three"});
}

TEST_CASE("a reader looks again later where another appends") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path(), 10);
  append(writer, {"one"});
  PartitionReader reader(dir.path());
  CHECK(drain(reader) == Records{"one"});
  CHECK_FALSE(reader.is_locked_out());
  append(writer, {"two"});
  {
    const Appending other(dir.path());
    CHECK_FALSE(reader.next());
    CHECK(reader.is_locked_out());
    // What was read before may be read again meanwhile, by whoever.
    PartitionReader again(dir.path());
    CHECK(again.next_before(8)->bytes == "one");
    CHECK(again.next_before(8)->bytes == "two");
    CHECK_FALSE(again.next_before(8));
    again.seek(4);
    CHECK_FALSE(again.next_before(7));  // within a record
  }
  CHECK(drain(reader) == Records{"two"});
  CHECK_FALSE(reader.is_locked_out());
}

// What a reader says at the end of all it has to give, if it is asked often enough.
std::string complaint(PartitionReader& reader) {
  return error_of([&] {
    for (int looks = 0; looks < 1000; ++looks) drain(reader);
  });
}

TEST_CASE("what was acknowledged and is gone stops the reader") {
  const test::FastTempDir dir;
  PartitionWriter writer(dir.path(), 10);
  append(writer, {"one"});
  append(writer, {"two"});
  PartitionReader reader(dir.path()), late(dir.path());
  CHECK(drain(reader) == Records{"one", "two"});
  CHECK(complaint(reader) == "no error");
  CHECK(late.next()->bytes == "one");
  CHECK(late.next()->bytes == "two");
  append(writer, {"three"});
  append(writer, {"four"});

  SECTION("the open segment was removed") {
    for (const auto& segment : list_segments(dir.path())) std::filesystem::remove(segment.path);
    CHECK(contains(complaint(reader), "the segment at offset 0 was removed while it was read"));
    PartitionReader other(dir.path());
    CHECK(contains(complaint(other), "ends at offset 0, but 19 was on disk"));
    std::filesystem::remove(dir.path() / "lock");
    PartitionReader anew(dir.path());
    CHECK(complaint(anew) == "no error");
  }
  SECTION("the open segment was cut") {
    CHECK(drain(reader) == Records{"three", "four"});
    std::filesystem::resize_file(list_segments(dir.path()).back().path, 2);
    CHECK(contains(complaint(reader), "was cut while it was read"));
  }
  SECTION("a later one was removed") {
    std::filesystem::remove(list_segments(dir.path()).back().path);
    CHECK(contains(complaint(late), "ends at offset 14, but 19 was on disk"));
  }
  SECTION("retention removed what was read") {
    CHECK(drain(reader) == Records{"three", "four"});
    std::filesystem::remove(list_segments(dir.path()).front().path);
    CHECK(complaint(reader) == "no error");
    append(writer, {"five"});
    CHECK(drain(reader) == Records{"five"});
  }
}

TEST_CASE("a reader makes nothing") {
  const test::FastTempDir dir;
  test::append_raw(segment_path(dir.path(), 0), "one\n");
  CHECK(all_records(dir.path()) == Records{"one"});
  CHECK_FALSE(std::filesystem::exists(dir.path() / "lock"));
}

TEST_CASE("long lines: whole up to 1 MiB, beyond that their start, and the offset goes on") {
  const test::FastTempDir dir;
  const std::string whole(kLongestKept, 'a'), huge(3 * kLongestKept + 17, 'b');
  PartitionWriter writer(dir.path());
  append(writer, {"first", whole, huge, "last"});
  PartitionReader reader(dir.path());
  CHECK(reader.next()->bytes == "first");
  CHECK(reader.next()->bytes == whole);
  const auto line = reader.next();
  REQUIRE(line);
  CHECK(line->bytes == std::string(kKept, 'b'));
  CHECK(line->next == line->offset + huge.size() + 1);
  CHECK(reader.next()->bytes == "last");
}

TEST_CASE("empty lines are passed over, carriage returns kept") {
  const test::FastTempDir dir;
  test::append_raw(segment_path(dir.path(), 0), "\n\r\none\r\n\n\ntwo\n\n");
  CHECK(all_records(dir.path()) == Records{"one\r", "two"});
}

// Appends until it fails; true if that was for want of room and left nothing behind.
bool fails_cleanly(PartitionWriter& writer, const std::filesystem::path& segment,
                   std::string_view reason) {
  while (true) {
    const std::string before = test::bytes_of(segment);
    try {
      append(writer, {std::string(700, 'a'), std::string(700, 'b')});
    } catch (const Error& error) {
      return contains(error.what(), reason) && contains(error.what(), segment.string()) &&
             test::bytes_of(segment) == before;
    }
  }
}

TEST_CASE("no room: an append that fails leaves nothing, and it goes on when there is room") {
  const test::FastTempDir dir;
  test::Child child([&] {
    // A limit on the size of files gives short writes and an error, as a full disk does.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small{10'000, RLIM_INFINITY}, large{RLIM_INFINITY, RLIM_INFINITY};
    PartitionWriter writer(dir.path());
    setrlimit(RLIMIT_FSIZE, &small);
    if (!fails_cleanly(writer, segment_path(dir.path(), 0), "File too large")) _exit(1);
    append(writer, {"small"});
    setrlimit(RLIMIT_FSIZE, &large);
    append(writer, {"after"});
  });
  REQUIRE(child.wait() == 0);
  const auto records = all_records(dir.path());
  CHECK(records.size() == 2 * 7 + 2);
  CHECK(records.back() == "after");
}

TEST_CASE("a full disk") {
  const test::FastTempDir dir;
  if (mount("none", dir.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    WARN("not checked: only root can mount a small disk");
    return;
  }
  const auto partition = dir.path() / "p";
  {
    PartitionWriter writer(partition);
    dir.write("other", std::string(20'000, 'x'));
    CHECK(fails_cleanly(writer, segment_path(partition, 0), "No space left on device"));
    const auto before = all_records(partition).size();
    std::filesystem::remove(dir.path() / "other");
    append(writer, {"after"});
    const auto records = all_records(partition);
    CHECK(records.size() == before + 1);
    CHECK(records.back() == "after");
  }
  CHECK(umount(dir.path().c_str()) == 0);
}

}  // namespace
}  // namespace headroom
