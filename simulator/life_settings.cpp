#include "simulator/life_settings.hpp"

#include <charconv>

#include "headroom/base/error.hpp"
#include "simulator/fields.hpp"

namespace headroom::sim {
namespace {

std::string in_digits(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

[[noreturn]] void refuse(const std::string& kind, const std::string& text) {
  throw Error("a " + kind + " is wanted, not '" + text + "'");
}

Setting number(const char* key, double& at, double low, double high, const char* words) {
  const std::string kind = "number from " + in_digits(low) + " to " + in_digits(high);
  return {key, words, kind,
          [&at, low, high, kind](const std::string& text) {
            const auto value = parse_number(text);
            if (!value || *value < low || *value > high) refuse(kind, text);
            at = *value;
          },
          [&at] { return in_digits(at); }};
}

Setting whole(const char* key, std::size_t& at, std::size_t low, std::size_t high,
              const char* words) {
  const std::string kind =
      "whole number from " + std::to_string(low) + " to " + std::to_string(high);
  return {key, words, kind,
          [&at, low, high, kind](const std::string& text) {
            std::size_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data(), end, value);
            if (error != std::errc{} || rest != end || value < low || value > high) {
              refuse(kind, text);
            }
            at = value;
          },
          [&at] { return std::to_string(at); }};
}

}  // namespace

std::vector<Setting> life_settings(LifeOptions& o) {
  return {
      whole("city", o.city, 0, 1'000'000'000,
            "its number; each seed is other people's days in it, and with 0 another city"),
      whole("users", o.users, 2, 100'000, "people of the city"),
      whole("items", o.items, 20, 5'000, "places of the city"),
      whole("history_days", o.history_days, 0, 365, "days of check-ins before anybody asks"),
      whole("days", o.days, 1, 100, "days on which people ask for lists"),
      whole("warm_days", o.warm_days, 0, 99, "of these, not measured"),
      whole("from_hour", o.from_hour, 0, 23, "of the first day: people go out from then on"),
      whole("to_hour", o.to_hour, 1, 24, "of the last day: all ends then"),
      whole("warm_hours", o.warm_hours, 0, 23, "after warm_days, not measured either"),
      number("visits", o.visits, 0.001, 5, "times that a person goes out on a usual day"),
      number("habit", o.habit, 0, 1, "share of own choices that are of one's regular places"),
      number("rush", o.rush, 0, 1, "share of all people who go out at the rush hour of a day"),
      number("rush_hour", o.rush_hour, 0, 23.99, "when that is, in hours"),
      number("rush_minutes", o.rush_minutes, 1, 600, "how far around it, one standard deviation"),
      number("undecided", o.undecided, 0, 1,
             "share of those who stay at home unless a list leads them; all of them ask"),
      number("overload", o.overload, 0.001, 0.99,
             "of those whom lists by true taste and without capacities send, the share that would "
             "find no seat; seats are made so few"),
      number("asks", o.asks, 0, 1, "share of those who go out that ask for a list"),
      {"listening", "how the chance to follow a list changes",
       "constant | hour | drift | jump | experience | groups",
       [&o](const std::string& text) { o.listening = parse_truth(text); },
       [&o] { return std::string(to_string(o.listening)); }},
      whole("places", o.places, 1, 100, "of a list"),
      number("rank_weight", o.rank_weight, 0, 10,
             "a place's log weight is taste - this x log rank"),
      number("answer_minutes", o.answer_minutes, 0.1, 30, "until somebody decides, on average"),
      number("way_from", o.way_from, 0, 50, "minutes of the shortest way"),
      number("way_to", o.way_to, 0, 50, "minutes of the longest way"),
      number("no_show", o.no_show, 0, 1, "share of those who set out that never arrive"),
      number("queues", o.queues, 0, 1, "share of those who meet a full place that wait"),
      number("patience_minutes", o.patience_minutes, 0.1, 600, "how long they do, on average"),
      number("checkouts", o.checkouts, 0, 1, "share of visits that end with a check-out"),
      number("ignores", o.ignores, 0, 1, "share of lists not followed of which that is told"),
      number("late", o.late, 0, 1, "share of feedback that comes late"),
      number("late_minutes", o.late_minutes, 0, 600, "by how much, on average"),
      number("twice", o.twice, 0, 1, "share of feedback that comes twice"),
      number("lost", o.lost, 0, 1, "share of feedback that never comes"),
      number("wrong", o.wrong, 0, 1, "share of feedback that follows another place than was"),
  };
}

}  // namespace headroom::sim
