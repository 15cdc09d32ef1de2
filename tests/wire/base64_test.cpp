#include "headroom/wire/base64.hpp"

#include "support/catch.hpp"

namespace headroom {
namespace {

std::string base64(std::string_view bytes) {
  std::string out;
  append_base64(bytes, out);
  return out;
}

}  // namespace

TEST_CASE("base64 gives the test vectors of RFC 4648", "[wire]") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xFB\xFF\xFE") == "+//+");
}

TEST_CASE("base64 comes back, of any bytes and length", "[wire]") {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    REQUIRE(from_base64(base64(bytes)) == bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST_CASE("only one text stands for some bytes", "[wire]") {
  for (const char* text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "====", "=",
                           "A===", "Zm 9", "Zm9v\n", "Zm9-", "Z=g="}) {
    CAPTURE(text);
    CHECK_FALSE(from_base64(text));
  }
}

}  // namespace headroom
