#include "headroom/app/status.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <vector>

#include "headroom/base/error.hpp"
#include "headroom/wire/timestamp.hpp"

namespace headroom {

namespace {

struct Figure {
  std::string_view name;
  std::uint64_t value;
  bool counter;  // only grows
  std::string_view words;
};

// Everything that is one number, for both files.
std::vector<Figure> figures(const Status& s) {
  const auto rate = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
  const Counters& c = s.counters;
  const auto& made = s.refreshes.made;
  return {
      {"batch", s.batch, true, "Number of the last batch"},
      {"checkpoint_batch", s.checkpoint, true, "Batch of the last checkpoint on disk"},
      {"events_total", c.events, true, "Records taken, item records among them"},
      {"duplicates_total", c.duplicates, true, "Records dropped because their id came before"},
      {"learned_total", c.learned, true, "Outcomes that taste was learned from"},
      {"lists_total", c.lists, true, "Lists made"},
      {"empty_lists_total", c.empty_lists, true, "Lists without any item"},
      {"unknown_feedback_total", c.unknown_feedback, true,
       "Feedback for a list never made or no longer known"},
      {"evicted_users_total", c.evicted_users, true, "Users that left at the limit"},
      {"evicted_items_total", c.evicted_items, true, "Items that left at the limit"},
      {"rejected_steps_total", s.rejected_steps, true, "Learning steps that were not finite"},
      {"usage_refreshes_total", s.usage_refreshes, true, "Times that expected usage was computed"},
      {"refreshes_total", std::accumulate(made.begin(), made.end(), std::uint64_t{0}), true,
       "Lists made that nobody asked for"},
      {"refreshes_dropped_total", s.refreshes.dropped, true,
       "Refreshes that waited until nobody needed them any more"},
      {"refreshes_waiting", s.refreshes_waiting, false, "Users who wait for a fresh list"},
      {"price_solves_total", s.price_solves, true, "Times that prices were solved"},
      {"failed_price_solves_total", s.failed_price_solves, true,
       "Solves that did not converge: the prices before them stayed"},
      {"users", s.users, false, "Users known"},
      {"items", s.items, false, "Items known"},
      s.lag_in_records ? Figure{"lag_records", s.lag, false, "Records of the log not taken yet"}
                       : Figure{"lag_bytes", s.lag, false, "Bytes of the log not taken yet"},
      {"events_per_second", rate(s.events_per_second), false, "Since the last status"},
      {"lists_per_second", rate(s.lists_per_second), false, "Since the last status"},
      {"resident_bytes", s.resident_bytes, false, "Memory of the process"},
  };
}

struct Amount {
  std::string_view name;
  double value;
  std::string_view words;
};

// What is no whole number.
std::vector<Amount> amounts(const Status& s) {
  const Certificate certificate = s.certificate.value_or(Certificate{});
  return {
      {"longest_pause_seconds", std::chrono::duration<double>(s.longest_pause).count(),
       "The longest that a checkpoint kept the stream waiting, since the start"},
      {"usage_error_ratio", s.usage_error,
       "Relative error of expected usage as audited, 0 where it is exact"},
      {"usage_scale_ratio", s.usage_kappa,
       "People measured for each that taste and listening alone would expect"},
      {"certified_value", certificate.value,
       "People that the last window's lists are expected to help"},
      {"certified_bound", certificate.bound,
       "The most that any lists within the capacities could have helped, as its prices show"},
      {"certified_bound_deviation", certificate.deviation,
       "Of that bound where it is an estimate, 0 where it is exact"},
      {"certified_gap_ratio", certificate.gap(), "What is missing to the bound, over the bound"},
  };
}

constexpr auto kRejects = static_cast<std::size_t>(RejectKind::kCount);

std::uint64_t all_rejects(const Counters& counters) {
  std::uint64_t all = 0;
  for (const auto count : counters.rejects) all += count;
  return all;
}

}  // namespace

std::string_view name(Phase phase) {
  constexpr std::array<std::string_view, 7> kNames = {
      "starting", "recovering", "ready", "stopping", "stopped", "failed", "waiting"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string status_json(const Status& status) {
  const auto text = [](const std::optional<Time>& at) -> nlohmann::ordered_json {
    if (!at) return nullptr;
    std::string out;
    append_timestamp(*at, out);
    return out;
  };
  nlohmann::ordered_json json;
  json["phase"] = name(status.phase);
  json["ready"] = status.phase == Phase::kReady;
  json["problem"] = nullptr;
  if (!status.problem.empty()) json["problem"] = status.problem;
  json["started"] = text(status.started);
  json["timestamp"] = text(status.at);
  json["now"] = text(status.now);
  for (const Figure& figure : figures(status)) json[figure.name] = figure.value;
  for (const Amount& amount : amounts(status)) json[amount.name] = amount.value;
  json["dead_letters_total"] = all_rejects(status.counters);
  for (std::size_t kind = 0; kind < kRejects; ++kind) {
    json["dead_letters"][name(static_cast<RejectKind>(kind))] = status.counters.rejects[kind];
  }
  // A problem may name a file that is no UTF-8.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string status_metrics(const Status& status) {
  std::string text;
  const auto head = [&](const std::string& metric, std::string_view words, bool counter) {
    text += "# HELP " + metric + " " + std::string(words) + ".\n# TYPE " + metric +
            (counter ? " counter\n" : " gauge\n");
  };
  for (const Figure& figure : figures(status)) {
    const std::string metric = "headroom_" + std::string(figure.name);
    // A batch number counts, but by its name it is no total.
    head(metric, figure.words, figure.counter && figure.name.ends_with("_total"));
    text += metric + " " + std::to_string(figure.value) + "\n";
  }
  for (const Amount& amount : amounts(status)) {
    const std::string metric = "headroom_" + std::string(amount.name);
    head(metric, amount.words, false);
    char value[40];
    std::snprintf(value, sizeof value, " %.6g\n", amount.value);
    text += metric + value;
  }
  head("headroom_ready", "1 while batches are taken", false);
  text += std::string("headroom_ready ") + (status.phase == Phase::kReady ? "1\n" : "0\n");
  head("headroom_dead_letters_total", "Records that were not taken, by kind", true);
  for (std::size_t kind = 0; kind < kRejects; ++kind) {
    text += "headroom_dead_letters_total{kind=\"" +
            std::string(name(static_cast<RejectKind>(kind))) + "\"} " +
            std::to_string(status.counters.rejects[kind]) + "\n";
  }
  return text;
}

std::string status_line(const Status& status) {
  char text[400];
  std::snprintf(text, sizeof text,
                "events/s=%.0f lists/s=%.0f lag=%llu dead_letters=%llu events=%llu lists=%llu "
                "users=%llu items=%llu batch=%llu checkpoint=%llu",
                status.events_per_second, status.lists_per_second,
                static_cast<unsigned long long>(status.lag),
                static_cast<unsigned long long>(all_rejects(status.counters)),
                static_cast<unsigned long long>(status.counters.events),
                static_cast<unsigned long long>(status.counters.lists),
                static_cast<unsigned long long>(status.users),
                static_cast<unsigned long long>(status.items),
                static_cast<unsigned long long>(status.batch),
                static_cast<unsigned long long>(status.checkpoint));
  return text;
}

void rewrite(const std::filesystem::path& file, const std::string& text) {
  const auto fresh = std::filesystem::path(file.string() + ".new");
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out << text;
  std::error_code problem;
  if (out.flush()) std::filesystem::rename(fresh, file, problem);
  if (!out || problem) throw Error(file.string() + ": cannot be written");
}

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace headroom
