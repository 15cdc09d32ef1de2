#include "simulator/served_lists.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "headroom/app/edges.hpp"
#include "headroom/app/server.hpp"
#include "headroom/app/status.hpp"
#include "headroom/base/error.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;
using namespace std::chrono_literals;

namespace {

LifeOptions tiny_life() {
  LifeOptions life;
  life.users = 100;
  life.items = 20;
  life.history_days = 2;
  life.days = 1;
  life.warm_days = 0;
  life.from_hour = 18;
  life.to_hour = 20;
  return life;
}

Options options_in(const TempDir& dir) {
  Options options;
  options.folder = dir.path() / "data";
  options.engine.clock = ClockKind::kEvent;
  options.log_level = LogLevel::kError;
  options.engine.seen_ids = 10'000;
  options.ask_wait = 1ms;
  return options;
}

// Nothing more is to be said by it than that it is there.
Child who_never_answers(const Options& options, std::uint64_t events) {
  return Child([options, events] {
    std::filesystem::create_directories(options.folder);
    const Store store(store_folder(options), Store::Mode::kCreate);
    Status status;
    status.phase = Phase::kReady;
    status.counters.events = events;
    rewrite(options.folder / "status.json", status_json(status));
    while (true) pause();
  });
}

void wait_until_ready(const Options& options, const Child& serve) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < until && serve.is_running()) {
    std::ifstream in(options.folder / "status.json");
    std::ostringstream text;
    text << in.rdbuf();
    if (contains(text.str(), "\"ready\": true")) return;
    std::this_thread::sleep_for(5ms);
  }
  FAIL("serve is not ready");
}

std::string end_of(ServedLists& lists, const LifePlan& plan) {
  try {
    live(plan, lists);
  } catch (const Error&) {
    return "refused";
  } catch (const std::runtime_error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a city lives with the lists of a serve beside it") {
  const FastTempDir dir;
  const Options options = options_in(dir);
  const Child serve([&] { headroom::serve(options, {}); });
  wait_until_ready(options, serve);
  const LifePlan plan(tiny_life());
  ServedLists lists(options, plan.options(), plan.live_from());
  const LifeSeen seen = live(plan, lists);
  CHECK(seen.asked > 20);
  CHECK(seen.listed > 0.8 * seen.asked);  // whose time to decide came before the end
  CHECK(seen.followed > 0);
  CHECK(seen.by_list.seated > 0);
  CHECK(contains(error_of([&] { ServedLists(options, plan.options(), plan.live_from()); }),
                 "events already"));
}

TEST_CASE("a serve that ends, or makes no lists, is not waited for") {
  const FastTempDir dir;
  const Options options = options_in(dir);
  const LifePlan plan(tiny_life());
  Child serve = who_never_answers(options, 0);
  wait_until_ready(options, serve);
  {
    ServedLists lists(options, plan.options(), plan.live_from(), {20ms, 100ms});
    CHECK(contains(end_of(lists, plan), "makes no lists"));
  }
  std::filesystem::remove_all(options.folder / "log");
  ServedLists lists(options, plan.options(), plan.live_from(), {3600s, 3600s});
  serve.kill();
  CHECK(contains(end_of(lists, plan), "is gone"));
}

TEST_CASE("without a serve that is ready and new there are no lists") {
  const FastTempDir dir;
  const Options options = options_in(dir);
  const LifePlan plan(tiny_life());
  const auto refusal = [&] {
    return error_of([&] { ServedLists(options, plan.options(), plan.live_from()); });
  };
  CHECK(contains(refusal(), "no serve is ready there"));
  {
    const Child serve = who_never_answers(options, 7);
    wait_until_ready(options, serve);
    CHECK(contains(refusal(), "has taken events already"));
  }
  CHECK(contains(refusal(), "no serve is ready there"));  // though its status says so
}
