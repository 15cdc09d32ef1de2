#include "headroom/app/settings.hpp"

#include <charconv>
#include <cmath>
#include <concepts>
#include <iterator>

#include "headroom/base/error.hpp"
#include "headroom/base/opening.hpp"
#include "headroom/wire/timestamp.hpp"

namespace headroom {

namespace {

std::string number_text(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

template <class Number>
Number parse_number(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) {
    throw Error(std::string(std::integral<Number> ? "a whole number" : "a number") +
                " is wanted, not '" + text + "'");
  }
  return value;
}

// Makes settings; each function is one kind of value.
class Table {
 public:
  std::vector<Setting> rows;

  template <std::integral Whole>
  void whole(std::string key, Whole& at, std::uint64_t low, std::uint64_t high, std::string unit,
             std::string words) {
    add(
        std::move(key), std::move(words),
        "whole number" + in(unit) + ", " + std::to_string(low) + " to " + std::to_string(high),
        [&at, low, high](const std::string& text) {
          const auto value = parse_number<std::uint64_t>(text);
          if (value < low || value > high) {
            throw Error("must be " + std::to_string(low) + " to " + std::to_string(high) +
                        ", not " + text);
          }
          at = static_cast<Whole>(value);
        },
        [&at] { return std::to_string(at); });
  }

  void number(std::string key, float& at, double low, double high, std::string unit,
              std::string words) {
    const std::string bounds = number_text(low) + " to " + number_text(high);
    add(
        std::move(key), std::move(words), "number" + in(unit) + ", " + bounds,
        [&at, low, high, bounds](const std::string& text) {
          const auto value = parse_number<double>(text);
          if (!(value >= low && value <= high)) {
            throw Error("must be " + bounds + ", not " + text);
          }
          at = static_cast<float>(value);
        },
        [&at] {
          char text[32];
          return std::string(text, std::to_chars(text, text + sizeof text, at).ptr);
        });
  }

  // A span of time, kept finer than it is written: `Unit` is what one writes.
  template <class Unit, class Duration>
  void span(std::string key, Duration& at, std::int64_t low, std::int64_t high, std::string unit,
            std::string words) {
    add(
        std::move(key), std::move(words),
        "whole number of " + unit + ", " + std::to_string(low) + " to " + std::to_string(high),
        [&at, low, high](const std::string& text) {
          const auto value = parse_number<std::int64_t>(text);
          if (value < low || value > high) {
            throw Error("must be " + std::to_string(low) + " to " + std::to_string(high) +
                        ", not " + text);
          }
          at = std::chrono::duration_cast<Duration>(Unit(value));
        },
        [&at] { return std::to_string(std::chrono::duration_cast<Unit>(at).count()); });
  }

  template <class Enum>
  void choice(std::string key, Enum& at, std::vector<std::pair<Enum, std::string>> names,
              std::string words) {
    std::string all;
    for (const auto& [value, name] : names) all += (all.empty() ? "" : " | ") + name;
    add(
        std::move(key), std::move(words), all,
        [&at, names, all](const std::string& text) {
          for (const auto& [value, name] : names) {
            if (name == text) {
              at = value;
              return;
            }
          }
          throw Error("must be one of " + all + ", not '" + text + "'");
        },
        [&at, names] {
          for (const auto& [value, name] : names) {
            if (value == at) return name;
          }
          return std::string();
        });
  }

  void on_off(std::string key, bool& at, std::string words) {
    choice<bool>(std::move(key), at, {{true, "on"}, {false, "off"}}, std::move(words));
  }

  void text(std::string key, std::string& at, std::string words) {
    add(
        std::move(key), std::move(words), "text",
        [&at](const std::string& text) {
          if (text.empty()) throw Error("must not be empty");
          at = text;
        },
        [&at] { return yaml_text(at); });
  }

  void time_zone(std::string key, std::string& at, std::string words) {
    add(
        std::move(key), std::move(words), "IANA name such as Europe/Berlin",
        [&at](const std::string& text) {
          if (!is_time_zone(text)) throw Error("'" + text + "' is not in this machine's database");
          at = text;
        },
        [&at] { return yaml_text(at); });
  }

  // `earliest`, `latest` or a time.
  void start(std::string key, StartAt& at, Time& time, std::string words) {
    add(
        std::move(key), std::move(words), "earliest | latest | a time such as 2026-03-01T12:00:00Z",
        [&at, &time](const std::string& text) {
          if (text == "earliest" || text == "latest") {
            at = text == "earliest" ? StartAt::kEarliest : StartAt::kLatest;
            return;
          }
          const auto parsed = parse_timestamp(text);
          if (!parsed) throw Error("must be earliest, latest or a time, not '" + text + "'");
          at = StartAt::kTime;
          time = *parsed;
        },
        [&at, &time] {
          if (at != StartAt::kTime)
            return std::string(at == StartAt::kLatest ? "latest" : "earliest");
          std::string text;
          append_timestamp(time, text);
          return yaml_text(text);
        });
  }

  void path(std::string key, std::filesystem::path& at, std::string words) {
    add(
        std::move(key), std::move(words), "path", [&at](const std::string& text) { at = text; },
        [&at] { return yaml_text(at.string()); });
  }

 private:
  static std::string in(const std::string& unit) { return unit.empty() ? "" : " of " + unit; }
  void add(std::string key, std::string words, std::string kind,
           std::function<void(const std::string&)> read, std::function<std::string()> write) {
    rows.push_back(
        {std::move(key), std::move(words), std::move(kind), std::move(read), std::move(write)});
  }
};

void general(Table& t, Options& o) {
  t.path("folder", o.folder,
         "Everything lies below this folder: the log, the state store, status.json, metrics.prom.\n"
         "A relative path starts where headroom is started.");
  t.whole("seed", o.seed, 0, 1'000'000'000'000'000'000, "",
          "All random draws follow from it. Part of the store's identity.");
  t.whole("threads", o.threads, 0, 1024, "threads",
          "That score lists; 0: one for each core. The lists are the same on any number.");
  t.choice("kernels", o.kernels,
           {{KernelKind::kBest, "best"},
            {KernelKind::kPlain, "plain"},
            {KernelKind::kAvx2, "avx2"},
            {KernelKind::kAvx512, "avx512"}},
           "The registers that the hot loops use: the best that this machine has, or these.");
  t.choice("clock", o.engine.clock, {{ClockKind::kWall, "wall"}, {ClockKind::kEvent, "event"}},
           "Whose time counts: `wall`, this machine's (live), or `event`, that of the records\n"
           "(to replay the past: seats are freed as the records' time goes on).");
  t.whole("instances", o.instances, 1, 1024, "instances",
          "That share the users. More than one is refused as yet: each would give out all seats.");
}

void edges(Table& t, Options& o) {
  t.choice("source.kind", o.source,
           {{SourceKind::kLog, "log"},
            {SourceKind::kFile, "file"},
            {SourceKind::kStdin, "stdin"},
            {SourceKind::kKafka, "kafka"}},
           "Where events come from. `stdin` is spooled into the log first, so nothing is lost.");
  t.path(
      "source.file", o.source_file,
      "The file to read if kind is `file`. It may grow and be copied, but not be replaced: it is\n"
      "known by its first record.");
  t.start("source.start", o.start, o.start_time,
          "Kafka's events are read from here on at the first start; later starts go on where the\n"
          "last one ended. Items are always read from their beginning.");
  t.choice(
      "sink.kind", o.sink,
      {{SinkKind::kLog, "log"},
       {SinkKind::kFile, "file"},
       {SinkKind::kStdout, "stdout"},
       {SinkKind::kKafka, "kafka"}},
      "Where lists go. `log`, `file` and `kafka`: each list exactly once, whatever happens;\n"
      "`stdout`: at least once, with the same id. Dead letters go to Kafka with the lists, else\n"
      "always to the log. `kafka` needs the source `kafka`: both move in one transaction.");
  t.path("sink.file", o.sink_file, "The file to append to if kind is `file`.");
  t.text("topics.events", o.topics.events, "Kafka's topic of events, keyed by user.");
  t.text("topics.items", o.topics.items, "... of items, keyed by item, compacted.");
  t.text("topics.recommendations", o.topics.lists, "... of lists, keyed by user.");
  t.text("topics.dead_letters", o.topics.dead_letters, "... of what was not taken.");
  t.whole("log.partitions", o.partitions, 1, 1024, "partitions",
          "Of the local log's events, by hash of the user. Fixed once the log is made.");
  t.whole("log.segment_bytes", o.segment_bytes, 4096, std::uint64_t{1} << 40U, "bytes",
          "A log file is closed and the next begun at this size.");
  t.whole("log.keep_bytes", o.keep_bytes, 0, std::uint64_t{1} << 50U, "bytes",
          "Whole files are removed, oldest first, beyond this size per partition; 0: never.\n"
          "Records that are in no checkpoint yet always stay.");
  t.span<std::chrono::hours>("log.keep_hours", o.keep_for, 0, 876'000, "hours",
                             "Whole files older than this are removed; 0: never.");
  t.span<std::chrono::milliseconds>(
      "batch.ask_milliseconds", o.ask_wait, 0, 60'000, "milliseconds",
      "A batch closes this long after its first request: what an answer waits at most.");
  t.span<std::chrono::milliseconds>("batch.milliseconds", o.batch_wait, 1, 60'000, "milliseconds",
                                    "... or this long after it was begun, ...");
  t.whole("batch.records", o.batch_most, 1, 1'000'000, "records",
          "... or at this many records, whichever is first.");
}

void taste(Table& t, Options& o) {
  auto& l = o.engine.learner;
  t.choice("learner.method", l.method,
           {{Method::kPmf, "pmf"},
            {Method::kBpr, "bpr"},
            {Method::kGeoMf, "geomf"},
            {Method::kGeoBpr, "geobpr"}},
           "What is learned. The geo forms use the items' places. Part of the store's identity.");
  t.whole("learner.rank", l.rank, 1, 256, "factors",
          "Of each user and item. Part of the store's identity.");
  const std::pair<const char*, float*> steps[] = {
      {"user_step", &l.user_step}, {"item_step", &l.item_step},
      {"bias_step", &l.bias_step}, {"history_step", &l.history_step},
      {"tile_step", &l.tile_step}, {"context_step", &l.context_step}};
  const char* const of[] = {"users' factors",
                            "items' factors",
                            "items' biases",
                            "the factors that speak for who liked an item before",
                            "users' activity on tiles",
                            "the weights of distance and revisits, which all users share"};
  for (std::size_t n = 0; n < std::size(steps); ++n) {
    t.number(std::string("learner.") + steps[n].first, *steps[n].second, 1e-6, 10, "",
             std::string("Adagrad's step of ") + of[n] + ".");
  }
  t.number("learner.l2", l.l2, 0, 10, "",
           "Pulls the factors and tiles that an event touches towards 0.");
  t.number("learner.bias_l2", l.bias_l2, 0, 10, "", "Pulls the biases towards 0.");
  t.number("learner.start_deviation", l.start_deviation, 0, 10, "",
           "New rows start at random with this standard deviation.");
  t.number("learner.start_squares", l.start_squares, 1e-8, 1e6, "",
           "Adagrad's sums start here: more makes first steps smaller.");
  t.whole("learner.negatives", l.negatives, 0, 64, "items", "Compared with each liked item.");
  t.whole("learner.draws", l.draws, 1, 64, "items",
          "Drawn for each of these; the one that scores best is taken.");
  t.whole("learner.mini_batch", l.mini_batch, 1, 100'000, "events",
          "Whose gradients make one step. 1 learns from each at once; more costs accuracy.");
  t.whole("learner.past", l.past, 1, 65'536, "items",
          "Liked items remembered of each user, never drawn as negatives.");
  t.on_off("learner.bias", l.bias, "A bias of each item. The paper has none.");
  t.whole("learner.history", l.history, 0, 64, "items",
          "The user's newest items that speak for the user beside the factors; 0: none, as in the\n"
          "paper. Part of the store's identity.");
  t.number(
      "learner.caution", l.caution, 0, 1000, "items",
      "What is known of a user counts n / (n + this) after n items; 0: whole, as in the paper.");
  t.on_off("learner.distance", l.distance,
           "Learn what distance from the user's last places means, in the geo forms.");
  t.on_off("learner.revisits", l.revisits, "Learn what it means that the user came before.");
  t.whole("learner.level_of_detail", l.level_of_detail, 1, 23, "",
          "Of the map of tiles, for the geo forms. Part of the store's identity.");
  t.number("learner.kernel_width", l.kernel_width, 0.01, 100, "tiles",
           "How far a place's influence reaches.");
  t.number("learner.kernel_cut", l.kernel_cut, 0.5, 10, "widths",
           "Beyond this a place has no influence.");
  t.whole("learner.tiles", l.tiles, 1, 1'000'000, "tiles",
          "On which a user's activity is remembered, the most active.");
  auto& p = o.engine.pressure;
  t.number("pressure.alpha", p.alpha, 0, 1, "",
           "The weight of capacity against taste in learning: 0 taste alone, 1 capacity alone.");
  t.choice("pressure.loss", p.loss,
           {{CapacityLoss::kLogistic, "logistic"},
            {CapacityLoss::kExponential, "exponential"},
            {CapacityLoss::kHinge, "hinge"}},
           "The paper's surrogate of expected usage beyond capacity.");
  t.number("pressure.temperature", p.temperature, 0.01, 1e6, "people",
           "How sharp that is; 1 is the paper's.");
  t.whole("pressure.every", p.every, 1, 1'000'000'000, "outcomes",
          "Between two refreshes of expected usage, at least.");
  t.number("pressure.share", p.share, 0.001, 0.999, "",
           "Refreshes may take this share of the time, about, the rest is for learning: they come\n"
           "less often where there is more to compute.");
  t.number("pressure.sampled", p.sampled, 0.001, 10, "users",
           "Whose taste gives way at a refresh, for each outcome since the last.");
  t.span<std::chrono::minutes>("pressure.active_minutes", p.active, 1, 5'256'000, "minutes",
                               "Users seen within this time count in expected usage.");
  t.whole("pressure.most_exact", p.usage.most_exact, 0, 1'000'000'000'000, "pairs",
          "Up to so many users x items usage is computed exactly, beyond it is estimated.");
  t.whole("pressure.sample", p.usage.sample, 16, 10'000'000, "users",
          "Drawn for an estimate, at least.");
  t.number("pressure.budget", p.usage.budget, 0.0001, 1, "",
           "Of the estimate's audited relative error; beyond it the sample grows.");
  auto& w = o.engine.weights;
  t.number("weights.check_in", w.check_in, 0, 100, "", "How much a check-in counts in learning.");
  t.number("weights.follow", w.follow, 0, 100, "", "How much a followed recommendation counts.");
  t.number("weights.ignore", w.ignore, 0, 100, "",
           "How much an ignored one counts as a negative; shared by the items of a whole list.");
}

void lists(Table& t, Options& o) {
  auto& a = o.engine.allot;
  t.choice(
      "lists.policy", a.policy,
      {{Policy::kNone, "none"},
       {Policy::kCutoff, "cutoff"},
       {Policy::kGreedy, "greedy"},
       {Policy::kPrice, "price"}},
      "How a list is chosen: `price`, the best by chance less the price of a seat, for all who\n"
      "will ask; `greedy`, the best for who asks first; both only where there is room.\n"
      "`cutoff`, the paper's post-processing: an item only to those who score it highest;\n"
      "`none`, the best, full or not, as if there were no capacities.");
  t.choice(
      "lists.holds", a.holding, {{Holding::kChoice, "choice"}, {Holding::kWhole, "whole"}},
      "What a place of a list holds until it is answered: the chance that the user listens\n"
      "and chooses it, learned from what is followed; or the whole chance of listening, each.");
  auto& p = o.engine.pricing;
  using std::chrono::minutes;
  t.span<minutes>("prices.every_minutes", p.every, 1, 1440, "minutes",
                  "From one solve of the prices to the next. A sixth of the window is good.");
  t.span<minutes>("prices.memory_minutes", p.memory, 1, 10'080, "minutes",
                  "Requests of this time stand for those to come.");
  t.whole("prices.users", p.users, 1, 16'384, "users", "... of so many users, the newest to ask.");
  t.whole("prices.candidates", p.candidates, 10, 100'000, "items",
          "That each of them could be given: the best by chance less price.");
  t.number(
      "prices.steepness", a.steepness, 0, 10, "",
      "How fast a price follows what is used of an item from one solve to the next: the higher,\n"
      "the less an item costs that is not nearly full.");
  t.number("prices.full_cost", a.full_cost, 0, 10, "visits",
           "What is lost when somebody is sent who finds an item full, by rule `ahead`: a price\n"
           "has that times the chance of it on top.");
  t.span<minutes>("prices.stock_minutes", p.stock, 1, 525'600, "minutes",
                  "What is left of a stock is priced to last this long.");
  t.whole("prices.at_once", p.at_once, 0, 1'000'000'000, "chances",
          "Up to this size prices are solved in the stream, beyond it beside it, ...");
  t.span<std::chrono::seconds>(
      "prices.entry_seconds", p.entry, 1, 600, "seconds",
      "... and enter this long after, so that every repeat has them at the same batch.");
  t.whole("prices.certified_items", p.certified, 0, 100'000'000, "items",
          "Up to so many every request counts in the certificate of a window; beyond it one of\n"
          "eight, and the bound is an estimate.");
}

void seats(Table& t, Options& o) {
  auto& l = o.engine.ledger;
  using std::chrono::minutes;
  t.span<minutes>("seats.window_minutes", l.window, 1, 10'080, "minutes",
                  "A list is valid, and holds its seats, this long.");
  t.span<minutes>("seats.way_minutes", l.way, 1, 10'080, "minutes",
                  "Who followed and has not come after this long does not come.");
  t.span<minutes>("seats.dwell_minutes", l.dwell, 1, 10'080, "minutes",
                  "How long people stay at an item that says nothing else.");
  t.span<minutes>("seats.memory_minutes", l.memory, 0, 10'080, "minutes",
                  "How long after its window a list may still be answered.");
  t.choice(
      "seats.rule", l.rule, {{RoomRule::kAhead, "ahead"}, {RoomRule::kNow, "now"}},
      "How many seats may still be offered on an item that does not say it itself. `ahead`: as\n"
      "many as keep the chance of overload below the risk at every horizon, by who will have\n"
      "come and gone by then. `now`: none that is taken, promised or held by an open list;\n"
      "never too much expected, but more seats stay empty.");
  t.number("seats.risk", l.risk, kLeastRisk, kMostRisk, "",
           "With `ahead`: the share of time in which more people may be at an item than it holds.\n"
           "What comes of it is measured and aimed at: a mean over items, not a promise for each.");
  auto& p = o.engine.listening;
  t.choice("listening.kind", p.kind,
           {{ListeningKind::kRatio, "ratio"},
            {ListeningKind::kBeta, "beta"},
            {ListeningKind::kForgetting, "forgetting"}},
           "How the chance that a user follows a list is estimated: the paper's ratio;\n"
           "Beta-Bernoulli with a prior learned from all users; the same, forgetting.");
  t.number("listening.prior_mean", p.prior_mean, 0.001, 0.999, "",
           "Of a user's chance, before the population has shown another.");
  t.number("listening.prior_strength", p.prior_strength, 0.01, 1000, "lists",
           "How many lists that is worth.");
  t.span<std::chrono::hours>("listening.half_life_hours", p.half_life, 1, 876'000, "hours",
                             "With `forgetting`: what is this old counts half.");
}

void filters(Table& t, Options& o) {
  auto& l = o.engine.lists;
  using std::chrono::minutes;
  t.time_zone("lists.time_zone", l.time_zone,
              "What hour it is where an item names no time zone, for its opening hours.");
  t.span<minutes>("lists.ignored_minutes", l.ignored, 0, 10'080, "minutes",
                  "What a user ignored is on none of their lists for this long: who said no at\n"
                  "lunch may be asked again in the evening. 0: it may be repeated at once.");
  t.choice(
      "lists.visited", l.visited,
      {{Visited::kShow, "show"}, {Visited::kHideBought, "hide_bought"}, {Visited::kHide, "hide"}},
      "Where a user has been: `hide_bought` leaves out only what has a stock, as a copy is\n"
      "bought once while people come back to a place.");
  t.number("lists.most_km", l.most_km, 0, 20'100, "km",
           "Items further than this from where a request says it is made are left out; 0: none.");
  auto& r = o.engine.refresh;
  t.span<minutes>(
      "lists.active_minutes", r.active, 1, 10'080, "minutes",
      "Users of whom something came within this time are active: they get a fresh list\n"
      "when theirs loses an item or ends.");
  t.span<minutes>(
      "lists.refresh_minutes", r.every, 0, 10'080, "minutes",
      "Active users who did not answer their list get a fresh one this often; 0: never,\n"
      "as most lists lose nothing in their window.");
  t.whole("lists.refreshes_per_second", r.per_second, 0, 1'000'000, "lists",
          "That nobody asked for, at most, the most urgent first; 0: none.");
  t.whole("lists.refreshes_in_a_row", r.in_a_row, 1, 1000, "lists",
          "That a user gets without asking or any other sign of life, at most.");
}

void upkeep(Table& t, Options& o) {
  t.whole("limits.users", o.engine.most_users, 1, 100'000'000, "users",
          "Known at once. The longest unseen leave first, never one with an open list.");
  t.whole("limits.items", o.engine.most_items, 1, 100'000'000, "items",
          "Known at once. Those with a capacity, people or holds never leave.");
  t.whole("limits.seen_ids", o.engine.seen_ids, 256, 1'000'000'000, "events",
          "Whose ids are remembered, to drop what comes twice. Part of the store's identity.");
  t.span<std::chrono::milliseconds>("store.checkpoint_milliseconds", o.checkpoint_every, 100,
                                    3'600'000, "milliseconds",
                                    "Between checkpoints. Fewer: less to repeat after a crash.");
  t.whole("store.checkpoint_rows", o.checkpoint_rows, 1000, 1'000'000'000, "rows",
          "A checkpoint also begins when this many rows have changed.");
  t.span<std::chrono::milliseconds>("status.milliseconds", o.status_every, 100, 3'600'000,
                                    "milliseconds",
                                    "Between two rewrites of status.json and metrics.prom.");
  t.span<std::chrono::seconds>("status.line_seconds", o.report_every, 0, 86'400, "seconds",
                               "Between two status lines on standard error; 0: none.");
  t.choice("status.log_level", o.log_level,
           {{LogLevel::kDebug, "debug"},
            {LogLevel::kInfo, "info"},
            {LogLevel::kWarn, "warn"},
            {LogLevel::kError, "error"}},
           "What is logged on standard error, at least.");
}

}  // namespace

std::string yaml_text(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
  if (!text.empty() && text.front() != '-' && text != "null" &&
      text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::vector<Setting> settings(Options& options) {
  Table table;
  general(table, options);
  edges(table, options);
  taste(table, options);
  filters(table, options);
  lists(table, options);
  seats(table, options);
  upkeep(table, options);
  return std::move(table.rows);
}

}  // namespace headroom
