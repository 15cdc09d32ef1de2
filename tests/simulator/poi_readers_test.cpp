#include <cmath>
#include <filesystem>

#include "simulator/readers.hpp"
#include "support/catch.hpp"
#include "support/compress.hpp"
#include "support/read_dataset.hpp"
#include "support/temp_dir.hpp"

using namespace headroom::sim;
using namespace headroom::test;
namespace fs = std::filesystem;

TEST_CASE("the sets of Yuan 2013 are three files, ordered by day label and time of day") {
  const TempDir dir;
  dir.write("train.txt", "USER_2\tLOC_1\t1.5,103.25\t04:30\t1\n");
  dir.write("tune.txt.gz", gzip("USER_1\tLOC_2\t-1,103\t00:00\t0\n"));
  dir.write("test.txt.zst", zstd("USER_1\tLOC_1\t1.5,103.25\t23:59\t0\n"));
  const auto set = read_dataset({.dataset = "foursquare", .path = dir.path()});
  CHECK(rows_of(set) == Rows{"USER_1 LOC_2 1 0", "USER_1 LOC_1 1 86340", "USER_2 LOC_1 1 102600"});
  CHECK_FALSE(set.has_time);
  CHECK_FALSE(set.has_stars);
  CHECK(warns(set, "the order of days is arbitrary"));
  CHECK(set.warnings.size() == 1);
  CHECK(set.items == Names{"LOC_1", "LOC_2"});
  REQUIRE(set.places.size() == 2);
  CHECK(set.places[0].lat == 1.5);
  CHECK(set.places[0].lon == 103.25);
  CHECK(set.places[1].lat == -1.0);

  fs::remove(dir.path() / "train.txt");
  const auto part = read_dataset({.dataset = "gowalla", .path = dir.path()});
  CHECK(part.interactions.size() == 2);
  CHECK(warns(part, "train.txt is missing, this is only part of the set"));
  CHECK_FALSE(warns(part, "tune.txt is missing"));

  const TempDir empty;
  CHECK(contains(read_error({.dataset = "gowalla", .path = empty.path()}),
                 ": holds none of train.txt, tune.txt, test.txt"));
}

TEST_CASE("a malformed check-in of Yuan 2013 is an error with its line") {
  const TempDir dir;
  const auto error = [&](const std::string& line) {
    dir.write("train.txt", "USER_1\tLOC_1\t1,2\t00:00\t0\n" + line + "\n");
    return read_error({.dataset = "gowalla", .path = dir.path()});
  };
  const std::string start = (dir.path() / "train.txt").string() + ":2: ";
  CHECK(error("USER_1\tLOC_null\tnull,null\t16:49\t40") ==
        start + "no place on earth: 'null,null'");
  for (const std::string pair : {"nan,nan", "1", "91,0", "-90.5,0", "0,180.5", "1,2,3", "", "1,"}) {
    CHECK(error("U\tL\t" + pair + "\t16:49\t40") == start + "no place on earth: '" + pair + "'");
  }
  for (const std::string time : {"24:00\t1", "16:60\t1", "1:00\t1", "16:49:00\t1", "16:49\t-1",
                                 "16:49\tx", "16:49\t", "16:49\t1.5", "16:49\t99999999"}) {
    CHECK(contains(error("U\tL\t1,2\t" + time), start + "not HH:MM and a day label: "));
  }
  CHECK(error("U\tL\t1,2\t16:49") == start + "expected 5 fields, found 4");

  error("U\tLOC_null\tnull,null\t16:49\t40");
  const auto set = read_dataset({.dataset = "gowalla", .path = dir.path(), .skip_bad = true});
  CHECK(set.skipped == 1);
  CHECK(set.items == Names{"LOC_1"});
}

TEST_CASE("snap check-ins are read from a file or a folder of either form") {
  const std::string text =
      "0\t2010-10-19T23:55:27Z\t30.25\t-97.75\t22847\n"
      "0\t2010-10-18T22:17:43Z\t0.0\t0.0\t420315\n";
  const TempDir dir;
  const auto check = [&](const fs::path& path) {
    const auto set = read_dataset({.dataset = "snap", .path = path});
    CHECK(rows_of(set) == Rows{"0 420315 1 1287440263", "0 22847 1 1287532527"});
    CHECK(set.has_time);
    REQUIRE(set.places.size() == 2);
    CHECK(set.places[0].lat == 30.25);
    CHECK(set.places[0].lon == -97.75);
  };
  check(dir.write("any name", text));
  dir.write("gowalla_events.csv.xz", xz(text));
  check(dir.path());
  dir.write("loc-gowalla_totalCheckins.txt.gz", gzip(text));
  CHECK(contains(read_error({.dataset = "snap", .path = dir.path()}), "; give one of them"));
  fs::remove(dir.path() / "gowalla_events.csv.xz");
  check(dir.path());
}

TEST_CASE("snap places must be on earth and times in ISO 8601") {
  const TempDir dir;
  const auto error = [&](const std::string& time, const std::string& lat, const std::string& lon) {
    const auto file = dir.write("f", "0\t" + time + "\t" + lat + "\t" + lon + "\t1\n");
    return read_error({.dataset = "snap", .path = file});
  };
  const std::string time = "2010-10-19T23:55:27Z";
  CHECK(error(time, "90", "-180") == "no error");
  CHECK(contains(error(time, "90.01", "0"), ":1: no place on earth: lat '90.01', lon '0'"));
  CHECK(contains(error(time, "0", "-180.5"), ":1: no place on earth"));
  CHECK(contains(error(time, "nan", "0"), ":1: no place on earth"));
  CHECK(contains(error("1287532527", "0", "0"), ":1: the time '1287532527'"));
}

TEST_CASE("liu2017 keeps the order of its files, and takes places from a file of their own") {
  const TempDir dir;
  dir.write("Gowalla_test.txt", "0\t3\t1");
  dir.write("Gowalla_train.txt.xz", xz("1\t2\t28\n0\t1\t2"));
  dir.write("Gowalla_tune.txt", "0\t2\t7\n");
  dir.write("Gowalla_poi_coos.txt", "1\t30.5\t-97.5\n9\t1\t1\n2\t31\t-98\n");
  const auto set = read_dataset({.dataset = "liu2017", .path = dir.path()});
  CHECK(rows_of(set) == Rows{"1 2 28 0", "0 1 2 0", "0 2 7 0", "0 3 1 0"});
  CHECK_FALSE(set.has_time);
  CHECK(set.items == Names{"2", "1", "3"});
  REQUIRE(set.places.size() == 3);
  CHECK(set.places[0].lat == 31);
  CHECK(set.places[1].lon == -97.5);
  CHECK(std::isnan(set.places[2].lat));
  CHECK(std::isnan(set.places[2].lon));
  CHECK(set.warnings == Names{"items without a place: 1"});
  CHECK(set.sources.size() == 4);

  fs::remove(dir.path() / "Gowalla_poi_coos.txt");
  fs::remove(dir.path() / "Gowalla_tune.txt");
  const auto part = read_dataset({.dataset = "liu2017", .path = dir.path()});
  CHECK(part.places.empty());
  CHECK(warns(part, "_poi_coos.txt is missing"));
  CHECK(warns(part, "_tune.txt is missing, this is only part of the set"));

  dir.write("Gowalla_tune.txt", "0\t2\t0\n");
  CHECK(contains(read_error({.dataset = "liu2017", .path = dir.path()}),
                 "Gowalla_tune.txt:1: the number of visits '0' is not 1 or more"));
  dir.write("Yelp_tune.txt", "0\t2\t1\n");
  CHECK(contains(read_error({.dataset = "liu2017", .path = dir.path()}),
                 "two files end in _tune.txt: Gowalla_tune.txt and Yelp_tune.txt"));
}

TEST_CASE("an item in two clearly different places keeps the first, with one warning") {
  const TempDir dir;
  const std::string time = "\t2010-10-19T23:55:27Z\t";
  const auto file =
      dir.write("f", "0" + time + "10\t20\ta\n0" + time + "10.009\t20\ta\n" +  //
                         "0" + time + "10\t180\tb\n0" + time + "10\t-179.999\tb\n" + "0" + time +
                         "10\t20\tc\n0" + time + "10\t20.02\tc\n0" + time + "50\t20\tc\n");
  const auto set = read_dataset({.dataset = "snap", .path = file});
  CHECK(set.warnings ==
        Names{"items whose rows lie more than 0.01 degrees apart: 1; the first place counts"});
  CHECK(set.places.at(2).lon == 20);
}
