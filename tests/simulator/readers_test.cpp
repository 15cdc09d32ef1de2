#include "simulator/readers.hpp"

#include <filesystem>

#include "support/catch.hpp"
#include "support/compress.hpp"
#include "support/read_dataset.hpp"
#include "support/temp_dir.hpp"

using namespace headroom::sim;
using namespace headroom::test;
namespace fs = std::filesystem;

TEST_CASE("an unknown data set is an error that lists the known ones") {
  CHECK(read_error({.dataset = "netflix", .path = "."}) ==
        "no dataset is called 'netflix'; they are ml-100k ml-1m foursquare gowalla snap liu2017 "
        "recbole tsv csv");
  for (const auto& name : dataset_names()) {
    const bool checkins = name.name == "foursquare" || name.name == "gowalla" ||
                          name.name == "snap" || name.name == "liu2017";
    CHECK(name.paper_filter == checkins);
    CHECK(read_error({.dataset = name.name, .path = "/no/such/path"}) ==
          "/no/such/path: No such file or directory");
  }
}

TEST_CASE("options for tables are not passed over silently") {
  const TempDir dir;
  dir.write("u.data", "1\t2\t3\t4\n");
  CHECK(
      contains(read_error({.dataset = "ml-100k", .path = dir.path(), .columns = {"user", "item"}}),
               "for tsv and csv"));
}

TEST_CASE("ml-100k is read from its folder or its file") {
  const TempDir dir;
  const auto file = dir.write("u.data", "7\t30\t3\t200\r\n8\t31\t5\t100");
  for (const auto& path : {dir.path(), file}) {
    const auto set = read_dataset({.dataset = "ml-100k", .path = path});
    CHECK(set.name == "ml-100k");
    CHECK(rows_of(set) == Rows{"8 31 5 100", "7 30 3 200"});
    CHECK(set.users == Names{"7", "8"});
    CHECK(set.items == Names{"30", "31"});
    CHECK(set.has_time);
    CHECK(set.has_stars);
    CHECK(set.places.empty());
    CHECK(set.warnings.empty());
    REQUIRE(set.sources.size() == 1);
    CHECK(set.sources[0].path == file.string());
    CHECK(set.sources[0].sha256.size() == 64);
  }
}

TEST_CASE("a folder without the set's file, and a file without data, are errors") {
  const TempDir dir;
  CHECK(contains(read_error({.dataset = "ml-100k", .path = dir.path()}), ": holds none of u.data"));
  CHECK(contains(read_error({.dataset = "ml-1m", .path = dir.path()}), ": holds none of ratings"));
  CHECK(contains(read_error({.dataset = "snap", .path = dir.path()}), ": holds none of loc-"));
  CHECK(
      contains(read_error({.dataset = "recbole", .path = dir.path()}), ": holds none of *.inter"));
  const auto plain = dir.write("u.data", "");
  CHECK(read_error({.dataset = "ml-100k", .path = plain}) == plain.string() + ": no data");
  const auto packed = dir.write("empty.xz", xz(""));
  CHECK(read_error({.dataset = "ml-100k", .path = packed}) == packed.string() + ": no data");
}

TEST_CASE("ml-1m is the same whole or in two parts") {
  const TempDir whole;
  whole.write("ratings.dat", "1::10::5::300\n2::10::2::100\n2::11::4::200\n");
  const TempDir parts;
  parts.write("ratings_exact.dat.xz", xz("1::10::5::300\n2::11::4::200\n"));
  parts.write("ratings_binned.dat", "2::10::2::100\n");

  const auto a = read_dataset({.dataset = "ml-1m", .path = whole.path()});
  const auto b = read_dataset({.dataset = "ml-1m", .path = parts.path()});
  CHECK(rows_of(a) == Rows{"2 10 2 100", "2 11 4 200", "1 10 5 300"});
  CHECK(rows_of(b) == rows_of(a));
  CHECK(b.has_stars);
  CHECK(a.warnings.empty());
  CHECK(warns(b, "ratings_binned.dat"));
  CHECK(b.sources.size() == 2);

  fs::remove(parts.path() / "ratings_binned.dat");
  CHECK(contains(read_error({.dataset = "ml-1m", .path = parts.path()}), "ratings_binned.dat"));
}

TEST_CASE("ties in time go by user, then item, numbers by number and before words") {
  const TempDir dir;
  const auto file =
      dir.write("t.tsv", "b\t1\t5\n10\t1\t5\n9\t10\t5\n9\t9\t5\n9\tx\t5\n1a\t1\t5\nb\t0\t4\n");
  const auto set =
      read_dataset({.dataset = "tsv", .path = file, .columns = {"user", "item", "time"}});
  CHECK(rows_of(set) ==
        Rows{"b 0 1 4", "9 9 1 5", "9 10 1 5", "9 x 1 5", "10 1 1 5", "1a 1 1 5", "b 1 1 5"});
  CHECK(set.users == Names{"b", "10", "9", "1a"});
}

TEST_CASE("equal rows keep the order of the file") {
  const TempDir dir;
  std::string text;
  Rows rows;
  for (int i = 0; i < 100; ++i) {  // few would stay in order by any sort
    const std::string stars = std::to_string(i * i % 5 + 1);
    text += "1\t1\t" + stars + "\t9\n";
    rows.push_back("1 1 " + stars + " 9");
  }
  const auto file = dir.write("u.data", text);
  CHECK(rows_of(read_dataset({.dataset = "ml-100k", .path = file})) == rows);
}

TEST_CASE("a malformed MovieLens line is an error with file, line and reason") {
  const TempDir dir;
  const auto reason = [&](const std::string& line) {
    const auto file = dir.write("u.data", "1\t1\t5\t100\n" + line + "\n");
    const std::string error = read_error({.dataset = "ml-100k", .path = file});
    const std::string start = file.string() + ":2: ";
    REQUIRE(error.substr(0, start.size()) == start);
    return error.substr(start.size());
  };
  CHECK(reason("1\t1\t5") == "expected 4 fields, found 3");
  CHECK(reason("1\t1\t5\t100\t") == "expected 4 fields, found 5");
  CHECK(reason("1\t1\t0\t100") == "the rating '0' is not 1 to 5");
  CHECK(reason("1\t1\t-1\t100") == "the rating '-1' is not 1 to 5");
  CHECK(reason("1\t1\t5.5\t100") == "the rating '5.5' is not 1 to 5");
  CHECK(reason("1\t1\tnan\t100") == "the value 'nan' is not a number");
  CHECK(reason("1\t1\tinf\t100") == "the value 'inf' is not a number");
  CHECK(reason("1\t1\t5x\t100") == "the value '5x' is not a number");
  CHECK(reason("1\t1\t 5\t100") == "the value ' 5' is not a number");
  CHECK(contains(reason("1\t1\t5\tnan"), "the time 'nan'"));
  CHECK(contains(reason("1\t1\t5\t2000-01-01"), "the time '2000-01-01'"));
  CHECK(reason("\t1\t5\t100") == "the user is empty");
  CHECK(reason("1\t\t5\t100") == "the item is empty");
  CHECK(reason(std::string(257, 'u') + "\t1\t5\t100") == "the user is longer than 256 bytes");
  CHECK(reason("1\t\xff\t5\t100") == "the item '?' is not UTF-8");
}

TEST_CASE("names are UTF-8 of up to 256 bytes") {
  const TempDir dir;
  const std::string longest(256, 'u');
  const std::string word = "caf\xc3\xa9 \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x8d\x9c";
  const auto file = dir.write("u.data", longest + "\t" + word + "\t5\t1\n");
  const auto set = read_dataset({.dataset = "ml-100k", .path = file});
  CHECK(set.users == Names{longest});
  CHECK(set.items == Names{word});

  for (const std::string bad : {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                "\xe6\x9d", "\x80", "\xf8\x88\x80\x80\x80", "caf\xe9"}) {
    const auto bad_file = dir.write("bad", "1\t" + bad + "\t5\t1\n");
    CHECK(contains(read_error({.dataset = "ml-100k", .path = bad_file}), "is not UTF-8"));
  }
}

TEST_CASE("skip_bad counts malformed lines and keeps nothing of them") {
  const TempDir dir;
  const auto file = dir.write("u.data", "1\t1\t5\t100\n2\t2\t9\t100\n\n3\t\t5\t100\n4\t4\t4\t90\n");
  const auto set = read_dataset({.dataset = "ml-100k", .path = file, .skip_bad = true});
  CHECK(set.skipped == 3);
  CHECK(rows_of(set) == Rows{"4 4 4 90", "1 1 5 100"});
  CHECK(set.users == Names{"1", "4"});
  CHECK(set.items == Names{"1", "4"});

  const auto all_bad = dir.write("bad", "x\ny\n");
  CHECK(read_error({.dataset = "ml-100k", .path = all_bad, .skip_bad = true}) ==
        all_bad.string() + ": no data: every line is malformed");
}

TEST_CASE("skip_bad does not pass over a broken archive") {
  const TempDir dir;
  const std::string packed = xz("1\t1\t5\t100\n");
  const auto file = dir.write("u.data", packed.substr(0, packed.size() - 4));
  CHECK(read_error({.dataset = "ml-100k", .path = file, .skip_bad = true}) ==
        file.string() + ": truncated xz stream");
}
