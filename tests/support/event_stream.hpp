#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "headroom/engine/engine.hpp"
#include "support/arrivals.hpp"
#include "support/numbered.hpp"

namespace headroom::test {

// A crowded town as a stream of batches: few items, small capacities that change, and all that can
// go wrong with events. What comes next depends on the seed and on the lists that were seen, for
// people answer them.
class EventStream {
 public:
  struct Shape {
    int users = 50;
    int items = 12;
    int most_in_batch = 60;
    double limited = 0.85;  // of the images
    double removed = 0.03;
    double hours = 0.0;                                         // images with opening hours
    double placed = 0.0;                                        // requests that say from where
    std::chrono::milliseconds pace = std::chrono::seconds(20);  // between two events, on average
  };

  EventStream(std::uint64_t seed, const Shape& shape)
      : shape_(shape), random_(seed), lists_(number(shape.users)), stocks_(number(shape.items)) {}

  // In the order of the step, and numbered; the time of a batch is the clock's affair.
  Batch next() {
    Batch batch;
    batch.number = ++batches_;
    if (batches_ == 1) {
      for (int j = 0; j < shape_.items; ++j) put(batch, now_, update(j, false));
    }
    for (int left = below(shape_.most_in_batch + 1); left > 0; --left) {
      pass_time();
      Time at = now_;
      if (chance(0.15)) at -= std::chrono::minutes(one_of({0, 1, 10, 40, 90, 200, 2000}));
      if (chance(0.02)) at += std::chrono::minutes(3);  // a clock that is fast
      if (chance(0.003)) at += std::chrono::days(one_of({-9, -300, 8, 400, 27000}));
      put_some(batch, at);
    }
    put_in_order(batch);
    return batch;
  }

  void saw(const Outcome& outcome) {
    for (const RankedList& list : outcome.lists) {
      auto& own = lists_[number(std::stoi(list.user.substr(1)))];
      own.push_back({to_text('r', list.id), {}});
      for (const ListedItem& place : list.items) own.back().items.push_back(place.item);
      if (own.size() > 5) own.erase(own.begin());
    }
  }

  Time now() const { return now_; }  // of the machine that reads the log
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return static_cast<double>(random_() >> 11U) * 0x1p-53 < p; }

 private:
  struct Seen {
    std::string id;
    std::vector<std::string> items;
  };

  static std::size_t number(int n) { return static_cast<std::size_t>(n); }
  int one_of(std::initializer_list<int> values) {
    return *(values.begin() + below(static_cast<int>(values.size())));
  }
  std::string user(int u) const { return numbered("u", u); }
  // Some are more popular.
  std::string some_item() {
    return numbered("i", std::min(below(shape_.items), below(shape_.items)));
  }
  std::optional<Party> some_party() {
    if (!chance(0.3)) return std::nullopt;
    return static_cast<Party>(1 + below(chance(0.05) ? 100 : 4));
  }

  std::optional<Position> some_position() {
    if (shape_.placed == 0.0 || !chance(shape_.placed)) return std::nullopt;
    return Position{1.3 + 0.002 * below(shape_.items), 103.8};
  }

  // Whole minutes and parts of them: deadlines meet, and are just missed.
  void pass_time() {
    const auto pace = static_cast<int>(shape_.pace.count());
    now_ += std::chrono::milliseconds(chance(0.3) ? (below(3 * 60000) < 3 * pace ? 60000 : 0)
                                                  : below(2 * pace));
    if (chance(0.0005)) now_ += std::chrono::minutes(below(400));
  }

  template <class What>
  void put(Batch& batch, Time at, What what, std::uint32_t partition = 0) {
    std::string id = numbered("e-", ++events_);
    if (chance(0.02)) id = numbered("e-", 1 + below(static_cast<int>(events_)));
    const Topic topic = std::is_same_v<What, ItemUpdate> ? Topic::kItems : Topic::kEvents;
    auto& offset = offsets_[static_cast<std::size_t>(topic) * 2 + partition];
    batch.arrivals.push_back(arrival(at, id, std::move(what), {topic, partition, offset++}));
  }

  void put_some(Batch& batch, Time at) {
    const int who = below(shape_.users);
    const std::string name = user(who);
    const auto partition = static_cast<std::uint32_t>(who % 2);
    const int draw = below(1000);
    if (draw < 350) {
      const auto n = static_cast<std::uint16_t>(1 + below(shape_.items));
      const int times = chance(0.002) ? 80 : 1;  // a client that polls
      for (int k = 0; k < times; ++k) {
        put(batch, at, Request{name, n, some_party().value_or(Party{1}), some_position()},
            partition);
      }
    } else if (draw < 600) {
      const float value = chance(0.9) ? 1.0F : static_cast<float>(below(201) - 100) / 100.0F;
      put(batch, at, CheckIn{name, likely_item(who), value, some_party()}, partition);
    } else if (draw < 700) {
      put(batch, at, CheckOut{name, some_item()}, partition);
    } else if (draw < 900) {
      put(batch, at, feedback(who), partition);
    } else if (draw < 920) {
      put(batch, at, Impression{name, some_list(who).id}, partition);
    } else if (draw < 930) {
      put(batch, at, Forget{name}, partition);
    } else {
      put(batch, at, update(below(shape_.items), true), partition);
    }
  }

  Seen some_list(int who) {
    const auto& own = lists_[number(chance(0.03) ? below(shape_.users) : who)];
    if (own.empty() || chance(0.03)) return {chance(0.5) ? "r-0-1-1-7777" : "a banner", {}};
    const auto back = chance(0.7) ? 1 : 1 + below(static_cast<int>(own.size()));
    return own[own.size() - number(back)];
  }
  std::string item_on(const Seen& list) {
    if (list.items.empty() || chance(0.1)) return some_item();
    return list.items[number(below(static_cast<int>(list.items.size())))];
  }
  std::string likely_item(int who) { return chance(0.6) ? item_on(some_list(who)) : some_item(); }

  Feedback feedback(int who) {
    const Seen list = some_list(who);
    if (chance(0.5)) {
      return {user(who), list.id, item_on(list), FeedbackOutcome::kFollow, some_party()};
    }
    std::optional<std::string> item;
    if (chance(0.4)) item = item_on(list);
    return {user(who), list.id, item, FeedbackOutcome::kIgnore, {}};
  }

  ItemUpdate update(int j, bool may_close) {
    ItemUpdate image;
    image.item = numbered("i", j);
    if (may_close) {
      image.closed = chance(0.05);
      image.hidden = chance(0.03);
      image.removed = chance(shape_.removed);
    }
    if (chance(0.7)) image.position = Position{1.3 + 0.002 * j, 103.8 + 0.001 * below(3)};
    if (chance(shape_.limited)) {
      Capacity& capacity = image.capacity.emplace();
      // Mostly the item's own kind, so that it lives long enough to matter.
      capacity.kind = static_cast<CapacityKind>(chance(0.9) ? j % 3 : below(3));
      capacity.limit = 1 + below(40) + (chance(0.2) ? 0.37 : 0.0);
      if (capacity.kind == CapacityKind::kStock) {
        // Sold copies never come back: new ones come about as fast as they are sold.
        const int restock = 2 + 12 * (shape_.items - j) / shape_.items;
        capacity.limit = stocks_[number(j)] += below(restock);
      }
      if (capacity.kind == CapacityKind::kRate) {
        capacity.per = std::chrono::minutes(chance(0.9) ? 15 * (1 + j / 3) : one_of({7, 60, 1440}));
      }
      if (chance(0.1)) capacity.limit = 0.0;
    }
    if (shape_.hours > 0.0 && chance(shape_.hours)) {
      image.hours = {{static_cast<std::uint8_t>(1 + below(127)), std::chrono::minutes(below(1440)),
                      std::chrono::minutes(below(1441))}};
      if (chance(0.5)) image.time_zone = chance(0.9) ? "America/New_York" : "Nowhere/At_All";
    }
    if (chance(0.5)) image.dwell = std::chrono::minutes(one_of({1, 20, 45, 300}));
    return image;
  }

  Shape shape_;
  std::mt19937_64 random_;
  Time now_{std::chrono::hours(500000)};
  std::uint64_t batches_ = 0, events_ = 0;
  std::array<std::uint64_t, 4> offsets_{};
  std::vector<std::vector<Seen>> lists_;
  std::vector<double> stocks_;
};

}  // namespace headroom::test
