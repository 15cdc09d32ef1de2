#include "headroom/base/list.hpp"

#include <limits>
#include <random>

#include "support/catch.hpp"

namespace headroom {
namespace {

TEST_CASE("output id: the text says instance, epoch, batch and place") {
  CHECK(to_text('r', {0, 1, 77, 0}) == "r-0-1-77-0");
  CHECK(to_text('d', {3, 2, 18446744073709551615ULL, 4294967295U}) ==
        "d-3-2-18446744073709551615-4294967295");
}

TEST_CASE("output id: text and back") {
  std::mt19937_64 random(1);
  for (int n = 0; n < 10000; ++n) {
    const auto some = [&] { return random() >> (random() % 64); };
    const OutputId id{static_cast<std::uint32_t>(some()), static_cast<std::uint32_t>(some()),
                      some(), static_cast<std::uint32_t>(some())};
    const std::string text = to_text('r', id);
    if (parse_output_id('r', text) != id) FAIL(text);
    if (parse_output_id('d', text)) FAIL(text << " is no dead letter");
  }
}

TEST_CASE("output id: what is not exactly the text of one is refused") {
  for (const char* text : {"",
                           "r",
                           "r-",
                           "r-0",
                           "r-0-1",
                           "r-0-1-77",
                           "r-0-1-77-",
                           "r-0-1-77-0-",
                           "r-0-1-77-0-0",
                           "r-0-1-77-0 ",
                           " r-0-1-77-0",
                           "R-0-1-77-0",
                           "x-0-1-77-0",
                           "r0-1-77-0",
                           "r--1-77-0",
                           "r-00-1-77-0",
                           "r-0-01-77-0",
                           "r-0-1-077-0",
                           "r-0-1-77-00",
                           "r-+0-1-77-0",
                           "r--0-1-77-0",
                           "r-0x1-1-77-0",
                           "r-0-1-7.7-0",
                           "r-0-1-77-0a",
                           "r-4294967296-1-77-0",
                           "r-0-4294967296-7-0",
                           "r-0-1-18446744073709551616-0",
                           "r-0-1-77-4294967296",
                           "r_0_1_77_0",
                           "r-0-1-77--1"}) {
    INFO(text);
    CHECK_FALSE(parse_output_id('r', text));
  }
  CHECK_FALSE(parse_output_id('r', std::string_view("r-0-1-77-0\0", 11)));
  CHECK_FALSE(parse_output_id('r', std::string_view()));
}

TEST_CASE("output id: a later batch or place is greater") {
  CHECK(OutputId{0, 1, 9, 100} < OutputId{0, 1, 10, 0});
  CHECK(OutputId{0, 1, 9, 1} < OutputId{0, 1, 9, 2});
  CHECK(OutputId{0, 1, 9, 1} < OutputId{0, 2, 0, 0});
}

}  // namespace
}  // namespace headroom
