#include <algorithm>
#include <cstdio>
#include <functional>

#include "crash/checks.hpp"
#include "crash/scenarios.hpp"
#include "crash/senders.hpp"
#include "headroom/io/kill_point.hpp"

namespace headroom::crash {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

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

// `serve` under load, killed again and again.
class Killing {
 public:
  Killing(const Wanted& wanted, const std::string& name, World::Time time)
      : site_(wanted.binary, wanted.folder / name, time),
        world_(wanted.seed, time),
        random_(wanted.seed * 31 + static_cast<std::uint64_t>(time)),
        senders_(site_, world_, wanted.seed * 7 + static_cast<std::uint64_t>(time)),
        lists_(site_.topic("recommendations")) {}

  // For serve alone.
  void set(const std::string& assignment) { more_.insert(more_.end(), {"--set", assignment}); }
  const Site& site() const { return site_; }
  void at_each_look(std::function<void()> run) { at_look_ = std::move(run); }

  // A life that gets to work: killed some batches after it was ready.
  void kill_at_work() {
    auto serve = start("");
    if (!site_.wait_ready(serve)) return died(serve, false);
    ready();
    const std::uint64_t wanted = status("batch") + random_() % 12;
    while (status("batch") < wanted && !serve.ended()) look();
    // Of the time between two looks any moment is as good.
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 30'000));
    serve.kill(SIGKILL);
    died(serve, true);
  }

  // A life that ends before it is ready, or just after.
  void kill_at_start() {
    auto serve = start("");
    const auto longest = static_cast<std::uint64_t>(typical_start_.count()) * 1000 + 1000;
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % longest));
    serve.kill(SIGKILL);
    died(serve, true);
    ++early_;
  }

  // True if it got there.
  bool kill_at_point(const std::string& point) {
    auto serve = start(point);
    const auto deadline = Clock::now() + std::chrono::seconds(4);
    bool was_ready = false;
    while (!serve.ended() && Clock::now() < deadline) {
      look();
      if (!was_ready && status("ready") != 0) {
        was_ready = true;
        ready();
      }
    }
    const bool got_there = serve.ended().has_value();
    serve.kill(SIGKILL);
    died(serve, true);
    if (got_there) ++at_points_;
    return got_there;
  }

  std::string some_point() {
    const auto names = kill_point_names();
    while (true) {
      const auto name = names[random_() % names.size()];
      if (name.starts_with("retention.") && more_.empty()) continue;  // nothing is removed
      return std::string(name) + ":" + std::to_string(1 + random_() % 12);
    }
  }

  // Work must happen between the kills: never two in a row before it is ready.
  void kill_somehow() {
    const auto draw = random_() % 10;
    if (draw < 2 && !was_early_) {
      was_early_ = true;
      return kill_at_start();
    }
    was_early_ = false;
    if (draw < 5) {
      kill_at_point(some_point());
    } else {
      kill_at_work();
    }
  }

  // Ended under load, then to the end of what was sent, then everything is looked at. `whole_log`:
  // what the log must be replaced with first, if it is not whole.
  void finish(const std::filesystem::path& whole_log = {}) {
    std::filesystem::path from;
    if (!whole_log.empty()) {
      // The journal goes with the segments: only what comes now can be repeated, from here.
      more_.clear();
      from = site_.folder() / "from";
      std::filesystem::copy(site_.data() / "store", from, std::filesystem::copy_options::recursive);
    }
    auto serve = start("");
    require(site_.wait_ready(serve), "serve ended: " + site_.last_words());
    ready();
    const auto wanted = status("batch") + 10;
    while (status("batch") < wanted && !serve.ended()) look();
    const auto begun = Clock::now();
    site_.stop(serve);
    const auto stopped = duration_cast<milliseconds>(Clock::now() - begun);
    senders_.finish();
    site_.serve_to_end();
    if (!whole_log.empty()) {
      at_look_();
      const auto removed = put_back(whole_log, site_.data() / "log");
      require(removed > 0, "no segment was ever removed");
      std::printf("  %zu segments were removed\n", removed);
    }
    const auto figures = check(site_, world_, world_.all_lines(), from);
    std::sort(starts_.begin(), starts_.end());
    const auto at = [&](double share) {
      return starts_[static_cast<std::size_t>(share * static_cast<double>(starts_.size() - 1))];
    };
    std::printf(
        "  %d kills of serve (%d before it was ready, %d at a kill point), %llu of senders\n"
        "  %zu records: %zu events, %zu duplicates, %zu dead letters; %zu lists, %zu batches\n"
        "  %llu batches repeated after the kills, at most %llu at once; ready after %lld ms "
        "(median), %lld ms (longest); SIGTERM under load took %lld ms\n",
        kills_, early_, at_points_, static_cast<unsigned long long>(senders_.kills()),
        figures.records, figures.events, figures.duplicates, figures.letters, figures.lists,
        figures.batches, static_cast<unsigned long long>(repeated().first),
        static_cast<unsigned long long>(repeated().second), static_cast<long long>(at(0.5).count()),
        static_cast<long long>(at(1.0).count()), static_cast<long long>(stopped.count()));
  }

  int kills() const { return kills_; }

 private:
  Process start(const std::string& kill_at) {
    started_ = Clock::now();
    if (at_look_) at_look_();
    return site_.serve(kill_at, more_);
  }

  void ready() {
    starts_.push_back(duration_cast<milliseconds>(Clock::now() - started_));
    typical_start_ = (typical_start_ * 3 + starts_.back()) / 4;
  }

  // Only by SIGKILL: with an exit code it found something wrong.
  void died(Process& serve, bool meant) {
    const int code = serve.wait();
    require(meant && code == -SIGKILL,
            "serve ended with " + std::to_string(code) + ": " + site_.last_words());
    ++kills_;
    answer();
    if (at_look_) at_look_();
  }

  // A moment passes; the world gets its lists, and the senders know how far serve is.
  void look() {
    answer();
    if (at_look_) at_look_();
    senders_.taken(status("events_total") + status("duplicates_total") +
                   status("dead_letters_total"));
    std::this_thread::sleep_for(milliseconds(3));
  }

  std::uint64_t status(const char* figure) const {
    const auto status = site_.status();
    if (!status) return 0;
    const auto& value = status->at(figure);
    return value.is_boolean() ? static_cast<std::uint64_t>(value.get<bool>())
                              : value.get<std::uint64_t>();
  }

  void answer() {
    for (const auto& line : lists_.more()) {
      const auto list = nlohmann::json::parse(line);
      std::vector<std::string> items;
      for (const auto& place : list.at("items")) items.push_back(place.at("item"));
      world_.deliver(list.at("recommendation"), list.at("user"), std::move(items));
    }
  }

  // What `serve` itself says: all batches repeated, and the most at one start.
  std::pair<std::uint64_t, std::uint64_t> repeated() const {
    std::uint64_t all = 0, most = 0;
    for (const auto& line : lines_of(bytes_of(site_.serve_log()))) {
      const auto at = line.find(" repeated=");
      if (at == std::string::npos) continue;
      const auto count = std::stoull(line.substr(at + 10));
      all += count;
      most = std::max<std::uint64_t>(most, count);
    }
    return {all, most};
  }

  Site site_;
  World world_;
  std::mt19937_64 random_;
  Senders senders_;
  Follower lists_;
  std::vector<std::string> more_;
  std::function<void()> at_look_;
  Clock::time_point started_;
  milliseconds typical_start_{100};
  std::vector<milliseconds> starts_;
  bool was_early_ = false;
  int kills_ = 0, early_ = 0, at_points_ = 0;
};

}  // namespace

void kill_at_random(const Wanted& wanted) {
  for (const auto time : {World::Time::kWall, World::Time::kEvent}) {
    const std::string name = time == World::Time::kWall ? "wall" : "event";
    std::printf("kills at any moment, clock: %s\n", name.c_str());
    Killing killing(wanted, "kills-" + name, time);
    const auto begun = Clock::now();
    while (killing.kills() < (wanted.kills + 1) / 2) {
      if (wanted.seconds > 0 && Clock::now() - begun > std::chrono::seconds(wanted.seconds)) break;
      killing.kill_somehow();
    }
    killing.finish();
  }
}

void kill_at_each_point(const Wanted& wanted) {
  std::printf("a kill at every kill point\n");
  Killing killing(wanted, "points", World::Time::kEvent);
  for (const auto name : kill_point_names()) {
    if (name == "retention.between") continue;  // nothing is removed here
    for (const char* count : {":1", ":2", ":5"}) {
      const std::string point = std::string(name) + count;
      require(killing.kill_at_point(point), "serve never came to " + point);
    }
  }
  killing.finish();
}

// Where old segments are removed, links keep them for the checks: the same files by another name.
// So much is kept that a segment is never made and removed between two looks.
void kill_while_removing(const Wanted& wanted) {
  std::printf("kills while old segments are removed\n");
  Killing killing(wanted, "retention", World::Time::kEvent);
  killing.set("log.keep_bytes=300000");
  const auto log = killing.site().data() / "log", links = killing.site().folder() / "links";
  killing.at_each_look([&] { put_back(log, links); });
  for (const char* count : {"1", "2", "3", "1", "4", "8"}) {
    for (int lives = 0; !killing.kill_at_point(std::string("retention.between:") + count);) {
      require(++lives < 50, std::string("serve never removed segments, count ") + count);
    }
  }
  for (int times = 0; times < 10; ++times) killing.kill_somehow();
  killing.finish(links);
}

}  // namespace headroom::crash
