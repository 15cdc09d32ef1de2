#include "headroom/app/settings.hpp"

#include <set>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/log_records.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

using test::contains;
using test::error_of;

const std::filesystem::path kSource = HEADROOM_SOURCE_DIR;

std::string refusal(const std::string& yaml) {
  const test::FastTempDir dir;
  Options options;
  const auto file = dir.write("c.yaml", yaml);
  const auto error = error_of([&] { read_config(file, options); });
  CHECK(error.starts_with(file.string() + ":"));
  CHECK_FALSE(contains(error, "\n"));
  return error.substr(std::min(error.size(), file.string().size() + 1));
}

std::string printed_back(const Options& options) {
  const test::FastTempDir dir;
  Options again;
  read_config(dir.write("c.yaml", print_config(options)), again);
  return print_config(again);
}

TEST_CASE("every key is documented, there once, and its default is within its bounds") {
  Options options;
  std::set<std::string> keys;
  for (const Setting& setting : settings(options)) {
    INFO(setting.key);
    CHECK(keys.insert(setting.key).second);
    CHECK_FALSE(setting.words.empty());
    CHECK_FALSE(setting.kind.empty());
    if (setting.kind == "path") continue;  // written as YAML has it, read as it is
    const std::string value = setting.write();
    CHECK_NOTHROW(setting.read(value));
    CHECK(setting.write() == value);
  }
  CHECK(keys.size() > 40);
}

TEST_CASE("the file in config/ is what the program prints") {
  CHECK(test::bytes_of(kSource / "config/headroom.yaml") == print_config(Options{}));
  Options read;
  read_config(kSource / "config/headroom.yaml", read);
  CHECK(print_config(read) == print_config(Options{}));
  CHECK(read.engine.learner.user_step == LearnerOptions{}.user_step);
  CHECK(read.engine.learner.l2 == LearnerOptions{}.l2);
  CHECK(read.engine.learner.rank == LearnerOptions{}.rank);
  CHECK(read.engine.ledger.window == LedgerOptions{}.window);
  CHECK(read.engine.ledger.way == LedgerOptions{}.way);
  CHECK(read.engine.listening.prior_mean == ListeningOptions{}.prior_mean);
}

TEST_CASE("the paper's own form in config/ is the bare learner") {
  Options read, expected;
  read_config(kSource / "config/paper.yaml", read);
  expected.engine.learner = bare_learner(Method::kBpr);
  expected.engine.learner.past = LearnerOptions{}.past;
  CHECK(print_config(read) == print_config(expected));
}

TEST_CASE("what is printed is read back the same") {
  Options options;
  for (const auto* assignment :
       {"seed=7", "learner.rank=3", "learner.user_step=0.123456", "learner.start_squares=1e-08",
        "listening.prior_mean=0.999", "clock=event", "log.keep_hours=5", "status.line_seconds=0"}) {
    read_override(assignment, options);
  }
  CHECK(printed_back(options) == print_config(options));
  for (const auto* path : {"plain/path", "with space", "a: b", "#c", "'q'", "\"d\"", "back\\slash",
                           "- list", "[x]", "null", "~", "*a", "tab\there", "\xc3\xa9"}) {
    options.folder = path;
    CHECK(printed_back(options) == print_config(options));
    const test::FastTempDir dir;
    Options again;
    read_config(dir.write("c.yaml", print_config(options)), again);
    CHECK(again.folder == path);
  }
}

TEST_CASE("what is no configuration is refused with file, line and key") {
  CHECK(contains(refusal("seed: 1\nlearner:\n  ranks: 3\n"), "3: learner.ranks: there is no such"));
  CHECK(contains(refusal("bogus: 1\n"), "1: bogus: there is no such"));
  CHECK(contains(refusal("learner:\n  rank: 3\n  l2: 1\n  rank: 4\n"), "4: learner.rank: "));
  CHECK(contains(refusal("seed: 1\nseed: 1\n"), "2: seed: "));
  CHECK(contains(refusal("seed: 1\n---\nseed: 2\n"), "seed: is given twice"));
  CHECK(contains(refusal("learner:\n  rank: 0\n"), "2: learner.rank: must be 1 to 256"));
  CHECK(contains(refusal("learner:\n  rank: 257\n"), "2: learner.rank: must be"));
  CHECK(contains(refusal("learner: {rank: -1}\n"), "1: learner.rank: a whole number"));
  CHECK(contains(refusal("learner: {rank: 1.5}\n"), "1: learner.rank: a whole number"));
  CHECK(contains(refusal("learner: {rank: 99999999999999999999}\n"), "1: learner.rank: "));
  for (const auto* bad : {"nan", "NaN", ".nan", "inf", "-inf", "abc", "1e99", "''", "0x1p3"}) {
    INFO(bad);
    CHECK(contains(refusal(std::string("learner:\n  user_step: ") + bad + "\n"),
                   "2: learner.user_step: "));
  }
  CHECK(contains(refusal("learner:\n  rank: [8]\n"), "2: learner.rank: one value is wanted"));
  CHECK(contains(refusal("learner:\n  rank:\n    x: 8\n"), "2: learner.rank: one value"));
  CHECK(contains(refusal("learner:\n  rank:\n"), "2: learner.rank: one value"));
  CHECK(contains(refusal("learner: 8\n"), "1: learner: a mapping"));
  CHECK(contains(refusal("- seed\n"), "1: a mapping"));
  CHECK(contains(refusal("clock: noon\n"), "1: clock: must be one of wall | event"));
  CHECK(contains(refusal("seed: 1\nlearner: {rank: 3\n"), ": "));
  CHECK(contains(refusal("seed: \"1\n"), ": "));
  Options options;
  const test::FastTempDir dir;
  CHECK(contains(error_of([&] { read_config(dir.path() / "none.yaml", options); }), "none.yaml"));
  CHECK(contains(error_of([&] { read_config(dir.path(), options); }), "cannot be read"));
  CHECK_NOTHROW(read_config(dir.write("empty.yaml", ""), options));
  CHECK_NOTHROW(read_config(dir.write("section.yaml", "learner:\n"), options));
}

TEST_CASE("overrides, and what only several keys break") {
  Options options;
  read_override("learner.rank=9", options);
  CHECK(options.engine.learner.rank == 9);
  read_override("folder=a=b", options);
  CHECK(options.folder == "a=b");
  for (const auto* bad : {"learner.rank", "bogus=1", "=1", "", "learner=1"}) {
    CHECK(contains(error_of([&] { read_override(bad, options); }), "KEY=VALUE is wanted"));
  }
  CHECK(contains(error_of([&] { read_override("learner.rank=x", options); }), "learner.rank"));
  CHECK_NOTHROW(check_together(options));
  options.source = SourceKind::kFile;
  CHECK(contains(error_of([&] { check_together(options); }), "source.file"));
  options.source_file = "x";
  options.sink = SinkKind::kFile;
  CHECK(contains(error_of([&] { check_together(options); }), "sink.file"));
}

}  // namespace
}  // namespace headroom
