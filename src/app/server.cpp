#include "headroom/app/server.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <thread>

#include "headroom/app/batcher.hpp"
#include "headroom/app/checkpoints.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/identity.hpp"
#include "headroom/app/logging.hpp"
#include "headroom/app/rebuild.hpp"
#include "headroom/app/runner.hpp"
#include "headroom/app/status.hpp"
#include "headroom/app/stop_signals.hpp"
#include "headroom/base/error.hpp"
#include "headroom/engine/clock.hpp"
#include "headroom/io/file.hpp"

namespace headroom {

namespace {

using Clock = std::chrono::steady_clock;

Time wall_now() {
  return std::chrono::time_point_cast<Time::duration>(std::chrono::system_clock::now());
}

// Standard input, spooled into the log on a thread of its own while the log is read.
class Spooling {
 public:
  Spooling(const Options& options, LocalLog& log)
      : writer_(log_folder(options), options.partitions, options.segment_bytes, stopping_),
        log_(log),
        thread_([this] { run(); }) {}
  Spooling(const Spooling&) = delete;
  Spooling& operator=(const Spooling&) = delete;
  ~Spooling() { stop_ = true; }

  void rethrow() {
    if (failed_) std::rethrow_exception(failure_);
  }

 private:
  void run() {
    try {
      spool(STDIN_FILENO, "standard input", writer_, make_router(writer_.partitions()), {},
            stopping_);
    } catch (...) {
      failure_ = std::current_exception();
      failed_ = true;
    }
    log_.no_more();
  }

  std::atomic<bool> stop_ = false;
  StopAsked stopping_ = [this] { return stop_.load(); };
  LogWriter writer_;
  LocalLog& log_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  std::jthread thread_;
};

class Server {
 public:
  Server(const Options& options, const ServeFlags& flags) : options_(options), flags_(flags) {
    status_.started = wall_now();
  }

  int run() {
    try {
      start();
      loop();
      tell(Phase::kStopping);
      checkpoints_->finish();
      source_->release(checkpoints_->taken());
      retain(options_, *source_, *store_, checkpoints_->batch(), wall_now());
      tell(Phase::kStopped);
      spdlog::info("stopped {}", status_line(status_));
      return 0;
    } catch (const Stopped& why) {
      // The batch is journalled, and no checkpoint has it: the next start delivers it.
      tell(Phase::kStopped);
      spdlog::warn("stopped before all was delivered {} reason=\"{}\"", status_line(status_),
                   why.what());
      return 0;
    } catch (const std::exception& error) {
      status_.problem = error.what();
      if (store_) tell(Phase::kFailed);  // else the status may be that of who has the store
      throw;
    }
  }

 private:
  void start() {
    make_folder(options_.folder);
    store_.emplace(store_folder(options_), Store::Mode::kCreate);
    tell(Phase::kStarting);
    const auto rest = store_->rest();
    const auto last = store_->last_entry();
    std::uint64_t done = rest ? rest->batch : 0;
    claim(*store_, options_, last && last->number > done ? last->number - done : 0);
    if (options_.source == SourceKind::kKafka && !kafka_shortcomings().empty()) {
      spdlog::warn("kafka problem=\"{}\"", kafka_shortcomings());
    }
    const EdgeFlags edge{flags_.until_end, flags_.reset, known_log(*store_),
                         [this](const std::string& trouble) { hear(trouble); },
                         [] { return stop_requested().load(); }};
    source_ = open_source(options_, edge);  // makes a local log
    const LogChange change{flags_.reset, flags_.new_partitions};
    check_change(*store_, options_, *source_, change);
    if (!flags_.reset) has_log_ = claim_log(*store_, options_, *source_, change);
    sink_ = open_sink(options_, epoch_of(*store_), edge);
    if (flags_.rebuild) done = rebuild_store(edge);
    runner_.emplace(options_, *store_, *sink_);
    check_output(*store_, runner_->engine().state().made, sink_->last());
    if (options_.sink == SinkKind::kKafka) check_offsets(last, done);
    if (options_.engine.clock == ClockKind::kWall) check_clock(last);
    tell(Phase::kRecovering);
    const auto repeated = runner_->recover(*source_, stop_requested(), wall_now());
    checkpoints_.emplace(options_, runner_->engine(), *store_, done);
    if (flags_.reset && !stop_requested()) {
      // What was journalled before can't be repeated with other records: it must not be needed any
      // more once the store is bound to them.
      checkpoints_->finish();
      has_log_ = claim_log(*store_, options_, *source_, change);
    }
    spdlog::info("ready folder={} batch={} repeated={} users={} items={}", options_.folder.string(),
                 runner_->engine().state().batch, repeated, runner_->engine().state().users.size(),
                 runner_->engine().state().items.size());
    if (options_.source == SourceKind::kStdin) {
      spooling_.emplace(options_, dynamic_cast<LocalLog&>(*source_));
    }
    tell(Phase::kReady);
  }

  // The batch of its checkpoint.
  std::uint64_t rebuild_store(const EdgeFlags& edge) {
    auto* const log = dynamic_cast<KafkaLog*>(source_.get());
    auto* const sink = dynamic_cast<KafkaSink*>(sink_.get());
    if (log == nullptr || sink == nullptr) throw Error("--rebuild: needs Kafka as source and sink");
    tell(Phase::kRecovering);
    const Rebuilt made = rebuild(options_, *store_, *log, *sink, edge);
    spdlog::info("rebuilt events={} lists={} epoch={}", made.events, made.lists, epoch_of(*store_));
    sink_.reset();
    sink_ = open_sink(options_, epoch_of(*store_), edge);
    return made.batch;
  }

  // Kafka forgets the offsets of a group that was quiet for a week, and with them which batch was
  // delivered last.
  void check_offsets(const std::optional<JournalEntry>& last, std::uint64_t done) {
    if (sink_->last().list || !last || last->number <= std::max<std::uint64_t>(done, 1)) return;
    if (flags_.reset) return;
    throw Error(
        "the state store " + store_folder(options_).string() + ": batches " +
        std::to_string(done + 1) + " to " + std::to_string(last->number) +
        " are in no checkpoint, and Kafka no longer knows the group's offsets: whether "
        "their lists were delivered can't be told; start with --reset to deliver them (again)");
  }

  // Trouble at the other end that is waited out; "" when it is over.
  void hear(const std::string& trouble) {
    const bool news = trouble != status_.problem;
    if (news && trouble.empty()) spdlog::info("goes on");
    if (news && !trouble.empty()) spdlog::warn("waiting problem=\"{}\"", trouble);
    status_.problem = trouble;
    if (news || Clock::now() >= next_status_) {
      tell(phase_);
      next_status_ = Clock::now() + options_.status_every;
    }
  }

  // Time never goes back, so it would stand still, and every event would be too far from it.
  void check_clock(const std::optional<JournalEntry>& last) {
    const Time wall = wall_now();
    Time saved = runner_->engine().state().now.value_or(wall);
    if (last) saved = std::max(saved, last->now);
    if (saved - wall <= kFarOff) return;
    const auto days = std::chrono::floor<std::chrono::days>(saved - wall).count();
    throw Error("the state store " + store_folder(options_).string() +
                ": this machine's clock is " + std::to_string(days) +
                " days behind the last run: set it right, or, if it was wrong then, put back a " +
                "store from before or begin in a new folder");
  }

  void loop() {
    Batcher batcher(options_, *source_, stop_requested());
    // Under `wall` time goes on when nothing happens: an empty batch frees seats.
    const bool ticks = options_.engine.clock == ClockKind::kWall && !flags_.until_end;
    while (!stop_requested()) {
      Batch batch = batcher.collect();
      if (batch.bounds.empty() && source_->ended()) break;
      if (!batch.bounds.empty() && !has_log_) has_log_ = claim_log(*store_, options_, *source_);
      if (!batch.bounds.empty() || ticks) runner_->take(std::move(batch), wall_now());
      between_batches();
    }
    if (spooling_) spooling_->rethrow();
  }

  void between_batches() {
    if (checkpoints_->between_batches()) {
      source_->release(checkpoints_->taken());
      retain(options_, *source_, *store_, checkpoints_->batch(), wall_now());
    }
    const auto now = Clock::now();
    if (now >= next_status_) {
      tell(Phase::kReady);
      next_status_ = now + options_.status_every;
    }
    if (options_.report_every.count() > 0 && now >= next_line_) {
      if (next_line_ != Clock::time_point{}) spdlog::info("status {}", status_line(status_));
      next_line_ = now + options_.report_every;
    }
  }

  // Writes the status; a disk that is full for it must not hide what it has to say.
  void tell(Phase phase) {
    const auto since = std::chrono::duration<double>(Clock::now() - told_).count();
    const Counters before = status_.counters;
    phase_ = phase;
    const bool waits = phase == Phase::kReady && !status_.problem.empty();
    status_.phase = waits ? Phase::kWaiting : phase;
    status_.at = wall_now();
    status_.resident_bytes = resident_bytes();
    if (runner_) {
      const State& state = runner_->engine().state();
      status_.batch = state.batch;
      status_.now = state.now;
      status_.counters = state.counters;
      status_.users = state.users.size();
      status_.items = state.items.size();
      status_.rejected_steps = state.learner.rejected_steps();
      status_.usage_refreshes = state.pressure.refreshes();
      status_.usage_error = state.pressure.error();
      status_.usage_kappa = state.pressure.kappa();
      status_.price_solves = state.pricing.solves();
      status_.refreshes = state.refresher.tally();
      status_.refreshes_waiting = state.refresher.waiting();
      status_.failed_price_solves = state.pricing.failed_solves();
      status_.certificate = state.pricing.certificate();
    }
    if (checkpoints_) {
      status_.checkpoint = checkpoints_->batch();
      status_.longest_pause = checkpoints_->longest_pause();
      status_.lag = phase == Phase::kFailed ? 0 : source_->lag();
      status_.lag_in_records = options_.source == SourceKind::kKafka;
      status_.events_per_second =
          static_cast<double>(status_.counters.events - before.events) / std::max(since, 1e-3);
      status_.lists_per_second =
          static_cast<double>(status_.counters.lists - before.lists) / std::max(since, 1e-3);
    }
    told_ = Clock::now();
    try {
      rewrite(options_.folder / "status.json", status_json(status_));
      rewrite(options_.folder / "metrics.prom", status_metrics(status_));
    } catch (const Error& error) {
      spdlog::warn("status problem=\"{}\"", error.what());
    }
  }

  const Options& options_;
  ServeFlags flags_;
  std::optional<Store> store_;
  std::unique_ptr<EventLog> source_;
  std::optional<Spooling> spooling_;  // ends before the log that it tells
  std::unique_ptr<ListSink> sink_;
  std::optional<Runner> runner_;
  std::optional<Checkpoints> checkpoints_;
  Phase phase_ = Phase::kStarting;
  bool has_log_ = false;  // the store knows which
  Status status_;
  Clock::time_point told_ = Clock::now(), next_status_{}, next_line_{};
};

}  // namespace

int serve(const Options& options, const ServeFlags& flags) {
  start_logging(options.log_level);
  watch_stop_signals();
  return Server(options, flags).run();
}

}  // namespace headroom
