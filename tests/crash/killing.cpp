#include "crash/killing.hpp"

#include <algorithm>
#include <cstdio>

namespace headroom::crash {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

Killing::Killing(const Site& site, World& world, Senders& senders, Lists lists,
                 std::vector<std::string> points, std::uint64_t seed)
    : site_(site),
      world_(world),
      senders_(senders),
      lists_(std::move(lists)),
      points_(std::move(points)),
      random_(seed) {}

void Killing::kill_at_work(std::uint64_t records) {
  auto serve = start();
  wait_ready(serve);
  work(serve, random_() % 12);
  work_until(serve, [&] { return taken() >= records; });
  // Of the time between two looks any moment is as good.
  std::this_thread::sleep_for(std::chrono::microseconds(random_() % 30'000));
  kill(serve);
}

void Killing::kill_at_start() {
  auto serve = start();
  const auto longest = static_cast<std::uint64_t>(typical_start_.count()) * 1000 + 1000;
  std::this_thread::sleep_for(std::chrono::microseconds(random_() % longest));
  kill(serve);
  ++early_;
}

bool Killing::kill_at_point(const std::string& point) {
  auto serve = start(point);
  const auto deadline = Clock::now() + std::chrono::seconds(4);
  bool was_ready = false;
  while (!serve.ended() && Clock::now() < deadline) {
    look();
    if (!was_ready && status("ready") != 0) {
      was_ready = true;
      starts_.push_back(duration_cast<milliseconds>(Clock::now() - started_));
    }
  }
  const bool got_there = serve.ended().has_value();
  kill(serve);
  if (got_there) ++at_points_;
  return got_there;
}

void Killing::kill_somehow(std::uint64_t records) {
  const auto draw = random_() % 10;
  if (draw < 2 && !was_early_) {
    was_early_ = true;
    return kill_at_start();
  }
  was_early_ = false;
  if (draw < 5) {
    kill_at_point(points_[random_() % points_.size()] + ":" + std::to_string(1 + random_() % 12));
  } else {
    kill_at_work(records);
  }
}

Process Killing::start(const std::string& kill_at) {
  started_ = Clock::now();
  if (at_look_) at_look_();
  return site_.serve(kill_at, more_);
}

void Killing::wait_ready(Process& serve) {
  require(site_.wait_ready(serve), "serve ended: " + site_.last_words());
  starts_.push_back(duration_cast<milliseconds>(Clock::now() - started_));
  typical_start_ = (typical_start_ * 3 + starts_.back()) / 4;
}

void Killing::work_until(Process& serve, const std::function<bool()>& done) {
  constexpr std::chrono::seconds kPatience{120};
  auto deadline = Clock::now() + kPatience;
  for (auto before = taken(); !done();) {
    require(!serve.ended(), "serve ended by itself: " + site_.last_words());
    require(Clock::now() < deadline, "serve takes nothing more");
    look();
    const auto now = taken();
    if (now != before) deadline = Clock::now() + kPatience;
    before = now;
  }
}

void Killing::work(Process& serve, std::uint64_t batches) {
  const auto wanted = status("batch") + batches;
  work_until(serve, [&] { return status("batch") >= wanted; });
}

void Killing::kill(Process& serve) {
  serve.kill(SIGKILL);
  died(serve);
}

// Only by SIGKILL: with an exit code it found something wrong.
void Killing::died(Process& serve) {
  const int code = serve.wait();
  require(code == -SIGKILL, "serve ended with " + std::to_string(code) + ": " + site_.last_words());
  ++kills_;
  answer();
  if (at_look_) at_look_();
}

void Killing::look() {
  answer();
  if (at_look_) at_look_();
  senders_.taken(taken());
  std::this_thread::sleep_for(milliseconds(3));
}

std::uint64_t Killing::status(const char* figure) const {
  const auto status = site_.status();
  if (!status) return 0;
  const auto& value = status->at(figure);
  return value.is_boolean() ? static_cast<std::uint64_t>(value.get<bool>())
                            : value.get<std::uint64_t>();
}

std::uint64_t Killing::taken() const {
  const auto status = site_.status();
  if (!status) return 0;
  std::uint64_t taken = 0;
  for (const char* figure : {"events_total", "duplicates_total", "dead_letters_total"}) {
    taken += status->at(figure).get<std::uint64_t>();
  }
  return taken;
}

void Killing::answer() {
  for (const auto& line : lists_()) {
    const auto list = nlohmann::json::parse(line);
    std::vector<std::string> items;
    for (const auto& place : list.at("items")) items.push_back(place.at("item"));
    world_.deliver(list.at("recommendation"), list.at("user"), std::move(items));
  }
}

void Killing::stop(Process& serve) {
  const auto begun = Clock::now();
  site_.stop(serve);
  stopped_ = duration_cast<milliseconds>(Clock::now() - begun);
}

// What `serve` itself says: all batches repeated, and the most at one start.
std::pair<std::uint64_t, std::uint64_t> Killing::repeated() const {
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

void Killing::print(const Figures& figures) const {
  auto starts = starts_;
  std::sort(starts.begin(), starts.end());
  const auto [all, most] = repeated();
  std::printf(
      "  %d kills of serve (%d before it was ready, %d at a kill point), %llu of senders\n"
      "  %zu records: %zu events, %zu duplicates, %zu dead letters; %zu lists, %zu batches\n"
      "  %llu batches repeated after the kills, at most %llu at once; ready after %lld ms "
      "(median), %lld ms (longest); SIGTERM under load took %lld ms\n",
      kills_, early_, at_points_, static_cast<unsigned long long>(senders_.kills()),
      figures.records, figures.events, figures.duplicates, figures.letters, figures.lists,
      figures.batches, static_cast<unsigned long long>(all), static_cast<unsigned long long>(most),
      static_cast<long long>(starts[(starts.size() - 1) / 2].count()),
      static_cast<long long>(starts.back().count()), static_cast<long long>(stopped_.count()));
}

}  // namespace headroom::crash
