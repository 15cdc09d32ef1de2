#include <chrono>

#include "simulator/readers.hpp"
#include "support/catch.hpp"
#include "support/compress.hpp"
#include "support/read_dataset.hpp"
#include "support/temp_dir.hpp"

using namespace headroom::sim;
using namespace headroom::test;

TEST_CASE("recbole columns are known by their header, in any order") {
  const TempDir dir;
  const auto file = dir.write("x.inter",
                              "timestamp:float\tuser_id:token\tnote:token_seq\titem_id:token\t"
                              "rating:float\n200\tu\tsome words\ti\t5\n100.5\tv\t\tj\t1.0\n");
  for (const auto& path : {file, dir.path()}) {
    const auto set = read_dataset({.dataset = "recbole", .path = path});
    CHECK(rows_of(set) == Rows{"v j 1 100", "u i 5 200"});
    CHECK(set.interactions[0].at.time_since_epoch() == std::chrono::milliseconds(100'500));
    CHECK(set.has_time);
    CHECK(set.has_stars);
    CHECK(set.places.empty());
  }
  dir.write("x.inter", "user_id:token\titem_id:token\nu\ti\nt\tj\n");
  const auto bare = read_dataset({.dataset = "recbole", .path = dir.path()});
  CHECK(rows_of(bare) == Rows{"u i 1 0", "t j 1 0"});
  CHECK_FALSE(bare.has_time);
  CHECK_FALSE(bare.has_stars);

  dir.write("y.inter", "user_id:token\titem_id:token\nu\ti\n");
  CHECK(contains(read_error({.dataset = "recbole", .path = dir.path()}),
                 "two files end in .inter: x.inter and y.inter"));
}

TEST_CASE("recbole takes places from the .item file beside") {
  const TempDir dir;
  dir.write("x.inter.xz", xz("user_id:token\tvenue_id:token\tcount:float\nu\ti\t9\nu\tj\t1\n"));
  dir.write("x.item",
            "venue_id:token\tvenue_longitude:float\tname:token_seq\tvenue_lat:float\n"
            "i\t103.5\tlong name\t1.25\nj\t103\t\t1\n");
  const auto set = read_dataset({.dataset = "recbole", .path = dir.path()});
  CHECK_FALSE(set.has_stars);
  CHECK(set.sources.size() == 2);
  REQUIRE(set.places.size() == 2);
  CHECK(set.places[0].lat == 1.25);
  CHECK(set.places[0].lon == 103.5);

  dir.write("x.item", "item_id:token\tlong_title:token_seq\tlat:float\ni\tone\t1\n");
  const auto other = read_dataset({.dataset = "recbole", .path = dir.path()});
  CHECK(other.places.empty());
  CHECK(other.sources.size() == 1);
}

TEST_CASE("a recbole file without its header is an error") {
  const TempDir dir;
  const auto error = [&](const std::string& text) {
    return read_error({.dataset = "recbole", .path = dir.write("x.inter", text)});
  };
  CHECK(contains(error("1\t2\t3\n"), "x.inter:1: not a header of RecBole: '1' is not name:type"));
  CHECK(contains(error("user_id:token\tx:float\n1\t2\n"),
                 "x.inter:1: the header has no column for the item"));
  CHECK(contains(error("user_id:token\titem_id:token\n"), "x.inter: no data"));
  CHECK(contains(error("user_id:token\titem_id:token\n1\n"),
                 "x.inter:2: expected 2 fields, found 1"));
}
