#include "headroom/io/local_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "headroom/io/spool.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/log_records.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

using namespace std::chrono_literals;
using test::contains;
using test::error_of;
using test::ids;
using Records = std::vector<std::string>;

constexpr auto kLong = 60s;  // never waited for: something comes first

void append(LogWriter& log, Topic topic, std::uint32_t partition, const Records& records) {
  log.append(topic, partition, std::vector<std::string_view>(records.begin(), records.end()));
}

LocalLog open_log(const std::filesystem::path& folder) {
  return {{.folder = folder, .partitions = 0, .events = {}, .items = {}}, test::decode_plain};
}

TEST_CASE("the local log: items first, then the partitions, with their places and bounds") {
  const test::FastTempDir dir;
  LogWriter writer(dir.path(), 2);
  append(writer, Topic::kEvents, 0, {"a", "!b", "c"});
  append(writer, Topic::kEvents, 1, {"d"});
  append(writer, Topic::kItems, 0, {"item"});
  auto log = open_log(dir.path());
  CHECK(log.lag() == 2 + 3 + 2 + 2 + 5);

  Batch batch;
  CHECK(log.take(batch, 100, 0ms) == 5);
  CHECK(log.lag() == 0);
  CHECK_FALSE(log.ended());
  CHECK(ids(batch).front() == "item");
  CHECK(batch.arrivals.size() == 4);
  REQUIRE(batch.rejects.size() == 1);
  CHECK(batch.rejects[0].place == Place{Topic::kEvents, 0, 2});
  CHECK(batch.rejects[0].bytes == "!b");
  CHECK(batch.bounds ==
        Bounds{{Topic::kItems, 0, 0, 5}, {Topic::kEvents, 0, 0, 7}, {Topic::kEvents, 1, 0, 2}});

  // The same batch may take more; its bounds grow.
  append(writer, Topic::kEvents, 1, {"e"});
  CHECK(log.take(batch, 100, kLong) == 1);
  CHECK(batch.bounds.back() == Range{Topic::kEvents, 1, 0, 4});
  CHECK(batch.arrivals.back().place == Place{Topic::kEvents, 1, 2});
  CHECK(log.take(batch, 100, 1ms) == 0);
}

TEST_CASE("a full partition does not shut out the others") {
  const test::FastTempDir dir;
  LogWriter writer(dir.path(), 3);
  append(writer, Topic::kEvents, 0, Records(100, "a"));
  append(writer, Topic::kEvents, 1, Records(5, "b"));
  append(writer, Topic::kEvents, 2, Records(100, "c"));
  auto log = open_log(dir.path());
  Batch batch;
  CHECK(log.take(batch, 30, 0ms) == 30);
  const auto taken = ids(batch);
  CHECK(std::count(taken.begin(), taken.end(), "b") == 5);
  CHECK(std::count(taken.begin(), taken.end(), "a") >= 10);
  CHECK(std::count(taken.begin(), taken.end(), "c") >= 10);
  while (log.take(batch, 30, 0ms) > 0) {
  }
  CHECK(batch.arrivals.size() == 205);
}

TEST_CASE("the same bounds, read again, are the same batch") {
  const test::FastTempDir dir;
  LogWriter writer(dir.path(), 2, 300);
  for (int i = 0; i < 100; ++i) {
    const auto text = std::to_string(i);
    append(writer, Topic::kEvents, i % 2, {"event " + text, "", i % 3 == 0 ? "!bad " + text : "x"});
    if (i % 10 == 0) append(writer, Topic::kItems, 0, {"item " + text});
  }
  auto log = open_log(dir.path());
  std::vector<Batch> batches;
  Bounds taken;
  while (true) {
    Batch batch;
    if (log.take(batch, 7, 0ms) == 0) break;
    put_in_order(batch);
    for (const auto& range : batch.bounds) extend(taken, range);  // contiguous, or it asserts
    batches.push_back(std::move(batch));
  }
  CHECK(log.lag() == 0);

  auto again = open_log(dir.path());
  const auto check = [&](const Batch& batch) {
    Batch repeated;
    repeated.bounds = batch.bounds;
    again.read_again(repeated);
    put_in_order(repeated);
    REQUIRE(ids(repeated) == ids(batch));
    REQUIRE(repeated.rejects.size() == batch.rejects.size());
    for (std::size_t i = 0; i < batch.arrivals.size(); ++i) {
      REQUIRE(repeated.arrivals[i].place == batch.arrivals[i].place);
    }
  };
  for (const auto& batch : batches) check(batch);
  check(batches[3]);  // in any order

  again.seek(taken);
  Batch rest;
  CHECK(again.take(rest, 100, 0ms) == 0);
  append(writer, Topic::kEvents, 1, {"more"});
  CHECK(again.take(rest, 100, kLong) == 1);
  CHECK(rest.bounds.front().from == taken.back().to);
}

TEST_CASE("a log that lost what is needed is an error that says so") {
  const test::FastTempDir dir;
  {
    LogWriter writer(dir.path(), 1, 10);
    for (int i = 0; i < 5; ++i) append(writer, Topic::kEvents, 0, {"12345678"});
  }
  auto log = open_log(dir.path());
  CHECK(contains(error_of([&] { log.seek({{Topic::kEvents, 0, 0, 99}}); }), "cut or replaced"));
  CHECK(contains(error_of([&] { log.seek({{Topic::kEvents, 4, 0, 9}}); }), "no partition 4"));
  Batch batch;
  batch.bounds = {{Topic::kEvents, 0, 36, 54}};
  CHECK(contains(error_of([&] { log.read_again(batch); }), "no record ends at offset 54"));
  std::filesystem::remove(segment_path(partition_folder(dir.path(), "headroom.events", 0), 0));
  batch.bounds = {{Topic::kEvents, 0, 0, 9}};
  auto later = open_log(dir.path());
  const auto error = error_of([&] { later.read_again(batch); });
  CHECK(contains(error, "removed by retention or by hand"));
  CHECK(contains(error, "needed from offset 0"));
}

TEST_CASE("one who appends holds up neither the other partitions nor a repeat, but the end") {
  const test::FastTempDir dir;
  LogWriter writer(dir.path(), 2);
  append(writer, Topic::kEvents, 0, {"a"});
  auto log = open_log(dir.path());
  Batch batch;
  CHECK(log.take(batch, 100, 0ms) == 1);
  append(writer, Topic::kEvents, 0, {"b"});
  append(writer, Topic::kEvents, 1, {"c"});
  log.no_more();
  {
    const File file(partition_folder(dir.path(), "headroom.events", 0) / "lock", O_RDWR);
    const FileLock appending(file, FileLock::Kind::kExclusive);
    CHECK(log.take(batch, 100, 0ms) == 1);
    CHECK(ids(batch) == Records{"a", "c"});
    CHECK(log.take(batch, 100, 0ms) == 0);
    CHECK_FALSE(log.ended());
    Batch again;
    again.bounds = batch.bounds;
    open_log(dir.path()).read_again(again);
    CHECK(ids(again) == Records{"a", "c"});
  }
  CHECK(log.take(batch, 100, kLong) == 1);
  CHECK(ids(batch) == Records{"a", "c", "b"});
  CHECK(log.take(batch, 100, kLong) == 0);
  CHECK(log.ended());
}

TEST_CASE("the number of partitions is recorded when the log is made") {
  const test::FastTempDir dir;
  CHECK(prepare_log(dir.path() / "one") == 1);
  CHECK(prepare_log(dir.path() / "log", 3) == 3);
  CHECK(prepare_log(dir.path() / "log") == 3);
  CHECK(contains(error_of([&] { prepare_log(dir.path() / "log", 2); }), "3 partitions, not 2"));
  test::append_raw(dir.path() / "log/headroom.events/partitions", "x");
  CHECK(contains(error_of([&] { prepare_log(dir.path() / "log"); }), "number of partitions"));

  const auto id = log_id(dir.path() / "one");
  CHECK(id.size() == 32);
  CHECK(log_id(dir.path() / "one") == id);
  CHECK(contains(error_of([&] { log_id(dir.path() / "other"); }), "other: there is no log"));
  prepare_log(dir.path() / "other");
  CHECK(log_id(dir.path() / "other") != id);

  std::vector<int> users(4);
  for (int i = 0; i < 4000; ++i) ++users[partition_of("u" + std::to_string(i), 4)];
  for (const int count : users) CHECK(count > 800);
}

TEST_CASE("who reads a log that is there writes nothing into it") {
  const test::FastTempDir dir;
  append(*std::make_unique<LogWriter>(dir.path(), 2), Topic::kEvents, 1, {"a"});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path())) {
    if (entry.path().filename() == "lock") std::filesystem::remove(entry.path());
  }
  const auto files = [&] {
    std::vector<std::filesystem::path> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path())) {
      all.push_back(entry.path());
    }
    return all;
  };
  const auto before = files();
  Batch batch;
  CHECK(open_log(dir.path()).take(batch, 10, 0ms) == 1);
  CHECK(files() == before);
}

TEST_CASE("any bytes as a log: only rejects, and the bounds cover all") {
  const test::FastTempDir dir;
  prepare_log(dir.path());
  std::mt19937 random(3);
  std::string bytes;
  for (int i = 0; i < 500'000; ++i) bytes += static_cast<char>(random());
  bytes += "\n";
  const auto folder = partition_folder(dir.path(), "headroom.events", 0);
  test::append_raw(segment_path(folder, 0), bytes);
  const Decode reject = [](std::string_view, Event&) {
    return RejectReason{RejectKind::kNotJson, "not JSON"};
  };
  LocalLog log({.folder = dir.path(), .partitions = 0, .events = {}, .items = {}}, reject);
  Batch batch;
  while (log.take(batch, 100, 0ms) > 0) {
  }
  CHECK(batch.arrivals.empty());
  CHECK(batch.bounds == Bounds{{Topic::kEvents, 0, 0, bytes.size()}});
  std::uint64_t covered = 0;
  for (const auto& record : batch.rejects) {
    CHECK(record.bytes == bytes.substr(record.place.offset, record.bytes.size()));
    covered += record.bytes.size() + 1;
  }
  CHECK(covered + 100 > bytes.size());  // but for a few empty lines
}

TEST_CASE("retention removes whole old segments, never what a checkpoint still needs") {
  const test::FastTempDir dir;
  LogWriter writer(dir.path(), 1, 100);
  for (int i = 0; i < 100; ++i) append(writer, Topic::kEvents, 0, {"123456789"});
  const auto folder = partition_folder(dir.path(), "headroom.events", 0);
  REQUIRE(list_segments(folder).size() == 10);
  LocalLog log(
      {.folder = dir.path(), .partitions = 0, .events = {.bytes = 350, .age = {}}, .items = {}},
      test::decode_plain);
  const Time now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  CHECK(log.retain(now).empty());  // nothing released
  log.release({{Topic::kEvents, 0, 0, 250}});
  CHECK(log.retain(now).size() == 2);
  log.release({{Topic::kEvents, 0, 0, 1000}});
  CHECK(log.retain(now).size() == 5);
  CHECK(list_segments(folder).front().base == 700);
  CHECK(log.retain(now).empty());

  // By age: all but the last, however old.
  CHECK(retain(folder, {.bytes = {}, .age = 60min}, 1000, now).empty());
  CHECK(retain(folder, {.bytes = {}, .age = 60min}, 1000, now + 2h).size() == 2);
  CHECK(retain(folder, {.bytes = 0, .age = {}}, 1000, now).empty());
  // One that was just begun does not count as the last: it has no line.
  test::append_raw(segment_path(folder, 1000), "");
  CHECK(retain(folder, {.bytes = 0, .age = {}}, 1000, now).empty());
  PartitionWriter(folder).append(std::vector<std::string_view>{"x"});
  CHECK(retain(folder, {.bytes = 0, .age = {}}, 1000, now).size() == 1);
}

TEST_CASE("a pipe is spooled into the log as it comes") {
  const test::FastTempDir dir;
  LogWriter writer(dir.path(), 2);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  Spooled total;
  std::jthread spooling([&] {
    total = spool(ends[0], "pipe", writer, [](std::string_view line) {
      if (line.starts_with("item")) return Destination{Topic::kItems, 0};
      return Destination{Topic::kEvents, line.size() % 2 == 0 ? 0U : 1U};
    });
  });
  const auto send = [&](std::string_view bytes) {
    while (!bytes.empty()) {
      const auto put = write(ends[1], bytes.data(), bytes.size());
      REQUIRE(put > 0);
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
  };
  auto log = open_log(dir.path());
  Batch batch;
  send("ab\n\n\r\nitem 1\nabc\nhal");
  while (batch.arrivals.size() < 3) log.take(batch, 10, kLong);  // comes before the pipe ends
  send("f\n");
  while (batch.arrivals.size() < 4) log.take(batch, 10, kLong);
  send(std::string(3 * kLongestKept, 'x') + "\nlast");
  close(ends[1]);
  spooling.join();
  close(ends[0]);
  while (log.take(batch, 10, 0ms) > 0) {
  }
  CHECK_FALSE(log.ended());
  log.no_more();
  CHECK(log.take(batch, 10, 1ms) == 0);
  CHECK(log.ended());
  CHECK(total.records == 6);
  CHECK(total.to_the_end);
  CHECK(total.bytes == 3 + 7 + 4 + 5 + (kKept + 1) + 5);
  CHECK(log.lag() == 0);
  CHECK(batch.arrivals.size() == 6);
  CHECK(test::all_records(partition_folder(dir.path(), "headroom.events", 0)) ==
        Records{"ab", "half", "last"});
}

TEST_CASE("spooling stops when asked to, and says what it can't read") {
  const test::FastTempDir dir;
  LogWriter writer(dir.path());
  const Router first = [](std::string_view) { return Destination{}; };
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::jthread spooling([&](const std::stop_token& stop) {
    spool(ends[0], "pipe", writer, first, {}, [&] { return stop.stop_requested(); });
  });
  spooling.request_stop();
  spooling.join();
  {
    // While another appends to one of two topics: the other has got its lines.
    const StopAsked now = [] { return true; };
    LogWriter stopping(dir.path(), 0, kSegmentBytes, now);
    const File file(partition_folder(dir.path(), "headroom.events", 0) / "lock", O_RDWR);
    const FileLock appending(file, FileLock::Kind::kExclusive);
    REQUIRE(write(ends[1], "item\nevent\n", 11) == 11);
    const Router by_letter = [](std::string_view line) {
      return Destination{line.starts_with('i') ? Topic::kItems : Topic::kEvents, 0};
    };
    const auto total = spool(ends[0], "pipe", stopping, by_letter);
    CHECK(total.records == 1);
    CHECK(total.bytes == 5);
    CHECK_FALSE(total.to_the_end);
  }
  close(ends[0]);
  close(ends[1]);
  CHECK(contains(error_of([&] { spool(ends[0], "pipe", writer, first); }), "pipe: cannot read"));
}

}  // namespace
}  // namespace headroom
