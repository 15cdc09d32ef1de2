#include "headroom/io/store.hpp"

#include "headroom/app/identity.hpp"
#include "headroom/io/checkpoint_writer.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

using test::contains;
using test::error_of;
using Mode = Store::Mode;

JournalEntry entry(std::uint64_t number, Bounds bounds = {}) {
  return {number, Time(std::chrono::milliseconds(number * 1000)), std::move(bounds)};
}

std::vector<std::uint64_t> journalled(const Store& store, std::uint64_t first = 0) {
  std::vector<std::uint64_t> numbers;
  store.each_entry(first, [&](const JournalEntry& e) { numbers.push_back(e.number); });
  return numbers;
}

void write_rows(Store& store, std::uint64_t batch, std::string_view bytes) {
  SavedRows rows;
  rows.add({RowKind::kUser, 1}, bytes);
  rows.add({RowKind::kItem, 1}, "item");
  store.stage(rows);
  store.write({batch, "rest"});
}

TEST_CASE("the journal comes back as it was written, in order") {
  const test::FastTempDir dir;
  const auto odd = entry(256, {{Topic::kItems, 0, 1, 2}, {Topic::kEvents, 3, 4, ~0ULL}});
  {
    Store store(dir.path() / "s", Mode::kCreate);
    CHECK_FALSE(store.first_entry());
    CHECK_FALSE(store.last_entry());
    for (const std::uint64_t number : {300, 2, 1, 70000, 255}) store.journal(entry(number));
    store.journal(odd);
  }
  const Store store(dir.path() / "s", Mode::kExisting);
  CHECK(journalled(store) == std::vector<std::uint64_t>{1, 2, 255, 256, 300, 70000});
  CHECK(journalled(store, 256) == std::vector<std::uint64_t>{256, 300, 70000});
  CHECK(store.first_entry() == entry(1));
  CHECK(store.last_entry() == entry(70000));
  store.each_entry(256, [&](const JournalEntry& e) {
    if (e.number == 256) CHECK(e == odd);
  });
}

TEST_CASE("the journal is trimmed up to the last batch whose records are gone") {
  const test::FastTempDir dir;
  Store store(dir.path() / "s", Mode::kCreate);
  store.journal(entry(1, {{Topic::kItems, 0, 0, 9}, {Topic::kEvents, 0, 0, 100}}));
  store.journal(entry(2, {{Topic::kEvents, 1, 0, 50}}));
  store.journal(entry(3));  // a tick
  store.journal(entry(4, {{Topic::kEvents, 0, 100, 200}}));
  store.journal(entry(5, {{Topic::kEvents, 0, 200, 300}, {Topic::kEvents, 1, 50, 80}}));
  store.journal(entry(6, {{Topic::kEvents, 0, 300, 400}}));
  const auto begins = [](std::uint64_t p0, std::uint64_t p1) {
    return Bounds{
        {Topic::kItems, 0, 0, 9}, {Topic::kEvents, 0, p0, 400}, {Topic::kEvents, 1, p1, 80}};
  };
  store.trim_journal(begins(0, 0), 6);  // all is there
  CHECK(journalled(store) == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6});
  store.trim_journal(begins(100, 0), 6);  // the tick and partition 1 can still be repeated
  CHECK(journalled(store) == std::vector<std::uint64_t>{2, 3, 4, 5, 6});
  store.trim_journal(begins(150, 0), 3);  // batch 4 is after the checkpoint
  CHECK(journalled(store) == std::vector<std::uint64_t>{2, 3, 4, 5, 6});
  store.trim_journal(begins(150, 0), 6);  // 4 began before 150: nothing before it is of use
  CHECK(journalled(store) == std::vector<std::uint64_t>{5, 6});
  store.trim_journal(begins(400, 80), 6);
  CHECK(journalled(store).empty());
  store.trim_journal(begins(400, 80), 6);
  store.journal(entry(7));
  CHECK(journalled(store) == std::vector<std::uint64_t>{7});
}

TEST_CASE("a checkpoint is there as a whole or not at all") {
  const test::FastTempDir dir;
  {
    Store store(dir.path() / "s", Mode::kCreate);
    CHECK_FALSE(store.rest());
    write_rows(store, 5, "one");
    SavedRows more;
    more.add({RowKind::kUser, 1}, "two");
    more.add({RowKind::kItem, 1}, "");
    store.stage(more);  // never closed
  }
  Store store(dir.path() / "s", Mode::kExisting);
  CHECK(store.rest()->batch == 5);
  CHECK(store.rest()->bytes == "rest");
  std::vector<std::string> rows;
  store.each_row([&](const RowKey&, std::string_view bytes) { rows.emplace_back(bytes); });
  CHECK(rows == std::vector<std::string>{"one", "item"});

  SavedRows gone;
  gone.add({RowKind::kItem, 1}, "");
  store.stage(gone);
  store.write({6, "rest"});
  rows.clear();
  store.each_row([&](const RowKey&, std::string_view bytes) { rows.emplace_back(bytes); });
  CHECK(rows == std::vector<std::string>{"one"});
}

TEST_CASE("the digest tells states apart") {
  const test::FastTempDir dir;
  const auto digest = [&](const char* name, std::uint64_t batch, std::string_view bytes) {
    Store store(dir.path() / name, Mode::kCreate);
    write_rows(store, batch, bytes);
    store.journal(entry(batch));  // no part of it
    return store.digest();
  };
  const auto one = digest("a", 1, "x");
  CHECK(one.size() == 32);
  CHECK(digest("b", 1, "x") == one);
  CHECK(digest("c", 1, "y") != one);
  CHECK(digest("d", 2, "x") != one);
}

TEST_CASE("one process writes, others read") {
  const test::FastTempDir dir;
  Store store(dir.path() / "s", Mode::kCreate);
  write_rows(store, 1, "x");
  CHECK(contains(error_of([&] { Store(dir.path() / "s", Mode::kExisting); }),
                 "in use by another process"));
  const Store reader(dir.path() / "s", Mode::kReadOnly);
  CHECK(reader.digest() == store.digest());
  store.journal(entry(1));
  CHECK_FALSE(reader.last_entry());  // as it was when it was opened
  CHECK(journalled(Store(dir.path() / "s", Mode::kReadOnly)).size() == 1);
}

TEST_CASE("a folder that is no store is refused") {
  const test::FastTempDir dir;
  for (const auto mode : {Mode::kExisting, Mode::kReadOnly}) {
    CHECK(contains(error_of([&] { Store(dir.path() / "none", mode); }), "there is none"));
    CHECK(contains(error_of([&] { Store(dir.path(), mode); }), "there is none"));
  }
  dir.write("lock-of-a-file", "text");
  const auto error = error_of([&] { Store(dir.path() / "lock-of-a-file", Mode::kCreate); });
  CHECK(contains(error, "lock-of-a-file"));
  CHECK_FALSE(contains(error, "in use"));
  std::filesystem::create_directories(dir.path() / "broken/rows");
  dir.write("broken/rows/CURRENT", "nonsense");
  CHECK(contains(error_of([&] { Store(dir.path() / "broken", Mode::kExisting); }), "broken"));
}

TEST_CASE("a store that was made for other options is refused") {
  const test::FastTempDir dir;
  Store store(dir.path() / "s", Mode::kCreate);
  CHECK(store.identity().empty());
  Options options;
  claim(store, options, 0);
  CHECK_NOTHROW(check_claim(store, options));
  CHECK(epoch_of(store) == 1);
  const auto refused = [&](auto change, std::uint64_t repeating) {
    Options other;
    change(other);
    return error_of([&] { claim(store, other, repeating); });
  };
  const auto rank = [](Options& o) { o.engine.learner.rank = 3; };
  CHECK(contains(refused(rank, 0), "learner.rank 16, but 3 is asked for"));
  CHECK(contains(refused([](Options& o) { o.engine.learner.method = Method::kPmf; }, 0),
                 "learner.method geobpr, but pmf"));
  CHECK(contains(refused([](Options& o) { o.seed = 2; }, 0), "seed 1, but 2"));
  CHECK(contains(refused([](Options& o) { o.engine.clock = ClockKind::kEvent; }, 0), "clock"));
  const auto step = [](Options& o) { o.engine.learner.user_step = 0.5F; };
  CHECK(contains(refused(step, 4), "4 batches must be repeated"));
  CHECK(refused(step, 0) == "no error");  // nothing to repeat: it may change
  CHECK(refused(step, 4) == "no error");  // it is the new one now
  CHECK(refused([](Options& o) { o.threads = 7; }, 4) != "no error");  // step went back to before
}

TEST_CASE("checkpoints on a thread of their own, and their failure") {
  const test::FastTempDir dir;
  {
    Store store(dir.path() / "s", Mode::kCreate);
    CheckpointWriter writer(store);
    CHECK_FALSE(writer.busy());
    SavedRows rows;
    rows.add({RowKind::kUser, 1}, "x");
    writer.add(std::move(rows));
    writer.finish({3, "rest"});
    writer.wait();
    CHECK_FALSE(writer.busy());
    CHECK(store.rest()->batch == 3);
  }
  Store closed(dir.path() / "s", Mode::kReadOnly);  // can't be written
  CheckpointWriter writer(closed);
  writer.finish({4, "rest"});
  CHECK(contains(error_of([&] { writer.wait(); }), "the state store"));
  CHECK(contains(error_of([&] { writer.add({}); }), "the state store"));
  CHECK(contains(error_of([&] { static_cast<void>(writer.busy()); }), "the state store"));
}

}  // namespace
}  // namespace headroom
