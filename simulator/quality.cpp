#include "simulator/quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "headroom/base/random.hpp"
#include "simulator/event_stream.hpp"
#include "simulator/pair_key.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kTop = 10, kBeside = 9;
// Scores of a batch: to wake a crew takes longer than to make fewer.
constexpr std::size_t kWorthACrew = std::size_t{1} << 18U;
constexpr std::uint32_t kFirstEarly = 2, kLastEarly = 5;

struct Mean {
  double sum = 0.0;
  std::size_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const {
    return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
  }
};

struct Means {
  Mean auc, hr10;
  Judged value() const { return {auc.value(), hr10.value()}; }
};

// An event that is judged, and what is known of it before anything is scored.
struct Case {
  UserIx user;
  ItemIx item;
  // Drawn from what the user has not had, the first one for the pair. None: the user has had every
  // other item.
  std::array<ItemIx, kBeside> others;
  bool has_others;
  std::uint32_t number;  // of the user's events, from 1
  std::uint32_t past;    // items that the user has had before
  bool revisit;
};

struct Verdict {
  double won = 0.0;
  double hit = 0.0;
  std::array<float, 1 + kBeside> chances{};  // of the item, then of those drawn
};

// What every user has had so far, in order.
class Pasts {
 public:
  Pasts(std::size_t users, std::size_t items) : items_(items), events_(users), past_(users) {}

  // The event as a case; from here on it is in the past.
  Case open(const Interaction& event, Draws draws) {
    std::vector<ItemIx>& past = past_[index(event.user)];
    Case out{event.user,
             event.item,
             {},
             false,
             ++events_[index(event.user)],
             static_cast<std::uint32_t>(past.size()),
             has(event.user, event.item)};
    out.has_others = past.size() + (out.revisit ? 0 : 1) < items_;
    if (out.has_others) {
      for (ItemIx& other : out.others) other = draw_unseen(event, draws);
    }
    if (!out.revisit) {
      pairs_.insert(pair_key(event.user, event.item));
      past.push_back(event.item);
    }
    return out;
  }
  std::span<const ItemIx> before(const Case& one) const {
    return std::span(past_[index(one.user)]).first(one.past);
  }

 private:
  bool has(UserIx user, ItemIx item) const { return pairs_.contains(pair_key(user, item)); }
  ItemIx draw_unseen(const Interaction& event, Draws& draws) const {
    while (true) {
      const ItemIx item{draws.below(static_cast<std::uint32_t>(items_))};
      if (item != event.item && !has(event.user, item)) return item;
    }
  }

  std::size_t items_;
  std::vector<std::uint32_t> events_;  // by user
  std::vector<std::vector<ItemIx>> past_;
  std::unordered_set<std::uint64_t> pairs_;
};

Verdict judge_one(const Case& one, const Contender& contender, std::span<const ItemIx> past,
                  std::size_t catalogue, bool hits) {
  Verdict out;
  if (one.has_others) {
    const float mine = contender.score(one.user, one.item);
    out.won = pair_won(mine, contender.score(one.user, one.others[0]));
    out.chances[0] = contender.chance(mine);
    for (std::size_t n = 0; n < kBeside && !std::isnan(out.chances[0]); ++n) {
      out.chances[n + 1] = contender.chance(contender.score(one.user, one.others[n]));
    }
  }
  if (hits) {
    thread_local std::vector<float> scores;
    scores.resize(catalogue);
    contender.score_all(one.user, scores);
    const auto left_out = one.revisit ? std::span<const ItemIx>() : past;
    out.hit = hit_chance(scores, one.item, left_out, kTop);
  }
  return out;
}

// The figures so far.
class Tally {
 public:
  Tally(std::size_t contenders, std::size_t events, bool hits)
      : half_(events / 2), hits_(hits), of_(contenders) {}

  // In the order of the stream, the verdicts by contender.
  void add(const Case& one, std::span<const Verdict> verdicts) {
    const bool early = one.number >= kFirstEarly && one.number <= kLastEarly;
    for (std::size_t k = 0; k < of_.size(); ++k) {
      add(of_[k].all, one, verdicts[k]);
      if (events_ >= half_) {
        add(of_[k].second_half, one, verdicts[k]);
        claim(of_[k].claims, one, verdicts[k]);
      }
      if (early) add(of_[k].early, one, verdicts[k]);
    }
    ++events_;
    early_events_ += early ? 1 : 0;
    users_ += one.number == 1 ? 1 : 0;
  }
  Quality result() const {
    Quality out{events_, users_, early_events_, {}};
    for (const OfOne& one : of_) {
      out.of.push_back({one.all.value(), one.second_half.value(), one.early.value(),
                        calibration_error(one.claims)});
    }
    return out;
  }

 private:
  struct OfOne {
    Means all, second_half, early;
    std::vector<Claim> claims;
  };
  static void claim(std::vector<Claim>& claims, const Case& one, const Verdict& verdict) {
    if (!one.has_others || std::isnan(verdict.chances[0])) return;
    for (std::size_t n = 0; n < verdict.chances.size(); ++n) {
      claims.push_back({verdict.chances[n], n == 0});
    }
  }
  void add(Means& means, const Case& one, const Verdict& verdict) const {
    if (one.has_others) means.auc.add(verdict.won);
    if (hits_) means.hr10.add(verdict.hit);
  }

  std::size_t half_;
  bool hits_;
  std::size_t events_ = 0, users_ = 0, early_events_ = 0;
  std::vector<OfOne> of_;
};

}  // namespace

double calibration_error(std::vector<Claim> claims, std::size_t bins) {
  if (claims.size() < bins) return std::numeric_limits<double>::quiet_NaN();
  // Equal chances stand together with their outcomes in one order, whatever order they came in.
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return a.chance != b.chance ? a.chance < b.chance : a.true_one < b.true_one;
  });
  double total = 0.0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = bin * claims.size() / bins, end = (bin + 1) * claims.size() / bins;
    double miss = 0.0;
    for (std::size_t n = begin; n < end; ++n) {
      miss += static_cast<double>(claims[n].chance) - (claims[n].true_one ? 1.0 : 0.0);
    }
    total += std::fabs(miss);
  }
  return total / static_cast<double>(claims.size());
}

double pair_won(float positive, float negative) {
  if (positive == negative) return 0.5;
  return positive > negative ? 1.0 : 0.0;
}

double hit_chance(std::span<const float> scores, ItemIx item, std::span<const ItemIx> left_out,
                  std::size_t top) {
  const float mine = scores[index(item)];
  // As wide as what is compared, so that the compiler makes it a few registers.
  std::uint32_t above = 0, tied = 0;
  for (const float other : scores) {
    above += other > mine ? 1U : 0U;
    tied += other == mine ? 1U : 0U;
  }
  for (const ItemIx out : left_out) {
    above -= scores[index(out)] > mine ? 1U : 0U;
    tied -= scores[index(out)] == mine ? 1U : 0U;
  }
  if (above >= top) return 0.0;
  return std::min(1.0, static_cast<double>(top - above) / static_cast<double>(tied));
}

Quality judge(const Dataset& data, std::span<const Interaction> stream,
              std::span<Contender* const> contenders, const Protocol& protocol, Workers& workers,
              const JudgeProgress& progress) {
  Pasts pasts(data.users.size(), data.items.size());
  Tally tally(contenders.size(), stream.size(), protocol.hits);
  std::vector<Case> cases;
  std::vector<Verdict> verdicts;
  const std::size_t kinds = contenders.size();
  for (std::size_t done = 0; done < stream.size(); done += cases.size()) {
    const auto rest = stream.subspan(done);
    const auto batch = rest.first(next_batch(rest, protocol.batch_seconds));
    cases.clear();
    for (std::size_t n = 0; n < batch.size(); ++n) {
      cases.push_back(pasts.open(batch[n], Draws(protocol.seed, Purpose::kJudge, done + n)));
    }
    verdicts.resize(batch.size() * kinds);
    const auto judge_case = [&](std::size_t n) {
      for (std::size_t k = 0; k < kinds; ++k) {
        verdicts[n * kinds + k] = judge_one(cases[n], *contenders[k], pasts.before(cases[n]),
                                            data.items.size(), protocol.hits);
      }
    };
    if (batch.size() * data.items.size() < kWorthACrew) {
      for (std::size_t n = 0; n < batch.size(); ++n) judge_case(n);
    } else {
      workers.each(batch.size(), judge_case);
    }
    for (std::size_t n = 0; n < batch.size(); ++n) {
      tally.add(cases[n], std::span(verdicts).subspan(n * kinds, kinds));
    }
    for (Contender* contender : contenders) contender->learn(batch);
    if (progress) progress(done + batch.size());
  }
  return tally.result();
}

}  // namespace headroom::sim
