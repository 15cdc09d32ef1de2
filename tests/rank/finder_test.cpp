#include "headroom/rank/finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "headroom/base/random.hpp"
#include "headroom/rank/allot.hpp"
#include "support/best_by_sorting.hpp"
#include "support/catch.hpp"

namespace headroom {
namespace {

UserIx user(std::size_t i) { return UserIx{static_cast<std::uint32_t>(i)}; }
ItemIx item(std::size_t j) { return ItemIx{static_cast<std::uint32_t>(j)}; }

// A town in which lists are made in runs, and everything that may happen between two lists of a run
// happens: rooms are taken and freed, time passes, items open and close, people turn out to listen
// more or less than was thought.
class Town {
 public:
  Town(std::uint64_t seed, Workers& workers)
      : draws_(seed, Purpose::kWorld, 0),
        rules_(random_rules()),
        ledger_(ledger_options(), watch_),
        learner_(learner_options(), watch_),
        finder_(learner_, workers) {
    for (std::size_t i = 0; i < kUsers; ++i) learner_.add(user(i));
    offered_.assign(items_, 1);
    for (std::size_t j = 0; j < items_; ++j) add_item(j);
    for (std::uint64_t n = 0; n < 3 * kUsers; ++n) {
      learner_.like(user(draws_.below(kUsers - 2)), item(below(items_)), 1.0F, 1.0F, n);
    }
    for (int n = 0; n < 300; ++n) {  // items with factors of all sizes
      const std::size_t j = below(std::min<std::size_t>(items_, 20));
      const HeldPlace place{item(j), 0.0F, j % 3 == 0 ? 2.0F : 0.1F};
      const OutputId id{0, 1, 0, ++ids_};
      const UserIx who = user(below(kUsers));
      ledger_.replace(who, ledger_.now());
      ledger_.show(who, id, 1, std::span(&place, 1), ledger_.now());
      if (chance(0.8)) ledger_.follow(who, id, place.item, {}, ledger_.now());
    }
    ledger_.advance(ledger_.now() + std::chrono::hours(5));  // all of it is over
    solve();
  }

  void run() {
    if (chance(0.2)) solve();
    std::vector<Asking> askings;
    for (std::size_t left = 1 + below(40); left > 0; --left) askings.push_back(asking());
    learner_.line_up();
    renew();
    finder_.look(terms(), askings, frozen_);
    for (std::size_t at = 0; at < askings.size(); ++at) {
      disturb(askings[at]);
      renew();
      list(askings[at], at);
    }
  }

  int lists = 0, short_lists = 0, places = 0;

 private:
  static constexpr std::size_t kUsers = 40;

  std::size_t below(std::size_t n) { return draws_.below(static_cast<std::uint32_t>(n)); }
  bool chance(double p) { return draws_.uniform() < p; }

  AllotRules random_rules() {
    items_ = 1 + below(chance(0.3) ? 600 : 80);
    crowded_ = chance(0.5);
    const float steepness[] = {0.0F, 0.5F, 5.0F};
    const auto policy = chance(0.5) ? Policy::kPrice : static_cast<Policy>(below(4));
    return {policy, chance(0.5) ? Holding::kChoice : Holding::kWhole, steepness[below(3)]};
  }
  LedgerOptions ledger_options() {
    LedgerOptions options;
    options.rule = chance(0.5) ? RoomRule::kNow : RoomRule::kAhead;
    return options;
  }
  LearnerOptions learner_options() {
    LearnerOptions options;
    options.rank = 1 + static_cast<unsigned>(below(20));
    options.bias = chance(0.7);
    options.start_deviation = chance(0.2) ? 0.0F : 0.3F;  // 0: many are equal
    return options;
  }
  void add_item(std::size_t j) {
    learner_.add(item(j));
    if (chance(0.5)) learner_.place(item(j), Position{1.3, 103.8 + 0.01 * draws_.uniform()});
    std::optional<Capacity> capacity;
    const double most = crowded_ ? 3.0 : 20.0;
    if (chance(0.8)) capacity = Capacity{CapacityKind::kSeats, most * draws_.uniform(), {}};
    ledger_.set_item(item(j), capacity, {});
    cutoffs_.push_back(static_cast<float>(draws_.uniform()) - 0.5F);
    if (chance(0.1)) offered_[j] = 0;
  }
  void solve() {
    prices_.clear();
    frozen_.clear();
    for (std::size_t j = 0; j < items_ && chance(0.999); ++j) {  // sometimes not of all items
      prices_.push_back(chance(0.4) ? 0.2F * static_cast<float>(draws_.uniform()) : 0.0F);
      frozen_.push_back(chance(0.4) ? 0.2F * static_cast<float>(draws_.uniform()) : 0.0F);
    }
    ++solved_;
  }

  Asking asking() {
    Asking asking;
    asking.user = chance(0.05) ? kNobody : user(below(kUsers));
    asking.n = below(chance(0.1) ? 100 : 12);
    asking.seats = static_cast<float>(draws_.uniform()) * static_cast<float>(1 + below(3));
    asking.may_hold = asking.user != kNobody;
    asking.certified = chance(0.7);
    if (chance(0.3)) {
      std::vector<ItemIx> some;
      for (int n = 0; n < 9; ++n) some.push_back(item(below(items_)));
      asking.filter.ignore(some);
    }
    return asking;
  }

  void disturb(Asking& asking) {
    if (chance(0.3)) ledger_.advance(ledger_.now() + std::chrono::minutes(below(8)));
    if (chance(0.02)) {
      const std::size_t j = below(items_);
      offered_[j] = offered_[j] == 0 ? 1 : 0;
      changed_.push_back(static_cast<std::uint32_t>(j));
    }
    if (chance(0.3)) asking.seats *= 0.8F + 0.6F * static_cast<float>(draws_.uniform());
    for (int n = 0; n < 3 && chance(0.3); ++n) ledger_.replace(user(below(kUsers)), ledger_.now());
    if (asking.may_hold) ledger_.replace(asking.user, ledger_.now());
  }

  Terms terms() const {
    return {{offered_, ledger_, calibration_, choice_, prices_, cutoffs_}, rules_};
  }
  void renew() {
    finder_.renew(terms(), solved_, ledger_.take_changed());
    finder_.renew(terms(), solved_, changed_);
    changed_.clear();
  }

  void list(const Asking& asking, std::size_t at) {
    const Terms terms = this->terms();
    std::vector<float> scores;
    for (std::size_t j = 0; j < items_; ++j) scores.push_back(learner_.score(asking.user, item(j)));
    const Choice found = allot(asking, terms, [&](std::size_t most, float share) {
      return finder_.best(terms, at, asking, most, share);
    });
    const Choice expected = allot(asking, terms, [&](std::size_t most, float share) {
      return test::best_by_sorting(asking, terms, scores, most, share);
    });
    REQUIRE(found.picks.size() == expected.picks.size());
    for (std::size_t n = 0; n < found.picks.size(); ++n) {
      const Pick &a = found.picks[n], &b = expected.picks[n];
      CHECK((a.item == b.item && a.score == b.score && a.chance == b.chance && a.price == b.price &&
             a.room == b.room && a.expected == b.expected && a.held == b.held));
    }
    CHECK(found.offered == expected.offered);
    CHECK(found.full == expected.full);
    if (asking.certified) check_worth(asking, at, scores);
    ++lists;
    short_lists += found.picks.size() < asking.n ? 1 : 0;
    places += static_cast<int>(found.picks.size());
    if (asking.may_hold) show(asking.user, found);
  }

  void check_worth(const Asking& asking, std::size_t at, const std::vector<float>& scores) const {
    std::vector<float> free, priced;
    for (std::size_t j = 0; j < items_; ++j) {
      if (offered_[j] == 0 || !asking.filter.allows(item(j))) continue;
      free.push_back(calibration_.chance(scores[j]));
      priced.push_back(free.back() - (j < frozen_.size() ? frozen_[j] : 0.0F));
    }
    const auto sum_of = [&](std::vector<float>& values) {
      std::sort(values.rbegin(), values.rend());
      double sum = 0.0;
      for (std::size_t n = 0; n < std::min(asking.n, values.size()); ++n) {
        sum += std::max(0.0, static_cast<double>(values[n]));
      }
      return sum;
    };
    const Finder::Worth worth = finder_.most_worth(terms(), at, asking);
    CHECK(worth.free == sum_of(free));
    CHECK(worth.priced == sum_of(priced));
  }

  void show(UserIx who, const Choice& choice) {
    std::vector<HeldPlace> held;
    for (const Pick& pick : choice.picks) held.push_back({pick.item, pick.held, pick.expected});
    ledger_.show(who, {0, 1, 1, ++ids_}, 1, held, ledger_.now());
  }

  Draws draws_;
  std::size_t items_ = 0;
  bool crowded_ = false;
  AllotRules rules_;
  RowWatch watch_;
  Ledger ledger_;
  Learner learner_;
  Calibration calibration_;
  ChoiceModel choice_;
  std::vector<std::uint8_t> offered_;
  std::vector<float> prices_, frozen_, cutoffs_;
  std::vector<std::uint32_t> changed_;
  std::uint64_t solved_ = 0;
  std::uint32_t ids_ = 0;
  Finder finder_;
};

TEST_CASE("finder: lists of a run are those of sorting all items for each, bit for bit") {
  Workers one(1), three(3);
  int lists = 0, short_lists = 0, places = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    Town town(seed, seed % 2 == 0 ? one : three);
    for (int run = 0; run < 6; ++run) town.run();
    lists += town.lists;
    short_lists += town.short_lists;
    places += town.places;
  }
  CHECK(lists > 10'000);
  CHECK(short_lists > lists / 20);
  CHECK(places > 3 * lists);
}

}  // namespace
}  // namespace headroom
