#pragma once

#include <random>
#include <string>
#include <vector>

#include "headroom/base/event.hpp"
#include "headroom/base/list.hpp"

namespace headroom {

// Valid events, lists and dead letters at random, with much that is at its bounds. The same seed
// gives the same ones.
class RandomEvents {
 public:
  explicit RandomEvents(std::uint64_t seed) : random_(seed) {}

  Event event() {
    Event event{time(), id(), {}};
    switch (below(7)) {
      case 0:
        event.what = CheckIn{id(), id(), value(), party()};
        break;
      case 1:
        event.what = CheckOut{id(), id()};
        break;
      case 2:
        event.what = feedback();
        break;
      case 3:
        event.what = Impression{id(), id()};
        break;
      case 4:
        event.what = Request{id(), static_cast<std::uint16_t>(from_to(1, 1000)),
                             party().value_or(Party{1}), position()};
        break;
      case 5:
        event.what = Forget{id()};
        break;
      default:
        event.what = item();
    }
    return event;
  }

  RankedList list() {
    RankedList list;
    list.id = output_id();
    if (coin()) list.replaces = output_id();
    list.at = time();
    list.user = id();
    list.listen_propensity = share();
    list.valid_until = time();
    list.policy = coin() ? "price" : "greedy";
    if (coin()) list.reason = text(60);
    for (int i = from_to(0, 12); i > 0; --i) {
      list.items.push_back({id(), any_float(), any_float(), share(), std::abs(any_float())});
      if (coin()) list.items.back().room = any_float();
    }
    return list;
  }

  DeadLetter letter() {
    const Place place{coin() ? Topic::kItems : Topic::kEvents,
                      static_cast<std::uint32_t>(random_()), random_() >> 1};
    const auto kind = static_cast<RejectKind>(below(static_cast<int>(RejectKind::kCount)));
    std::string bytes;
    for (int i = from_to(0, 100); i > 0; --i) bytes += static_cast<char>(below(256));
    return {output_id(), time(), {place, {kind, text(60)}, bytes}};
  }

  int below(int bound) { return from_to(0, bound - 1); }
  int from_to(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }

 private:
  bool coin() { return below(2) == 0; }
  float share() { return std::uniform_real_distribution<float>(0.0F, 1.0F)(random_); }
  float value() { return coin() ? 1.0F : share() * 2 - 1; }
  float any_float() { return std::ldexp(share() - 0.5F, from_to(-120, 120)); }

  Time time() {
    return Time{std::chrono::milliseconds{
        std::uniform_int_distribution<std::int64_t>(0, 253'402'300'799'999)(random_)}};
  }

  OutputId output_id() {
    return {static_cast<std::uint32_t>(random_()), static_cast<std::uint32_t>(below(10)), random_(),
            static_cast<std::uint32_t>(below(1000))};
  }

  std::string text(std::size_t most_bytes) {
    static const std::vector<std::string> kPieces = {"a",  "Z", "7", "\"",   "\\", "/",   "é",
                                                     "日", "😀", " ", "\x7F", "\n", "\x01"};
    std::string text;
    for (int i = from_to(0, static_cast<int>(most_bytes)); i > 0; --i) {
      const std::string& piece = kPieces[static_cast<std::size_t>(below(13))];
      if (text.size() + piece.size() <= most_bytes) text += piece;
    }
    return text;
  }

  std::string id() {
    std::string id = coin() ? text(12) : text(256);
    std::erase_if(id, [](char c) { return c == '\n' || c == '\x01' || c == '\x7F'; });
    return id.empty() ? "u" : id;
  }

  std::optional<Party> party() {
    return coin() ? std::nullopt : std::optional(static_cast<Party>(from_to(1, kMaxParty)));
  }

  std::optional<Position> position() {
    if (coin()) return std::nullopt;
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    return Position{unit(random_) * 90, unit(random_) * 180};
  }

  Feedback feedback() {
    Feedback feedback{id(), id(), id(), FeedbackOutcome::kFollow, party()};
    if (coin()) feedback.outcome = FeedbackOutcome::kIgnore;
    if (feedback.outcome == FeedbackOutcome::kIgnore && coin()) feedback.item.reset();
    return feedback;
  }

  ItemUpdate item() {
    using std::chrono::minutes;
    ItemUpdate item{id(), text(1024), position(), {}, {}, {}, {}, coin(), coin(), coin()};
    if (coin()) {
      const auto kind = static_cast<CapacityKind>(below(3));
      item.capacity = Capacity{kind, std::uniform_real_distribution<double>(0, 1e9)(random_),
                               minutes{kind == CapacityKind::kRate ? from_to(1, 10'080) : 0}};
    }
    if (coin()) item.dwell = minutes{from_to(1, 10'080)};
    for (int i = coin() ? 0 : from_to(0, 64); i > 0; --i) {
      item.hours.push_back({static_cast<std::uint8_t>(from_to(1, 127)), minutes{below(1440)},
                            minutes{from_to(0, 1440)}});
    }
    if (coin()) item.time_zone = "America/Port-au-Prince";
    return item;
  }

  std::mt19937_64 random_;
};

}  // namespace headroom
