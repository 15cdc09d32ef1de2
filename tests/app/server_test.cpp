#include "headroom/app/server.hpp"

#include "headroom/app/edges.hpp"
#include "headroom/io/store.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

using namespace std::chrono_literals;
using test::contains;
using test::error_of;

// What serve says to a folder whose last batch was so far ahead of this machine's clock.
std::string after_a_run_ahead_by(std::chrono::hours ahead, ClockKind clock) {
  const test::FastTempDir dir;
  Options options;
  options.folder = dir.path() / "data";
  options.engine.clock = clock;
  options.log_level = LogLevel::kError;
  std::filesystem::create_directories(options.folder);
  {
    const auto wall = std::chrono::system_clock::now();
    Store store(store_folder(options), Store::Mode::kCreate);
    store.journal({1, std::chrono::floor<std::chrono::milliseconds>(wall + ahead), {}});
  }
  return error_of([&] { serve(options, {.until_end = true}); });
}

TEST_CASE("a clock far behind the last run is refused") {
  const auto error = after_a_run_ahead_by(24h * 30 + 1h, ClockKind::kWall);
  CHECK(contains(error, "this machine's clock is 30 days behind the last run"));
  CHECK(after_a_run_ahead_by(24h * 6, ClockKind::kWall) == "no error");
  CHECK(after_a_run_ahead_by(24h * 30, ClockKind::kEvent) == "no error");  // the events' own
}

}  // namespace
}  // namespace headroom
