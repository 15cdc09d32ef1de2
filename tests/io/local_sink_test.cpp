#include "headroom/io/local_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE is POSIX
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "headroom/io/kill_point.hpp"
#include "headroom/io/local_log.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/errors.hpp"
#include "support/log_records.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

using test::contains;
using test::error_of;
using Records = std::vector<std::string>;

// A line is its id and, for lists, the user.
OutputCodec plain_codec() {
  return {
      [](const RankedList& list, std::string& into) {
        into += to_text('r', list.id) + " " + list.user;
      },
      [](const DeadLetter& letter, std::string& into) { into += to_text('d', letter.id); },
      [](std::string_view line) -> std::optional<OutputId> {
        const auto text = line.substr(0, line.find(' '));
        const auto list = parse_output_id('r', text);
        return list ? list : parse_output_id('d', text);
      },
  };
}

LocalSink open_topics(const std::filesystem::path& log) {
  return {to_topic(log, kListTopic, 200), to_topic(log, kDeadLetterTopic, 200), plain_codec()};
}

// Each batch has three lists, and every other one two dead letters.
void run_batches(ListSink& sink, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t number = from; number < to; ++number) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      RankedList list;
      list.id = {0, 1, number, k};
      list.user = "user" + std::to_string(k);
      sink.emit(list);
    }
    for (std::uint32_t k = 0; number % 2 == 0 && k < 2; ++k) {
      sink.emit(DeadLetter{{0, 1, number, k}, {}, {}});
    }
    Batch batch;
    batch.number = number;
    sink.commit(batch);
  }
}

void check_output(const Records& lists, const Records& letters, std::uint64_t batches) {
  Records expected_lists, expected_letters;
  for (std::uint64_t number = 0; number < batches; ++number) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      expected_lists.push_back(to_text('r', {0, 1, number, k}) + " user" + std::to_string(k));
    }
    for (std::uint32_t k = 0; number % 2 == 0 && k < 2; ++k) {
      expected_letters.push_back(to_text('d', {0, 1, number, k}));
    }
  }
  CHECK(lists == expected_lists);
  CHECK(letters == expected_letters);
}

void check_topics(const std::filesystem::path& log, std::uint64_t batches) {
  check_output(test::all_records(partition_folder(log, kListTopic, 0)),
               test::all_records(partition_folder(log, kDeadLetterTopic, 0)), batches);
}

Records lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  Records lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("lists and dead letters, each once, from wherever the engine repeats") {
  const test::FastTempDir dir;
  {
    auto sink = open_topics(dir.path());
    run_batches(sink, 0, 20);
    run_batches(sink, 15, 25);
  }
  auto sink = open_topics(dir.path());
  run_batches(sink, 10, 30);
  check_topics(dir.path(), 30);
}

TEST_CASE("a later epoch comes after every batch of an earlier one") {
  const test::FastTempDir dir;
  auto sink = open_topics(dir.path());
  run_batches(sink, 0, 10);
  RankedList list;
  list.id = {0, 2, 0, 0};
  sink.emit(list);
  sink.commit({});
  CHECK(test::all_records(partition_folder(dir.path(), kListTopic, 0)).back() == "r-0-2-0-0 ");
}

TEST_CASE("after a crash at any kill point exactly what is missing is written") {
  for (const auto name : kill_point_names()) {
    if (!name.starts_with("sink.") && !name.starts_with("writer.")) continue;
    for (const int count : {1, 2, 3, 4, 7}) {
      INFO(name << ":" << count);
      const test::FastTempDir dir;
      test::Child child([&] {
        set_kill_point(std::string(name) + ":" + std::to_string(count));
        auto sink = open_topics(dir.path());
        run_batches(sink, 0, 40);
      });
      REQUIRE(child.wait() == -SIGKILL);
      auto sink = open_topics(dir.path());
      run_batches(sink, 0, 50);
      check_topics(dir.path(), 50);
    }
  }
}

TEST_CASE("any torn end of the output: the missing suffix is written") {
  const test::FastTempDir dir;
  {
    LocalSink sink(to_file(dir.path() / "lists"), to_file(dir.path() / "letters"), plain_codec());
    run_batches(sink, 0, 6);
  }
  const auto lists = test::bytes_of(dir.path() / "lists");
  const auto letters = test::bytes_of(dir.path() / "letters");
  for (std::size_t cut = 0; cut <= lists.size(); ++cut) {
    dir.write("lists", lists.substr(0, cut));
    dir.write("letters", letters.substr(0, cut));
    LocalSink sink(to_file(dir.path() / "lists"), to_file(dir.path() / "letters"), plain_codec());
    run_batches(sink, 0, 6);
    REQUIRE(test::bytes_of(dir.path() / "lists") == lists);
    REQUIRE(test::bytes_of(dir.path() / "letters") == letters);
  }
}

TEST_CASE("files as output, killed and gone on with") {
  const test::FastTempDir dir;
  const auto open = [&] {
    return LocalSink(to_file(dir.path() / "lists"), to_topic(dir.path(), kDeadLetterTopic),
                     plain_codec());
  };
  test::Child child([&] {
    set_kill_point("writer.mid_write:8");
    auto sink = open();
    run_batches(sink, 0, 40);
  });
  REQUIRE(child.wait() == -SIGKILL);
  auto sink = open();
  run_batches(sink, 0, 40);
  check_output(lines_of(dir.path() / "lists"),
               test::all_records(partition_folder(dir.path(), kDeadLetterTopic, 0)), 40);
  CHECK(contains(error_of([&] { to_file(dir.path() / "lists"); }), "another process"));
  CHECK(contains(error_of([&] { to_file(dir.path() / "no" / "lists"); }), "cannot open"));
}

TEST_CASE("an output that is not ours is refused") {
  const test::FastTempDir dir;
  dir.write("lists", "shopping:\n");
  const auto error = error_of([&] {
    LocalSink sink(to_file(dir.path() / "lists"), to_file(dir.path() / "letters"), plain_codec());
  });
  CHECK(contains(error, "lists: its last line is no output of Headroom"));
}

TEST_CASE("no room: a commit fails, and repeated later writes all, once") {
  const test::FastTempDir dir;
  test::Child child([&] {
    signal(SIGXFSZ, SIG_IGN);
    auto sink =
        LocalSink(to_file(dir.path() / "lists"), to_file(dir.path() / "letters"), plain_codec());
    const rlimit small{500, RLIM_INFINITY}, large{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &small);
    std::uint64_t number = 0;
    while (error_of([&] { run_batches(sink, number, number + 1); }) == "no error") ++number;
    setrlimit(RLIMIT_FSIZE, &large);
    sink.commit({});
    run_batches(sink, number + 1, 40);
  });
  REQUIRE(child.wait() == 0);
  check_output(lines_of(dir.path() / "lists"), lines_of(dir.path() / "letters"), 40);
}

TEST_CASE("standard output: whole lines, and an error when nobody reads or nothing fits") {
  const test::FastTempDir dir;
  const auto old = signal(SIGPIPE, SIG_IGN);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  {
    LocalSink sink(to_stream(ends[1], "standard output"), to_file(dir.path() / "letters"),
                   plain_codec());
    run_batches(sink, 0, 1);
    std::string text(1000, '\0');
    text.resize(static_cast<std::size_t>(read(ends[0], text.data(), text.size())));
    CHECK(text == "r-0-1-0-0 user0\nr-0-1-0-1 user1\nr-0-1-0-2 user2\n");
    close(ends[0]);
    CHECK(error_of([&] { run_batches(sink, 1, 2); }) ==
          "standard output: cannot write: Broken pipe");
  }
  close(ends[1]);
  signal(SIGPIPE, old);

  LocalSink full(to_file("/dev/full"), to_file("/dev/null"), plain_codec());
  CHECK(error_of([&] { run_batches(full, 0, 1); }) ==
        "/dev/full: cannot write: No space left on device");
}

TEST_CASE("who does not read is not waited for when a stop is asked for") {
  const test::FastTempDir dir;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::atomic<bool> stop = false;
  const StopAsked asked = [&] { return stop.load(); };
  LocalSink sink(to_stream(ends[1], "standard output", asked), to_file(dir.path() / "letters"),
                 plain_codec());
  std::string error;
  std::jthread writing([&] {
    try {
      run_batches(sink, 0, 100'000);  // more than a pipe holds
    } catch (const Stopped& stopped) {
      error = stopped.what();
    }
  });
  pollfd full{ends[1], POLLOUT, 0};
  while (poll(&full, 1, 0) > 0) std::this_thread::yield();
  stop = true;
  writing.join();
  CHECK(error == "standard output: nobody reads it");
  // Who reads, however late, gets whole lines first.
  std::string text(1 << 20, '\0');
  text.resize(static_cast<std::size_t>(read(ends[0], text.data(), text.size())));
  CHECK(text.starts_with("r-0-1-0-0 user0\nr-0-1-0-1 user1\n"));
  CHECK(text.size() > 10'000);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a file that another removed, replaced or changed is no output any more") {
  const test::FastTempDir dir;
  const auto path = dir.path() / "lists";
  const auto open = [&] {
    return LocalSink(to_file(path), to_file(dir.path() / "letters"), plain_codec());
  };
  const auto refused = [&](std::uint64_t at, const auto& change) {
    auto sink = open();
    run_batches(sink, 0, at);
    const std::string before = test::bytes_of(path);
    change();
    const auto error = error_of([&] { run_batches(sink, at, at + 1); });
    if (std::filesystem::exists(path))
      CHECK_FALSE(contains(test::bytes_of(path), std::string_view("\0", 1)));
    std::filesystem::remove(path);
    dir.write("lists", before);  // put back
    return error;
  };
  CHECK(contains(refused(2, [&] { std::filesystem::resize_file(path, 0); }), "has 0 bytes"));
  CHECK(contains(refused(4, [&] { std::filesystem::resize_file(path, 20); }), "has 20 bytes"));
  CHECK(contains(refused(6, [&] { test::append_raw(path, "x\n"); }), "another process changed"));
  CHECK(contains(refused(8, [&] { std::filesystem::remove(path); }), "removed or replaced"));
  CHECK(contains(refused(10,
                         [&] {
                           std::filesystem::rename(path, dir.path() / "moved");
                           dir.write("lists", "");
                         }),
                 "removed or replaced"));
  auto sink = open();
  run_batches(sink, 0, 12);
  check_output(lines_of(path), lines_of(dir.path() / "letters"), 12);
}

}  // namespace
}  // namespace headroom
