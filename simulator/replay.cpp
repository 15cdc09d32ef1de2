#include "simulator/replay.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <numeric>

#include "headroom/base/error.hpp"
#include "headroom/demand/capacity_loss.hpp"
#include "simulator/cpu_clock.hpp"
#include "simulator/metrics.hpp"
#include "simulator/quality.hpp"
#include "simulator/seat_judge.hpp"

namespace headroom::sim {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLooks = 20;  // at expected usage, which takes all users and items

constexpr std::pair<std::string_view, ReplayPolicy> kPolicies[] = {
    {"none", ReplayPolicy::kNone},
    {"cutoff", ReplayPolicy::kCutoff},
    {"cap", ReplayPolicy::kCap},
    {"greedy", ReplayPolicy::kGreedy},
    {"price", ReplayPolicy::kPrice},
    {"both", ReplayPolicy::kBoth},
    {"popularity", ReplayPolicy::kPopularity},
    {"random", ReplayPolicy::kRandom}};

constexpr ReplayFigureName kFigures[] = {{"events", &ReplayFigures::events},
                                         {"hit_rate", &ReplayFigures::hit_rate},
                                         {"ap", &ReplayFigures::ap},
                                         {"wap", &ReplayFigures::wap},
                                         {"seated", &ReplayFigures::seated},
                                         {"turned_away", &ReplayFigures::turned_away},
                                         {"oversized", &ReplayFigures::oversized},
                                         {"people_sent", &ReplayFigures::people_sent},
                                         {"people_turned_away", &ReplayFigures::people_turned_away},
                                         {"overload_people", &ReplayFigures::overload_people},
                                         {"overload_time", &ReplayFigures::overload_time},
                                         {"wmcv", &ReplayFigures::wmcv},
                                         {"wmcv_amount", &ReplayFigures::wmcv_amount},
                                         {"capacity_loss", &ReplayFigures::capacity_loss},
                                         {"gini", &ReplayFigures::gini},
                                         {"coverage", &ReplayFigures::coverage},
                                         {"listen", &ReplayFigures::listen},
                                         {"listening_error", &ReplayFigures::listening_error},
                                         {"value", &ReplayFigures::value},
                                         {"bound", &ReplayFigures::bound},
                                         {"value_share", &ReplayFigures::value_share}};

double ratio(double part, double whole) { return whole > 0.0 ? part / whole : kNan; }

// Whether the looks at expected usage have one after this event.
bool looks_after(std::size_t event, std::size_t events) {
  return (event + 1) * kLooks / events > event * kLooks / events;
}

// An event and what the list said of it.
struct Seen {
  const MadeList& list;
  std::optional<std::size_t> hit;  // the place
  std::span<const double> fits;
  float weight;    // of WAP
  bool oversized;  // no seats of the item are enough for the hit's place
};

// The sums of one period, or of all.
class Tally {
 public:
  explicit Tally(std::size_t items) : shown_(items) {}

  void begin(Time from, const SeatJudge::Sums& sums) {
    events_ = hits_ = ap_ = weighted_ = weight_ = seated_ = sent_ = fit_ = oversized_ = 0.0;
    value_ = bound_ = 0.0;
    capacity_loss_ = kNan;
    claims_.clear();
    std::fill(shown_.begin(), shown_.end(), 0U);
    from_ = from;
    before_ = sums;
  }
  bool empty() const { return events_ == 0.0; }

  void add(const Seen& one) {
    events_ += 1.0;
    weight_ += static_cast<double>(one.weight);
    claims_.push_back({one.list.listen, one.hit.has_value()});
    for (std::size_t n = 0; n < one.list.items.size(); ++n) {
      const double people = static_cast<double>(one.list.people[n]);
      sent_ += people;
      fit_ += people * one.fits[n];
      ++shown_[index(one.list.items[n])];
    }
    if (!one.hit) return;
    const double precision = 1.0 / static_cast<double>(*one.hit + 1);
    hits_ += 1.0;
    ap_ += precision;
    weighted_ += static_cast<double>(one.weight) * precision;
    seated_ += one.fits[*one.hit];
    oversized_ += one.oversized ? 1.0 : 0.0;
  }
  void add(const Certificate& window) {
    value_ += window.value;
    bound_ += window.bound;
  }
  void set_capacity_loss(double loss) { capacity_loss_ = loss; }

  ReplayFigures figures(Time to, const SeatJudge::Sums& sums) const {
    const auto items = static_cast<double>(shown_.size());
    const double time = items * std::chrono::duration<double>(to - from_).count();
    ReplayFigures out;
    out.from = from_;
    out.to = to;
    out.events = events_;
    out.hit_rate = ratio(hits_, events_);
    out.ap = ratio(ap_, events_);
    out.wap = ratio(weighted_, weight_);
    out.seated = ratio(seated_, events_);
    out.turned_away = hits_ - seated_;
    out.oversized = oversized_;
    out.people_sent = sent_;
    out.people_turned_away = sent_ - fit_;
    out.overload_people = ratio(sent_ - fit_, sent_);
    out.overload_time = ratio(sums.overloaded - before_.overloaded, time);
    out.wmcv = ratio(sums.full - before_.full, time);
    out.wmcv_amount = ratio(sums.beyond - before_.beyond, time);
    out.capacity_loss = capacity_loss_;
    out.gini = gini_of(shown_);
    const auto covered = std::count_if(shown_.begin(), shown_.end(), [](auto n) { return n > 0; });
    out.coverage = static_cast<double>(covered) / items;
    double said = 0.0;
    for (const Claim& claim : claims_) said += static_cast<double>(claim.chance);
    out.listen = ratio(said, events_);
    out.listening_error = calibration_error(claims_);
    out.value = value_;
    out.bound = bound_;
    out.value_share = ratio(value_, bound_);
    return out;
  }

 private:
  Time from_{};
  SeatJudge::Sums before_;
  double events_ = 0.0, hits_ = 0.0, ap_ = 0.0, weighted_ = 0.0, weight_ = 0.0, seated_ = 0.0;
  double sent_ = 0.0, fit_ = 0.0, oversized_ = 0.0, value_ = 0.0, bound_ = 0.0,
         capacity_loss_ = kNan;
  std::vector<Claim> claims_;
  std::vector<std::uint32_t> shown_;  // by item
};

// One policy's way through the stream.
class Walk {
 public:
  Walk(const ReplayWorld& world, const ReplayOptions& options, std::span<const float> capacity,
       ListServer& server, std::span<const float> weights)
      : world_(world),
        options_(options),
        capacity_(capacity),
        server_(server),
        weights_(weights),
        judge_(capacity, world.data.users.size(), options.hold, options.stay),
        period_(capacity.size()),
        total_(capacity.size()) {}

  ReplayRun run() {
    const auto& stream = world_.stream;
    warm_ = static_cast<std::size_t>(options_.warm * static_cast<double>(stream.size()));
    judge_.advance(stream.front().at);
    begin_period(0);
    for (std::size_t n = 0; n < stream.size(); ++n) take(n);
    end_period();
    run_.total = total_.figures(judge_.now(), judge_.sums());
    return std::move(run_);
  }

 private:
  // Where the events of a period's number begin.
  std::int64_t period_of(std::size_t n) const {
    if (options_.period.events > 0) return static_cast<std::int64_t>(n / options_.period.events);
    return world_.stream[n].at.time_since_epoch() / options_.period.time;
  }
  void begin_period(std::size_t n) {
    number_ = period_of(n);
    const auto sums = judge_.sums();
    period_.begin(judge_.now(), sums);
    if (n == warm_) total_.begin(judge_.now(), sums);
  }
  void end_period() {
    if (!period_.empty()) run_.periods.push_back(period_.figures(judge_.now(), judge_.sums()));
  }

  void take(std::size_t n) {
    const Interaction& event = world_.stream[n];
    if (n > 0 && (period_of(n) != number_ || n == warm_)) {
      // A period of time lasts until the next one begins, whatever happens in it.
      if (options_.period.events == 0 && n != warm_) {
        judge_.advance(Time(options_.period.time * period_of(n)));
      } else {
        judge_.advance(event.at);
      }
      end_period();
      begin_period(n);
    }
    judge_.advance(event.at);
    const MadeList& list = server_.serve(event);
    fits_.resize(list.items.size());
    judge_.show(event.user, list.items, list.people, fits_);
    const auto found = std::find(list.items.begin(), list.items.end(), event.item);
    std::optional<std::size_t> hit;
    if (found != list.items.end()) {
      hit = static_cast<std::size_t>(found - list.items.begin());
      judge_.answer(event.user);
    }
    judge_.visit(event.user, event.item);
    const bool oversized = hit && list.people[*hit] > capacity_[index(event.item)];
    const Seen one{list, hit, fits_, weights_[n], oversized};
    period_.add(one);
    if (n >= warm_) total_.add(one);
    note_window(n);
    if (looks_after(n, world_.stream.size())) look(n);
  }

  void note_window(std::size_t n) {
    const auto window = server_.certificate();
    if (!window || window->to == last_window_) return;
    last_window_ = window->to;
    period_.add(*window);
    if (n >= warm_) total_.add(*window);
  }

  void look(std::size_t n) {
    const std::vector<float> usage = server_.usage();
    if (usage.empty()) return;
    const auto& pressure = options_.engine.pressure;
    const std::vector<float> seats(capacity_.begin(), capacity_.end());
    const double loss = capacity_loss(usage, seats, pressure.loss, pressure.temperature);
    period_.set_capacity_loss(loss);
    if (n >= warm_) total_.set_capacity_loss(loss);
  }

  const ReplayWorld& world_;
  const ReplayOptions& options_;
  std::span<const float> capacity_;
  ListServer& server_;
  std::span<const float> weights_;
  SeatJudge judge_;
  Tally period_, total_;
  std::size_t warm_ = 0;
  std::int64_t number_ = 0;
  Time last_window_{};
  std::vector<double> fits_;
  ReplayRun run_;
};

// Serves as the other one does, when the time has come.
class PassingServer : public ListServer {
 public:
  PassingServer(ListServer& server, const RunWay& way) : server_(server), passing_(way) {}

  const MadeList& serve(const Interaction& event) override {
    passing_.wait(event.at);
    return server_.serve(event);
  }
  std::optional<Certificate> certificate() const override { return server_.certificate(); }
  std::vector<float> usage() override { return server_.usage(); }

 private:
  ListServer& server_;
  Passing passing_;
};

bool has_engine(ReplayPolicy policy) {
  return policy != ReplayPolicy::kNone && policy != ReplayPolicy::kPopularity &&
         policy != ReplayPolicy::kRandom;
}

ServerOptions server_options(const ReplayOptions& options) {
  return {options.places,           options.engine.allot.holding, options.hide_visited,
          options.stay.count() > 0, options.engine.listening,     options.seed};
}

// The engine under this policy.
EngineOptions engine_options(const ReplayOptions& options, ReplayPolicy policy) {
  EngineOptions out = options.engine;
  out.learner.seed = options.seed;
  out.ledger.window = options.hold;
  out.ledger.dwell = options.stay.count() > 0 ? options.stay : options.hold;
  out.lists.visited = options.hide_visited ? Visited::kHide : Visited::kShow;
  out.seen_ids = 4096;  // nothing comes twice
  if (policy != ReplayPolicy::kCap && policy != ReplayPolicy::kBoth) out.pressure.alpha = 0.0F;
  switch (policy) {
    case ReplayPolicy::kCutoff:
      out.allot.policy = Policy::kCutoff;
      out.pricing.memory = options.hold;  // who asked within a hold holds a list
      break;
    case ReplayPolicy::kGreedy:
      out.allot.policy = Policy::kGreedy;
      break;
    case ReplayPolicy::kPrice:
    case ReplayPolicy::kBoth:
      out.allot.policy = Policy::kPrice;
      break;
    default:
      out.allot.policy = Policy::kNone;
  }
  return out;
}

// Chances for expected usage, in the unit of the seats.
Given in_units(const Given& given, double unit) {
  Given out;
  out.propensity = given.propensity;
  for (auto& entry : out.propensity) entry.second *= static_cast<float>(unit);
  return out;
}

double people_of_a_place(const ListTrace& trace) {
  const double sum = std::accumulate(trace.people.begin(), trace.people.end(), 0.0);
  return ratio(sum, static_cast<double>(trace.people.size()));
}

}  // namespace

ReplayPolicy parse_replay_policy(std::string_view words) {
  std::string known;
  for (const auto& [name, policy] : kPolicies) {
    if (name == words) return policy;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error("unknown policy '" + std::string(words) + "': it is one of " + known);
}

std::string_view to_string(ReplayPolicy policy) {
  return std::find_if(std::begin(kPolicies), std::end(kPolicies),
                      [&](const auto& entry) { return entry.second == policy; })
      ->first;
}

std::vector<ReplayPolicy> all_replay_policies() {
  std::vector<ReplayPolicy> out;
  for (const auto& entry : kPolicies) out.push_back(entry.second);
  return out;
}

std::span<const ReplayFigureName> replay_figure_names() { return kFigures; }

std::chrono::milliseconds parse_duration(std::string_view flag, const std::string& words) {
  double number = 0.0;
  const char* end = words.data() + words.size();
  const auto [unit, failure] = std::from_chars(words.data(), end, number);
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}};
  for (const auto& [name, milliseconds] : kUnits) {
    if (failure != std::errc{} || name != std::string_view(unit, end)) continue;
    if (!(number >= 0.0 && number <= 3650.0)) break;
    return std::chrono::milliseconds(std::llround(number * milliseconds));
  }
  throw Error(std::string(flag) + ": a time such as 90s, 30m, 12h or 1d, not '" + words + "'");
}

ReplayPeriod parse_period(const std::string& words) {
  std::size_t events = 0;
  const char* end = words.data() + words.size();
  const auto [stop, failure] = std::from_chars(words.data(), end, events);
  if (failure == std::errc{} && stop == end && events > 0) return {{}, events};
  const auto time = parse_duration("--period", words);
  if (time.count() == 0) throw Error("--period: more than nothing, not '" + words + "'");
  return {time, 0};
}

ListTrace trace_unconstrained(const ReplayWorld& world, const ReplayOptions& options,
                              Workers& workers) {
  ListTrace trace;
  EngineOptions engine = engine_options(options, ReplayPolicy::kNone);
  world.given.give_to(engine);
  EngineServer server(world.data, engine, server_options(options), {}, workers);
  const std::size_t events = world.stream.size();
  trace.listen.reserve(events);
  trace.counts.reserve(events);
  trace.items.reserve(events * options.places);
  trace.people.reserve(events * options.places);
  for (std::size_t n = 0; n < events; ++n) {
    trace.add(server.serve(world.stream[n]));
    if (looks_after(n, events)) trace.usage.push_back(server.usage());
  }
  return trace;
}

double usage_unit(const ReplayWorld& world, const ReplayOptions& options, const ListTrace& trace) {
  const std::vector<float> none(world.data.items.size());
  SeatJudge judge(none, world.data.users.size(), options.hold, options.stay);
  TraceServer server(trace, 1.0);
  std::vector<double> fits;
  for (const Interaction& event : world.stream) {
    judge.advance(event.at);
    const MadeList& list = server.serve(event);
    fits.resize(list.items.size());
    judge.show(event.user, list.items, list.people, fits);
    if (std::find(list.items.begin(), list.items.end(), event.item) != list.items.end()) {
      judge.answer(event.user);
    }
    judge.visit(event.user, event.item);
  }
  const double time = std::chrono::duration<double>(judge.now() - world.stream.front().at).count();
  const auto& usage = trace.usage.back();
  const double raw = std::accumulate(usage.begin(), usage.end(), 0.0);
  const double people = ratio(judge.sums().people, time);
  return std::isfinite(people) && raw > 0.0 ? people / raw : 1.0;
}

double capacity_scale(const ReplayWorld& world, const ReplayOptions& options,
                      const ListTrace& trace, double overload) {
  const auto overload_at = [&](double scale) {
    std::vector<float> capacity = world.given.capacity;
    for (float& seats : capacity) seats *= static_cast<float>(scale);
    TraceServer server(trace, 1.0);
    ReplayOptions once = options;
    once.period.events = world.stream.size();
    return Walk(world, once, capacity, server, trace.listen).run().total.overload_people;
  };
  // It falls as capacities grow.
  double low = 1e-9, high = 1e6;
  for (int step = 0; step < 40 && high > 1.0005 * low; ++step) {
    const double middle = std::sqrt(low * high);
    (overload_at(middle) > overload ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

ReplayRun replay(const ReplayWorld& world, const ReplayOptions& options, ReplayPolicy policy,
                 double scale, const ListTrace& trace, Workers& workers) {
  std::vector<float> capacity = world.given.capacity;
  for (float& seats : capacity) seats *= static_cast<float>(scale);
  const Given given = in_units(world.given, world.usage_unit);
  EngineOptions engine = engine_options(options, policy);
  given.give_to(engine);
  const ServerOptions server_of = server_options(options);
  std::optional<OwnTopics> topics;
  std::optional<KafkaRoad> road;
  if (options.way.kafka && has_engine(policy)) {
    topics.emplace(*options.way.kafka,
                   std::string(to_string(policy)) + "-" + std::to_string(options.seed),
                   options.way.keep_topics);
    road.emplace(topics->connection());
  }
  KafkaRoad* const way = road ? &*road : nullptr;
  std::unique_ptr<ListServer> server;
  const auto wall_began = std::chrono::steady_clock::now();
  const double cpu_began = process_cpu_seconds();
  switch (policy) {
    case ReplayPolicy::kNone:
      server = std::make_unique<TraceServer>(trace, world.usage_unit);
      break;
    case ReplayPolicy::kPopularity:
      server = std::make_unique<PopularServer>(world.data, server_of);
      break;
    case ReplayPolicy::kRandom:
      server = std::make_unique<RandomServer>(world.data, server_of);
      break;
    case ReplayPolicy::kCutoff: {
      // It counts users, not people: so many are as many people as there are seats.
      std::vector<float> users = capacity;
      const double people = people_of_a_place(trace);
      for (float& count : users) count /= static_cast<float>(people);
      server = std::make_unique<EngineServer>(world.data, engine, server_of, users, workers, way);
      break;
    }
    default:
      server =
          std::make_unique<EngineServer>(world.data, engine, server_of, capacity, workers, way);
  }
  PassingServer passing(*server, options.way);
  ReplayRun run = Walk(world, options, capacity, passing, trace.listen).run();
  run.cpu_seconds = process_cpu_seconds() - cpu_began;
  run.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_began).count();
  run.policy = policy;
  run.seed = options.seed;
  if (topics) {
    server.reset();
    road.reset();
    topics->remove();
    run.topics = topics->name();
  }
  return run;
}

}  // namespace headroom::sim
