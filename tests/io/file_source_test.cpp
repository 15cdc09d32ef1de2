#include "headroom/io/file_source.hpp"

#include <sys/stat.h>

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

TEST_CASE("a file that ends: its last line needs no newline") {
  const test::FastTempDir dir;
  const auto path = dir.write("events", "one\n\n!bad\ntwo");
  FileSource source(path, AtEnd::kStop, test::decode_plain);
  CHECK_FALSE(source.ended());
  CHECK(source.lag() == 13);
  Batch batch;
  CHECK(source.take(batch, 2, 60s) == 2);
  CHECK(source.take(batch, 2, 60s) == 1);
  CHECK(source.ended());
  CHECK(source.take(batch, 2, 60s) == 0);  // without a wait: nothing can come
  CHECK(ids(batch) == Records{"one", "two"});
  CHECK(batch.rejects.size() == 1);
  CHECK(batch.bounds == Bounds{{Topic::kEvents, 0, 0, 13}});

  Batch again;
  again.bounds = {{Topic::kEvents, 0, 4, 13}};
  source.read_again(again);
  CHECK(ids(again) == Records{"two"});
  CHECK(again.rejects.size() == 1);

  // On from there: nothing, until it grew within the line that was taken.
  FileSource later(path, AtEnd::kStop, test::decode_plain);
  later.seek(batch.bounds);
  CHECK(later.ended());
  test::append_raw(path, "more\n");
  FileSource grown(path, AtEnd::kStop, test::decode_plain);
  CHECK(contains(error_of([&] { grown.seek(batch.bounds); }), "no end of a line"));
}

TEST_CASE("blank lines at the end of a file don't keep it from ending") {
  const test::FastTempDir dir;
  FileSource source(dir.write("events", "one\n\n\n"), AtEnd::kStop, test::decode_plain);
  Batch batch;
  CHECK(source.take(batch, 10, 0ms) == 1);
  CHECK(source.ended());
  CHECK(batch.bounds == Bounds{{Topic::kEvents, 0, 0, 4}});
  FileSource empty(dir.write("empty", ""), AtEnd::kStop, test::decode_plain);
  CHECK(empty.ended());
}

TEST_CASE("a file that is followed gives whole lines only") {
  const test::FastTempDir dir;
  const auto path = dir.write("events", "one\ntw");
  FileSource source(path, AtEnd::kFollow, test::decode_plain);
  Batch batch;
  CHECK(source.take(batch, 10, 60s) == 1);
  CHECK(source.take(batch, 10, 1ms) == 0);
  test::append_raw(path, "o");
  CHECK(source.take(batch, 10, 1ms) == 0);
  CHECK_FALSE(source.ended());
  test::append_raw(path, "\nthree\nf");
  CHECK(source.take(batch, 10, 60s) == 2);
  CHECK(ids(batch) == Records{"one", "two", "three"});
  CHECK(batch.bounds == Bounds{{Topic::kEvents, 0, 0, 14}});

  FileSource later(path, AtEnd::kFollow, test::decode_plain);
  later.seek({{Topic::kEvents, 0, 0, 8}});
  Batch rest;
  CHECK(later.take(rest, 10, 60s) == 1);
  CHECK(rest.bounds == Bounds{{Topic::kEvents, 0, 8, 14}});
  std::filesystem::resize_file(path, 5);
  CHECK(contains(error_of([&] { later.take(rest, 10, 0ms); }), "has only 5 bytes"));
}

TEST_CASE("a file is known by its first record") {
  const test::FastTempDir dir;
  const auto id = [](const std::filesystem::path& path, AtEnd at_end = AtEnd::kFollow) {
    return FileSource(path, at_end, test::decode_plain).id();
  };
  const auto path = dir.write("events", "");
  FileSource source(path, AtEnd::kFollow, test::decode_plain);
  CHECK_FALSE(source.id());
  test::append_raw(path, "\none");
  CHECK_FALSE(source.id());
  test::append_raw(path, "\ntwo\n");
  REQUIRE(source.id());
  test::append_raw(path, "three\n");
  CHECK(id(path) == source.id());
  CHECK(id(path, AtEnd::kStop) == source.id());
  std::filesystem::copy(path, dir.path() / "copy");
  CHECK(id(dir.path() / "copy") == source.id());
  CHECK(id(dir.write("other", "two\none\n")) != source.id());
}

TEST_CASE("a file that is followed and becomes another is an error") {
  const test::FastTempDir dir;
  const auto path = dir.write("events", "one\ntwo\n");
  FileSource source(path, AtEnd::kFollow, test::decode_plain);
  Batch batch;
  CHECK(source.take(batch, 1, 0ms) == 1);
  SECTION("rotated: the rest of the old one comes first") {
    std::filesystem::rename(path, dir.path() / "events.1");
    test::append_raw(dir.path() / "events.1", "three\n");
    dir.write("events", "four\n");
    CHECK(source.take(batch, 10, 0ms) == 2);
    CHECK(ids(batch) == Records{"one", "two", "three"});
    const auto error = error_of([&] { source.take(batch, 10, 0ms); });
    CHECK(contains(error, "removed or replaced after it was read up to byte 14"));
  }
  SECTION("removed") {
    std::filesystem::remove(path);
    CHECK(source.take(batch, 10, 0ms) == 1);
    CHECK(contains(error_of([&] { source.take(batch, 10, 0ms); }), "removed or replaced"));
  }
  SECTION("written anew, and longer than before") {
    CHECK(source.take(batch, 10, 0ms) == 1);
    dir.write("events", "something else\n");
    CHECK(contains(error_of([&] { source.take(batch, 10, 0ms); }), "was written anew"));
  }
}

TEST_CASE("a huge line without an end, then with one") {
  const test::FastTempDir dir;
  const auto path = dir.write("events", std::string(5 * kLongestKept, 'x'));
  FileSource source(path, AtEnd::kFollow, test::decode_plain);
  Batch batch;
  CHECK(source.take(batch, 10, 0ms) == 0);
  test::append_raw(path, "\nnext\n");
  CHECK(source.take(batch, 10, 60s) == 2);
  CHECK(batch.arrivals[0].bytes.size() == kKept);
  CHECK(batch.arrivals[1].place.offset == 5 * kLongestKept + 1);
}

TEST_CASE("what a file can't be read from is said") {
  const test::FastTempDir dir;
  const auto open = [&](const std::filesystem::path& path) {
    return error_of([&] { FileSource(path, AtEnd::kStop, test::decode_plain); });
  };
  CHECK(contains(open(dir.path() / "none"), "none: cannot open: No such file"));
  CHECK(contains(open("/dev/null"), "not a plain file"));
  CHECK(contains(open(dir.path()), "not a plain file"));
  REQUIRE(mkfifo((dir.path() / "pipe").c_str(), 0600) == 0);
  CHECK(contains(open(dir.path() / "pipe"), "not a plain file"));
  FileSource source(dir.write("events", "one\ntwo\n"), AtEnd::kStop, test::decode_plain);
  CHECK(contains(error_of([&] { source.seek({{Topic::kEvents, 0, 0, 9}}); }), "only 8 bytes"));
  CHECK(contains(error_of([&] { source.seek({{Topic::kEvents, 0, 0, 5}}); }), "no end of a line"));
  CHECK(contains(error_of([&] { source.seek({{Topic::kItems, 0, 0, 4}}); }), "not this one file"));
}

}  // namespace
}  // namespace headroom
