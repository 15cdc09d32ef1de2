#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "headroom/base/event.hpp"
#include "headroom/base/list.hpp"
#include "support/setting.hpp"

namespace headroom::test {

// One thing that happens to the ledger; which fields count depends on `what`.
struct Operation {
  enum What {
    kAdvance,
    kSet,
    kRemove,
    kShow,
    kReplace,
    kFollow,
    kIgnore,
    kSeen,
    kArrive,
    kLeave,
    kForget
  };
  What what = kAdvance;
  Time at;
  int user = 0;
  std::optional<int> item;
  std::optional<Party> party;
  OutputId list;
  std::optional<Capacity> capacity;
  std::optional<std::chrono::minutes> dwell;
  std::vector<std::pair<int, double>>
      wishes;  // items with the wanted share of a seat; -1: all room
  bool exposed = true;
};

// Draws a crowded history: many users, few items, small capacities, everything that feedback can do
// wrong. What comes next depends on nothing but the seed.
class History {
 public:
  static constexpr int kUsers = 60, kItems = 9;

  explicit History(std::uint64_t seed) : random_(seed), lists_(kUsers) {}

  Operation next() {
    Operation op;
    op.at = chance(0.2) ? now_ - minutes(one_of({0, 1, 10, 40, 90, 200})) : now_;
    if (chance(0.02)) op.at = now_ + minutes(3);  // a clock that is fast
    op.user = chance(0.05) ? 0 : below(kUsers);
    op.item = below(kItems);
    if (chance(0.3)) op.party = static_cast<Party>(1 + below(chance(0.1) ? 100 : 4));
    op.list = some_list(op.user);
    const int draw = below(1000);
    if (draw < 180) return advance(op);
    if (draw < 420) return show(op);
    if (draw < 430) return with(op, Operation::kReplace);
    if (draw < 560) return with(op, Operation::kFollow);
    if (draw < 640) return ignore(op);
    if (draw < 660) return with(op, Operation::kSeen);
    if (draw < 860) return with(op, Operation::kArrive);
    if (draw < 940) return with(op, Operation::kLeave);
    if (draw < 955) return with(op, Operation::kForget);
    if (draw < 958) return with(op, Operation::kRemove);
    return set(op);
  }

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1p-53 < p; }

 private:
  using minutes = std::chrono::minutes;

  int one_of(std::initializer_list<int> values) {
    return *(values.begin() + below(static_cast<int>(values.size())));
  }
  static Operation with(Operation op, Operation::What what) {
    op.what = what;
    return op;
  }
  OutputId some_list(int user) {
    const auto& own = lists_[chance(0.03) ? below(kUsers) : user];
    if (own.empty() || chance(0.03)) return OutputId{.batch = 1, .k = 7};
    const int back = chance(0.6) ? 1 : 1 + below(static_cast<int>(own.size()));
    return own[own.size() - static_cast<std::size_t>(back)];
  }
  Operation advance(Operation op) {
    // Whole minutes and parts of them: deadlines meet, and are just missed.
    now_ += chance(0.5) ? std::chrono::milliseconds(below(3) * 60000)
                        : std::chrono::milliseconds(below(120000));
    if (chance(0.01)) now_ += minutes(below(300));
    op.at = now_;
    return with(op, Operation::kAdvance);
  }
  Operation show(Operation op) {
    if (chance(0.5)) op.user = 0;  // a kiosk
    op.list = {.instance = 0, .epoch = 1, .batch = ++batches_, .k = 0};
    auto& own = lists_[op.user];
    own.push_back(op.list);
    if (own.size() > 6) own.erase(own.begin());
    for (int item = 0; item < kItems; ++item) {
      if (!chance(0.5)) continue;
      op.wishes.emplace_back(item, chance(0.1) ? -1.0 : static_cast<double>(below(1000)) / 1000.0);
    }
    op.exposed = chance(0.8);
    return with(op, Operation::kShow);
  }
  Operation ignore(Operation op) {
    if (chance(0.6)) op.item.reset();
    return with(op, Operation::kIgnore);
  }
  Operation set(Operation op) {
    if (chance(0.85)) {
      Capacity& capacity = op.capacity.emplace();
      // Mostly the item's own kind, so that it lives long enough to matter.
      capacity.kind = static_cast<CapacityKind>(chance(0.9) ? *op.item % 3 : below(3));
      capacity.limit = chance(0.1) ? 0.0 : 1 + below(40) + (chance(0.2) ? 0.37 : 0.0);
      if (capacity.kind == CapacityKind::kStock) capacity.limit *= one_of({1, 4, 12});
      if (capacity.kind == CapacityKind::kRate) {
        capacity.per = minutes(chance(0.9) ? 15 * (1 + *op.item / 3) : one_of({1, 7, 60, 1440}));
      }
      if (chance(0.2)) capacity.rule = static_cast<RoomRule>(below(2));
      if (chance(0.3)) capacity.risk = one_of({1, 10, 50, 200, 500}) / 1000.0;
    }
    if (chance(0.5)) op.dwell = minutes(one_of({1, 20, 45, 300}));
    return with(op, Operation::kSet);
  }

  std::mt19937_64 random_;
  Time now_{std::chrono::hours(500000)};
  std::uint32_t batches_ = 0;
  std::vector<std::vector<OutputId>> lists_;
};

}  // namespace headroom::test
