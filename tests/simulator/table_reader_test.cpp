#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "simulator/readers.hpp"
#include "support/catch.hpp"
#include "support/compress.hpp"
#include "support/read_dataset.hpp"
#include "support/temp_dir.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

struct Table {
  Table(std::string dataset, std::string_view text, Names columns) {
    options.dataset = std::move(dataset);
    options.path = dir.write("table", text);
    options.columns = std::move(columns);
  }

  Dataset read() const { return read_dataset(options); }

  // Without the file's name.
  std::string error() const {
    const std::string error = read_error(options);
    const std::string file = options.path.string();
    return error.starts_with(file) ? error.substr(file.size()) : error;
  }

  TempDir dir;
  ReadOptions options;
};

// The time of the one row of a table with this cell, in milliseconds.
std::optional<std::int64_t> read_time(const std::string& cell,
                                      const std::optional<std::string>& format = {}) {
  Table table("tsv", "u\ti\t" + cell + "\n", {"user", "item", "time"});
  table.options.time_format = format;
  table.options.header = Header::kNo;
  if (table.error() != "no error") {
    CHECK(contains(table.error(), ":1: the time "));
    return std::nullopt;
  }
  return table.read().interactions.at(0).at.time_since_epoch().count();
}

}  // namespace

TEST_CASE("a table needs columns that make sense") {
  const auto error = [](const Names& columns) { return Table("tsv", "a\tb\n", columns).error(); };
  CHECK(error({}) == "--columns: give --columns to say which column is what");
  CHECK(error({"user"}) == "--columns: no column is item");
  CHECK(error({"user", "item", "user"}) == "--columns: two columns are user");
  CHECK(error({"user", "item", "lat"}) == "--columns: lat and lon go together");
  CHECK(error({"user", "item=Item"}) ==
        "--columns: give either every column as ROLE=HEADER or none");
  CHECK(contains(error({"user", "itme"}), "--columns: 'itme' is no role"));
  CHECK(contains(error({"user=A", "-=B"}), "--columns: '-' is no role"));
}

TEST_CASE("columns by position, with some to pass") {
  const Table table("tsv", "x\ti\t2.5\tu\ny\tj\t7\tv\n", {"-", "item", "value", "user"});
  const auto set = table.read();
  CHECK(set.users == Names{"u", "v"});
  CHECK(set.items == Names{"i", "j"});
  CHECK(set.interactions.at(0).value == 2.5F);
  CHECK_FALSE(set.has_stars);
  CHECK_FALSE(set.has_time);
}

TEST_CASE("without a time column the order of the file stays") {
  const auto set = Table("tsv", "b\t2\na\t1\nb\t1\n", {"user", "item"}).read();
  CHECK(set.users == Names{"b", "a"});
  CHECK(index(set.interactions.at(1).user) == 1);
  CHECK_FALSE(set.has_time);
}

TEST_CASE("empty lines are passed at the end of a file, and a flaw before it") {
  const Names columns{"user", "item"};
  CHECK(Table("tsv", "u\ti\nu\tj\n\n\n", columns).read().interactions.size() == 2);
  CHECK(Table("tsv", "u\ti\n\nu\tj\n", columns).error() == ":3: the line before it is empty");
}

TEST_CASE("values are stars when all of them are 1 to 5, liked and disliked") {
  const Names columns{"user", "item", "value"};
  CHECK(Table("tsv", "u\ti\t1\nu\tj\t5\n", columns).read().has_stars);
  CHECK_FALSE(Table("tsv", "u\ti\t1\nu\tj\t5.5\n", columns).read().has_stars);
  CHECK_FALSE(Table("tsv", "u\ti\t0\nu\tj\t5\n", columns).read().has_stars);
  CHECK_FALSE(Table("tsv", "u\ti\t1\nu\tj\t3\n", columns).read().has_stars);  // visits, rather
  CHECK_FALSE(Table("tsv", "u\ti\t4\nu\tj\t5\n", columns).read().has_stars);
  CHECK_FALSE(Table("tsv", "u\ti\n", {"user", "item"}).read().has_stars);
  CHECK(Table("tsv", "u\ti\t1e39\n", columns).error() == ":1: the value '1e39' is not a number");
}

TEST_CASE("a row has as many fields as the map") {
  const Names columns{"user", "item", "-"};
  CHECK(Table("tsv", "u\ti\tx\nu\ti\n", columns).error() == ":2: expected 3 fields, found 2");
  CHECK(Table("tsv", "u\ti\tx\nu\ti\tx\ty\n", columns).error() == ":2: expected 3 fields, found 4");
}

TEST_CASE("a header is recognised only where it is safe") {
  const Names timed{"user", "item", "time"};
  CHECK(Table("tsv", "UserId\tMovieID\tTimeStamp\nu\ti\t1\n", timed).read().users == Names{"u"});
  CHECK(Table("tsv", "who\tvenue\twhen\nu\ti\t1\n", timed).read().users == Names{"u"});
  CHECK(Table("tsv", "user_id\titem_id\nu\ti\n", {"user", "item"}).read().users == Names{"u"});

  // Not one usual name: a malformed line.
  CHECK(contains(Table("tsv", "a\tb\tc\nu\ti\t1\n", timed).error(), ":1: the time 'c'"));
  // A usual name, but a number where a header has a word: data.
  CHECK(Table("tsv", "user\ti\t1\nu\ti\t1\n", timed).read().users == Names{"user", "u"});
  CHECK(Table("tsv", "user\ti\t2010-01-01\nu\ti\t1\n", timed).read().users.size() == 2);
  CHECK(contains(Table("tsv", "user\ti\tx\t1\n", {"user", "item", "time", "value"}).error(),
                 ":1: the time 'x'"));
  // Too few or too many fields for a header.
  CHECK(Table("tsv", "user\titem\nu\ti\t1\n", timed).error() == ":1: expected 3 fields, found 2");

  CHECK(Table("tsv", "user\titem\ttime\n", timed).error() == ": no data");
  CHECK(Table("tsv", "", timed).error() == ": no data");
}

TEST_CASE("the header can be told") {
  Table table("tsv", "a\tb\nu\ti\n", {"user", "item"});
  CHECK(table.read().users.size() == 2);
  table.options.header = Header::kYes;
  CHECK(table.read().users == Names{"u"});

  Table named("tsv", "user\titem\nu\ti\n", {"user", "item"});
  CHECK(named.read().users == Names{"u"});
  named.options.header = Header::kNo;
  CHECK(named.read().users == Names{"user", "u"});
}

TEST_CASE("columns by header name, in any order") {
  const std::string text = "\xef\xbb\xbfWhen,Venue Id,X,Who\n1,i,?,u\n2,j,?,v\n";
  const Names columns{"user=Who", "item=Venue Id", "time=When"};
  const auto set = Table("csv", text, columns).read();
  CHECK(set.users == Names{"u", "v"});
  CHECK(set.items == Names{"i", "j"});
  CHECK(set.has_time);

  CHECK(Table("csv", text, {"user=who", "item=Venue Id"}).error() ==
        ":1: the header has no column 'who'");
  CHECK(Table("csv", "a,b,a\n1,2,3\n", {"user=a", "item=b"}).error() ==
        ":1: the header has two columns 'a'");
  CHECK(Table("csv", "a,b,c\n1,2\n", {"user=a", "item=b"}).error() ==
        ":2: expected 3 fields, found 2");
  CHECK(Table("csv", "a,b\n1,2,3\n", {"user=a", "item=b"}).error() ==
        ":2: expected 2 fields, found 3");
  CHECK(Table("csv", "a,b\n", {"user=a", "item=b"}).error() == ": no data");
  Table none("csv", text, columns);
  none.options.header = Header::kNo;
  CHECK(contains(none.error(), "--columns: ROLE=HEADER needs a header"));
}

TEST_CASE("csv has the quotes of RFC 4180") {
  const auto set = Table("csv",
                         "\"a, b\",\"say \"\"hi\"\"\"\n"
                         "\"\"\"\",plain\r\n"
                         "x,\"last\"\n",
                         {"user", "item"})
                       .read();
  CHECK(set.users == Names{"a, b", "\"", "x"});
  CHECK(set.items == Names{"say \"hi\"", "plain", "last"});

  const std::string user(100, 'u');
  const std::string item(200, 'i');
  const auto wide = Table("csv", "\"" + user + "\",\"" + item + "\"\n", {"user", "item"}).read();
  CHECK(wide.users == Names{user});
  CHECK(wide.items == Names{item});

  const auto error = [](const std::string& line) {
    return Table("csv", "u,i\n" + line + "\n", {"user", "item"}).error();
  };
  CHECK(error("\"u,i") == ":2: a quoted field does not end on its line");
  CHECK(error("\"u\"x,i") == ":2: text after a closing quote");
  CHECK(error("u\"x\",i") == ":2: a quote inside an unquoted field");
  CHECK(error("\"\",i") == ":2: the user is empty");
  CHECK(error("\"u\",") == ":2: the item is empty");
  CHECK(error("\"u\",i,") == ":2: expected 2 fields, found 3");
  CHECK(Table("tsv", "\"u\ti\"\n", {"user", "item"}).read().users == Names{"\"u"});
}

TEST_CASE("times are unix seconds or milliseconds, by size") {
  CHECK(read_time("1287532527") == 1'287'532'527'000);
  CHECK(read_time("1287532527.25") == 1'287'532'527'250);
  CHECK(read_time("1287532527250") == 1'287'532'527'250);
  CHECK(read_time("100000000000") == 100'000'000'000);
  CHECK(read_time("-86400") == -86'400'000);
  CHECK(read_time("0") == 0);
  CHECK_FALSE(read_time("99999999999"));  // seconds, and the year 5138
  CHECK_FALSE(read_time("-2208988801"));  // the last second of 1899
  CHECK(read_time("-2208988800") == -2'208'988'800'000);
  CHECK_FALSE(read_time("1e300"));
  CHECK_FALSE(read_time("nan"));
  CHECK_FALSE(read_time(""));
  CHECK_FALSE(read_time("12 "));
}

TEST_CASE("times in ISO 8601") {
  CHECK(read_time("2010-10-19T23:55:27Z") == 1'287'532'527'000);
  CHECK(read_time("2010-10-19 23:55:27") == 1'287'532'527'000);
  CHECK(read_time("2010-10-19T23:55:27.1239Z") == 1'287'532'527'123);
  CHECK(read_time("2010-10-20T01:55:27+02:00") == 1'287'532'527'000);
  CHECK(read_time("2010-10-19T16:25:27-0730") == 1'287'532'527'000);
  CHECK(read_time("2010-10-20T01:55:27+02") == 1'287'532'527'000);
  CHECK(read_time("2010-10-19T23:55") == 1'287'532'500'000);
  CHECK(read_time("2010-10-19") == 1'287'446'400'000);
  CHECK(read_time("2012-02-29") == 1'330'473'600'000);
  CHECK(read_time("2200-12-31"));
  for (const std::string bad :
       {"2011-02-29", "2010-13-01", "2010-00-01", "1899-12-31", "2201-01-01", "2010-10-19T24:00",
        "2010-10-19T23:60", "2010-10-19T23:55:60", "2010-10-19T", "2010-10-19T23:55:27.Z",
        "2010-10-19T23:55:27+", "2010-10-19T23:55:27Zx", "2010-10-9", "2010-10-19x", "10-10-2010",
        "2010-10-19T23:55:27+02:", "2010-1 -19", "yesterday"}) {
    INFO(bad);
    CHECK_FALSE(read_time(bad));
  }
}

TEST_CASE("times by a format of strptime") {
  CHECK(read_time("3/4/2012 18:18", "%d/%m/%Y %H:%M") == 1'333'477'080'000);
  CHECK(read_time("Tue Apr 03 20:18:00 +0200 2012", "%a %b %d %H:%M:%S %z %Y") ==
        1'333'477'080'000);
  CHECK_FALSE(read_time("31/2/2012 18:18", "%d/%m/%Y %H:%M"));
  CHECK_FALSE(read_time("3/4/2012 18:18:00", "%d/%m/%Y %H:%M"));
  CHECK_FALSE(read_time("3/4/2012", "%d/%m/%Y %H:%M"));
  CHECK_FALSE(read_time("3/4/1812", "%d/%m/%Y"));
  CHECK_FALSE(read_time("18:18", "%H:%M"));
  CHECK_FALSE(read_time("1287532527", "%d/%m/%Y"));

  Table table("tsv", "u\ti\n", {"user", "item"});
  table.options.time_format = "%Y";
  CHECK(contains(table.error(), "--columns: no column is time"));
}

TEST_CASE("places in the table itself") {
  const Names columns{"user", "item", "lat", "lon"};
  const auto set = Table("tsv", "user\tpoi\tlat\tlng\nu\ti\t1.5\t-2\n", columns).read();
  REQUIRE(set.places.size() == 1);
  CHECK(set.places[0].lat == 1.5);
  CHECK(set.places[0].lon == -2);
  for (const std::string pair : {"nan\t0", "0\tinf", "91\t0", "0\t181", "\t0", "1,5\t0"}) {
    CHECK(contains(Table("tsv", "u\ti\t0\t0\nu\ti\t" + pair + "\n", columns).error(),
                   ":2: no place on earth: lat "));
  }
}

TEST_CASE("places in a file of their own") {
  Table table("csv", "u,i\nu,j\nu,k\n", {"user", "item"});
  table.options.places =
      table.dir.write("places.csv.gz", gzip("id,name,lat,lon\nj,\"J, J\",1,2\nz,Z,3,4\ni,I,5,6\n"));
  table.options.place_columns = {"item=id", "lat=lat", "lon=lon"};
  const auto set = table.read();
  REQUIRE(set.places.size() == 3);
  CHECK(set.places[0].lat == 5);
  CHECK(set.places[1].lon == 2);
  CHECK(std::isnan(set.places[2].lat));
  CHECK(set.warnings == Names{"items without a place: 1"});
  CHECK(set.sources.size() == 2);

  table.options.place_columns = {"item", "-", "lat", "lon"};  // "name" is not mapped, "lat" is
  CHECK(table.read().places[0].lat == 5);

  table.options.place_columns = {};
  CHECK(contains(table.error(), "give --place-columns"));
  table.options.place_columns = {"item", "user", "lat", "lon"};
  CHECK(table.error() == "--place-columns: no column of this file can be user");
  table.options.places.reset();
  CHECK(table.error() == "--place-columns: no file of places is given");
}

TEST_CASE("malformed places are errors of their file, or skipped") {
  Table table("csv", "u,i\nu,j\n", {"user", "item"});
  table.options.places = table.dir.write("places", "i,1,2\nj,nan,2\n");
  table.options.place_columns = {"item", "lat", "lon"};
  CHECK(table.error() ==
        table.options.places->string() + ":2: no place on earth: lat 'nan', lon '2'");
  table.options.skip_bad = true;
  const auto set = table.read();
  CHECK(set.skipped == 1);
  CHECK(set.places.at(0).lat == 1);
  CHECK(std::isnan(set.places.at(1).lat));
  CHECK(set.warnings == Names{"items without a place: 1"});

  table.options.columns = {"user", "item", "lat", "lon"};
  CHECK(table.error() == "--columns: lat and lon are in the file of places too");
}

TEST_CASE("seats and dwell times in the file of places") {
  Table table("csv", "u,i\nu,j\nu,k\n", {"user", "item"});
  const auto read = [&](std::string_view places, Names columns) {
    table.options.places = table.dir.write("places", places);
    table.options.place_columns = std::move(columns);
    return table.read();
  };
  const float unlimited = std::numeric_limits<float>::infinity();
  const auto set = read("item,seats,dwell\nj,2.5,45\nz,9,9\ni,,\n", {"item", "capacity", "dwell"});
  CHECK(set.capacities == std::vector<float>{unlimited, 2.5F, unlimited});
  using std::chrono::minutes;
  CHECK(set.dwell == std::vector{minutes(0), minutes(45), minutes(0)});
  CHECK(set.places.empty());
  CHECK(set.warnings.empty());

  const auto named = read("id,room,lat,lon\ni,0,1,2\n", {"item=id", "capacity=room"});
  CHECK(named.capacities.at(0) == 0.0F);
  CHECK(named.dwell.empty());
  CHECK(read("i,1,2,7\n", {"item", "lat", "lon", "capacity"}).places.at(0).lon == 2);
  CHECK(read("i,1,2\n", {"item", "lat", "lon"}).capacities.empty());

  table.options.place_columns = {"item", "dwell", "-"};
  CHECK(table.error() == "--place-columns: no column is lat, lon or capacity");
}

TEST_CASE("bad seats and dwell times are errors of their line") {
  Table table("csv", "u,i\n", {"user", "item"});
  table.options.place_columns = {"item", "capacity", "dwell"};
  const auto error = [&](const std::string& cells) {
    table.options.places = table.dir.write("places", "z,1,1\ni," + cells + "\n");
    const std::string words = table.error(), file = table.options.places->string();
    return words.starts_with(file) ? words.substr(file.size()) : words;
  };
  for (const std::string bad : {"-1", "nan", "inf", "x", "2e9", " 3"}) {
    CHECK(error(bad + ",5") == ":2: the capacity '" + bad + "' is not a number from 0 to 1e9");
  }
  for (const std::string bad : {"0", "-5", "1.5", "x", "10081"}) {
    CHECK(error("5," + bad) ==
          ":2: the dwell time '" + bad + "' is not whole minutes from 1 to 10080");
  }
}
