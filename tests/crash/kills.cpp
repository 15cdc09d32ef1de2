#include <cstdio>
#include <functional>

#include "crash/checks.hpp"
#include "crash/killing.hpp"
#include "crash/scenarios.hpp"
#include "crash/senders.hpp"
#include "headroom/io/kill_point.hpp"

namespace headroom::crash {

namespace {

// Gives every segment in a log a second name in another, where it has none. How many had none.
std::size_t put_back(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::size_t linked = 0;
  std::error_code gone;  // removed while we look: it has its name already
  for (auto at = std::filesystem::recursive_directory_iterator(from, gone);
       !gone && at != std::filesystem::recursive_directory_iterator(); at.increment(gone)) {
    if (at->path().extension() != ".log") continue;
    const auto name = to / at->path().lexically_relative(from);
    std::filesystem::create_directories(name.parent_path());
    std::error_code known;
    std::filesystem::create_hard_link(at->path(), name, known);
    linked += known ? 0 : 1;
  }
  return linked;
}

std::vector<std::string> points(bool removes) {
  std::vector<std::string> names;
  for (const auto name : kill_point_names()) {
    if (removes || !name.starts_with("retention.")) names.emplace_back(name);
  }
  return names;
}

// On the log in the folder, with `headroom send`.
struct Local {
  Site site;
  World world;
  Follower lists;
  Senders senders;
  Killing killing;

  Local(const Wanted& wanted, const std::string& name, World::Time time, bool removes = false)
      : site(wanted.binary, wanted.folder / name, time),
        world(wanted.seed, time),
        lists(site.topic("recommendations")),
        senders(world, sending_to(site), wanted.seed * 7 + static_cast<std::uint64_t>(time)),
        killing(
            site, world, senders, [this] { return lists.more(); }, points(removes),
            wanted.seed * 31 + static_cast<std::uint64_t>(time)) {}

  // Ended under load, then to the end of what was sent, then everything is looked at. `whole_log`:
  // what the log must be replaced with first, if it is not whole; `link` makes it so.
  void finish(const std::filesystem::path& whole_log = {}, const std::function<void()>& link = {}) {
    std::filesystem::path from;
    if (!whole_log.empty()) {
      // The journal goes with the segments: only what comes now can be repeated, from here.
      killing.unset();
      from = site.folder() / "from";
      std::filesystem::copy(site.data() / "store", from, std::filesystem::copy_options::recursive);
    }
    auto serve = killing.start();
    killing.wait_ready(serve);
    killing.work(serve, 10);
    killing.stop(serve);
    senders.finish();
    site.serve_to_end();
    if (!whole_log.empty()) {
      link();
      const auto removed = put_back(whole_log, site.data() / "log");
      require(removed > 0, "no segment was ever removed");
      std::printf("  %zu segments were removed\n", removed);
    }
    killing.print(check(site, world, world.all_lines(), from));
  }
};

}  // namespace

void kill_at_random(const Wanted& wanted) {
  for (const auto time : {World::Time::kWall, World::Time::kEvent}) {
    const std::string name = time == World::Time::kWall ? "wall" : "event";
    std::printf("kills at any moment, clock: %s\n", name.c_str());
    Local local(wanted, "kills-" + name, time);
    const auto begun = Clock::now();
    while (local.killing.kills() < (wanted.kills_or(100) + 1) / 2) {
      if (wanted.seconds > 0 && Clock::now() - begun > std::chrono::seconds(wanted.seconds)) break;
      local.killing.kill_somehow();
    }
    local.finish();
  }
}

void kill_at_each_point(const Wanted& wanted) {
  std::printf("a kill at every kill point\n");
  Local local(wanted, "points", World::Time::kEvent);
  for (const auto name : kill_point_names()) {
    if (name == "retention.between") continue;  // nothing is removed here
    for (const char* count : {":1", ":2", ":5"}) {
      const std::string point = std::string(name) + count;
      require(local.killing.kill_at_point(point), "serve never came to " + point);
    }
  }
  local.finish();
}

// Where old segments are removed, links keep them for the checks: the same files by another name.
// So much is kept that a segment is never made and removed between two looks.
void kill_while_removing(const Wanted& wanted) {
  std::printf("kills while old segments are removed\n");
  Local local(wanted, "retention", World::Time::kEvent, true);
  Killing& killing = local.killing;
  killing.set("log.keep_bytes=300000");
  const auto log = local.site.data() / "log", links = local.site.folder() / "links";
  const auto link = [&] { put_back(log, links); };
  killing.at_each_look(link);
  for (const char* count : {"1", "2", "3", "1", "4", "8"}) {
    for (int lives = 0; !killing.kill_at_point(std::string("retention.between:") + count);) {
      require(++lives < 50, std::string("serve never removed segments, count ") + count);
    }
  }
  for (int times = 0; times < 10; ++times) killing.kill_somehow();
  local.finish(links, link);
}

}  // namespace headroom::crash
