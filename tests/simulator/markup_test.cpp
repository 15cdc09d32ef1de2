#include "simulator/markup.hpp"

#include <cmath>

#include "support/catch.hpp"

using headroom::sim::compact;
using headroom::sim::escaped;
using headroom::sim::tenths;

TEST_CASE("escaped text has no markup and no control characters") {
  CHECK(escaped("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(escaped("café\tn\n\x01\x1b") == "café\tn\n");
}

TEST_CASE("compact numbers have few characters") {
  CHECK(compact(0) == "0");
  CHECK(compact(-0.0) == "0");
  CHECK(compact(0.1 + 0.2, 10) == "0.3");
  CHECK(compact(-2.50) == "-2.5");
  CHECK(compact(1234) == "1234");
  CHECK(compact(9999.9) == "10k");
  CHECK(compact(12346) == "12.35k");
  CHECK(compact(999999) == "1M");
  CHECK(compact(2.5e9) == "2.5G");
  CHECK(compact(1e12) == "1e12");
  CHECK(compact(0.00012) == "1.2e-4");
  CHECK(compact(3e-120) == "3e-120");
  CHECK(compact(std::nan("")) == "n/a");
  CHECK(compact(-INFINITY) == "-inf");
}

TEST_CASE("lengths are rounded to tenths") {
  CHECK(tenths(12) == "12");
  CHECK(tenths(12.349) == "12.3");
  CHECK(tenths(-0.01) == "0");
}
