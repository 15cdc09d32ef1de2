#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "headroom/app/commands.hpp"
#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/evening.hpp"
#include "simulator/life_settings.hpp"
#include "simulator/live_files.hpp"
#include "simulator/pacer.hpp"
#include "simulator/served_lists.hpp"

namespace headroom::sim {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kUsualSpeed = 60.0;

struct Flags {
  explicit Flags(CLI::App& command) : config(command) {}
  ConfigFlags config;
  std::string world, out;
  std::optional<double> speed, seconds;
  std::uint64_t seed = 1;
};

std::string hour_of(Time at) {
  const auto minutes =
      std::chrono::floor<std::chrono::minutes>(at - std::chrono::floor<std::chrono::days>(at));
  char text[16];
  std::snprintf(text, sizeof text, "%02d:%02d", static_cast<int>(minutes.count() / 60 % 24),
                static_cast<int>(minutes.count() % 60));
  return text;
}

// Lets the evening pass at its speed, until the time for it is over, and tells of it.
class Telling {
 public:
  Telling(const LifePlan& plan, const Flags& flags, Clock::time_point start)
      : plan_(plan), speed_(flags.speed), next_(plan.measured_from()) {
    if (flags.seconds) {
      deadline_ = start + std::chrono::duration_cast<Clock::duration>(Seconds(*flags.seconds));
    }
  }

  bool operator()(Time now, const Crowd& headroom, const Crowd& unconstrained) {
    if (deadline_ && Clock::now() >= *deadline_) return false;
    if (now < plan_.measured_from()) return true;
    if (!pacer_) begin();
    if (deadline_ && due(now) > *deadline_) return false;
    pacer_->wait(now);
    if (now < next_) return true;
    next_ += every_;
    if (now > plan_.measured_from()) print(now, headroom, unconstrained);
    return true;
  }

 private:
  // Where only the seconds are given the speed follows from them, with a little to spare.
  void begin() {
    begun_ = Clock::now();
    double speed = speed_.value_or(kUsualSpeed);
    if (deadline_ && !speed_) {
      const double left = std::max(0.1, 0.95 * Seconds(*deadline_ - begun_).count());
      speed = Seconds(plan_.end() - plan_.measured_from()).count() / left;
    }
    speed_ = speed;
    pacer_.emplace(speed);
    // Every ten real seconds, at round times of the city.
    const int minutes = speed > 0.0 ? static_cast<int>(speed / 30.0) * 5 : 30;
    every_ = std::chrono::minutes(std::clamp(minutes, 5, 30));
    const std::string hour = hour_of(plan_.measured_from());
    if (speed > 0.0) {
      std::printf("It is %s, and from now on time passes %.0f times as fast as in real life.\n",
                  hour.c_str(), speed);
    } else {
      std::printf("It is %s, and from now on time passes as fast as it can.\n", hour.c_str());
    }
    std::puts(
        "Left: without a seat. After \"without\": seated, waiting and left among the same people\n"
        "with lists that know of no capacity.\n");
    std::fflush(stdout);
  }

  // When it will be `now`, where time passes no faster than asked for.
  Clock::time_point due(Time now) const {
    if (*speed_ <= 0.0) return begun_;
    const Seconds real = Seconds(now - plan_.measured_from()) / *speed_;
    return begun_ + std::chrono::duration_cast<Clock::duration>(real);
  }

  static void print(Time now, const Crowd& headroom, const Crowd& unconstrained) {
    const auto left = [](const Crowd& c) { return c.turned_away + c.gave_up; };
    const auto waiting = [&](const Crowd& c) { return c.went - c.seated - left(c); };
    const Crowd &h = headroom, &u = unconstrained;
    std::printf("%s %4.0f people out, %3.0f seated, %2.0f waiting, %3.0f left;",
                hour_of(now).c_str(), h.went, h.seated, waiting(h), left(h));
    std::printf(" without %3.0f, %2.0f, %3.0f\n", u.seated, waiting(u), left(u));
    std::fflush(stdout);
  }

  const LifePlan& plan_;
  std::optional<double> speed_;  // known when it begins
  std::optional<Clock::time_point> deadline_;
  Clock::time_point begun_;
  std::optional<Pacer> pacer_;
  std::chrono::minutes every_{30};
  Time next_;
};

LifeOptions world_of(const Flags& flags) {
  LifeOptions life = evening_life();
  if (!flags.world.empty()) read_settings(flags.world, life_settings(life));
  life.seed = flags.seed;
  check_life(life);
  return life;
}

void print_city(const LifePlan& plan) {
  double seats = 0.0;
  for (std::uint32_t j = 0; j < plan.options().items; ++j) seats += plan.capacity(j).limit;
  std::printf(
      "A made-up city: %zu people, %zu places with room for %.0f. First Headroom hears of %zu\n"
      "visits of the last weeks, and of the hour before; meanwhile nobody is counted.\n",
      plan.options().users, plan.options().items, seats, plan.history().size());
  std::fflush(stdout);
}

void print_table(const LifePlan& plan, const Evening& evening) {
  std::printf("\n%-47s %12s %14s\n",
              (hour_of(plan.measured_from()) + " to " + hour_of(evening.until)).c_str(), "Headroom",
              "unconstrained");
  const LifeSeen* const both[] = {&evening.runs.at(kByHeadroom, 0),
                                  &evening.runs.at(kUnconstrained, 0)};
  const auto row = [&](const char* words, const char* form, const auto& of) {
    std::printf("%-47s", words);
    for (const LifeSeen* const seen : both) {
      char cell[32];
      std::snprintf(cell, sizeof cell, form, of(*seen));
      std::printf(seen == both[0] ? " %12s" : " %14s\n", cell);
    }
  };
  using In = const LifeSeen&;
  const auto share = [](double part, double of) { return of > 0.0 ? 100.0 * part / of : 0.0; };
  row("people who came to a place", "%.0f", [](In s) { return s.all().went; });
  row("  found a seat, at once or after a wait", "%.0f", [](In s) { return s.all().seated; });
  row("  turned away at a full place", "%.0f", [](In s) { return s.all().turned_away; });
  row("  waited, and gave up", "%.0f", [](In s) { return s.all().gave_up; });
  row("minutes of waiting, mean of all who came", "%.2f",
      [](In s) { return s.all().went > 0.0 ? s.all().waited / s.all().went : 0.0; });
  row("sent by a list, and the place was full", "%.1f %%",
      [&](In s) { return share(s.by_list.met_full, s.by_list.went); });
  row("time that places had more people than seats", "%.1f %%",
      [&](In s) { return share(s.overload_minutes, s.item_minutes); });
}

void write_files(const LifePlan& plan, const Evening& evening, const Options& options,
                 const std::string& command_line, const std::string& folder) {
  write_live(evening.runs, plan, live_manifest(command_line, plan.options(), options), folder);
  std::printf("\nThe report:     %s\n", (std::filesystem::path(folder) / "report.html").c_str());
  std::printf("Its figures:    %s (figures, curves and load as CSV)\n", folder.c_str());
}

void run(const Flags& flags, const std::string& command_line) {
  const auto start = Clock::now();
  if (flags.speed && *flags.speed != 0.0) check_range("--speed", *flags.speed, 1, 1e6);
  if (flags.seconds) check_range("--seconds", *flags.seconds, 1, 1e6);
  Options options = flags.config.options();
  options.engine.learner.seed = options.seed;
  const LifePlan plan(world_of(flags));
  ServedLists served(options, plan.options(), plan.live_from());
  print_city(plan);
  const Evening evening = run_evening(plan, options.engine, served, Telling(plan, flags, start));
  const bool shows = !evening.runs.at(kByHeadroom, 0).curve.empty();  // a quarter of an hour
  if (evening.until < plan.end()) {
    std::printf("Cut short at %s%s: %g seconds take it no further.\n",
                hour_of(evening.until).c_str(), shows ? "" : ", too soon to show anything",
                *flags.seconds);
  }
  if (!shows) return;
  print_table(plan, evening);
  if (!flags.out.empty()) write_files(plan, evening, options, command_line, flags.out);
}

}  // namespace

void add_evening_command(CLI::App& app, const std::string& command_line) {
  CLI::App* command = app.add_subcommand(
      "evening", "a made-up city's evening through a running `headroom serve`, as it happens");
  const auto flags = std::make_shared<Flags>(*command);
  command->add_option("--world", flags->world,
                      "YAML file of another city: the keys of `live --help`");
  command->add_option("--seed", flags->seed, "of what people do that evening")
      ->check(check_whole)
      ->capture_default_str();
  command->add_option("--speed", flags->speed,
                      "so many times as fast as in real life; 0: as fast as it can (60)");
  command->add_option("--seconds", flags->seconds,
                      "real ones until all is over: the speed follows from them or, where that is "
                      "given or too much for this machine, the evening is cut short");
  command->add_option("--out", flags->out,
                      "folder for report.html, a page to look at, and its figures as CSV and JSON");
  command->callback([flags, command_line] { run(*flags, command_line); });
}

}  // namespace headroom::sim
