#include "simulator/batch_training.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"
#include "headroom/model/adagrad.hpp"
#include "headroom/model/objective.hpp"
#include "simulator/batch_kernels.hpp"
#include "simulator/pulls.hpp"

namespace headroom::sim {
namespace {

// Below this pressure (per person of excess) an item moves nothing that the regulariser would not.
constexpr float kNoPressure = 1e-9F;
constexpr std::size_t kItemsInRange = 256;

template <class O, int K>
class Trainer {
 public:
  Trainer(const Problem& problem, const BatchSettings& settings, Workers& workers)
      : problem_(problem),
        settings_(settings),
        workers_(workers),
        adagrad_{settings.step, settings.floor},
        chunks_(chunks_of(problem.training.users)),
        pulls_(problem.training),
        capacity_weight_(settings.alpha / static_cast<float>(problem.training.items)) {
    start_factors();
    find_pressable();
    if (problem.geography != nullptr) {
      activity_ = influenced_tiles(problem.training, *problem.geography);
      activity_squares_.assign(activity_.value.size(), 0.0F);
    }
  }

  Trained run(const std::function<void(const Progress&)>& report, std::size_t report_every) {
    std::vector<double> trace;
    for (std::size_t done = 0;; ++done) {
      look();
      trace.push_back(objective());
      if (!std::isfinite(trace.back())) {
        throw Error("training left the range of numbers at iteration " + std::to_string(done));
      }
      if (report && done > 0 && done % report_every == 0) {
        report({done, trace.back(), [this] { return factors(); }});
      }
      if (done == settings_.iterations || settled(trace)) break;
      move_users();
      move_items();
      if (problem_.geography != nullptr) {
        look();
        move_activity();
      }
    }
    return {factors(), std::move(trace)};
  }

 private:
  static constexpr std::size_t kRow = row_size(K);

  const ObservationSet& training() const { return problem_.training; }
  bool learns_accuracy() const { return settings_.alpha < 1.0F; }
  bool learns_capacity() const { return settings_.alpha > 0.0F; }
  float weigh(float pressure) const { return capacity_weight_ * pressure; }

  // Adagrad's first steps are large and swing, so that a single small move means nothing yet.
  bool settled(const std::vector<double>& trace) const {
    constexpr std::size_t kMoves = 5;
    if (trace.size() <= kMoves) return false;
    for (std::size_t at = trace.size() - kMoves; at < trace.size(); ++at) {
      if (!(std::fabs(trace[at] - trace[at - 1]) < settings_.tolerance)) return false;
    }
    return true;
  }

  void start_factors() {
    const std::size_t users = training().users, items = training().items;
    const std::size_t blocks = (users + kLanes - 1) / kLanes;
    users_.assign(blocks * K, Lanes{});
    user_squares_.assign(blocks * K, Lanes{});
    propensity_.assign(blocks, Lanes{});
    user_rows_.assign(users * kRow, 0.0F);
    user_pulls_.assign(users * kRow, 0.0F);
    item_rows_.assign(items * kRow, 0.0F);
    item_squares_.assign(items * kRow, 0.0F);
    // Factors beyond the rank start at 0 on both sides and so never move.
    const auto draw_row = [this](Purpose purpose, std::size_t place, float* row) {
      Draws draws(settings_.seed, purpose, place_in_repeat(settings_.repeat, place));
      for (std::size_t k = 0; k < settings_.rank; ++k) {
        row[k] = settings_.start_deviation * static_cast<float>(draws.normal());
      }
    };
    for (std::size_t j = 0; j < items; ++j) {
      draw_row(Purpose::kItemStart, j, &item_rows_[j * kRow]);
    }
    for (std::size_t i = 0; i < users; ++i) {
      draw_row(Purpose::kUserStart, i, &user_rows_[i * kRow]);
      for (int k = 0; k < K; ++k) users_[i / kLanes * K + k][i % kLanes] = user_rows_[i * kRow + k];
      propensity_[i / kLanes][i % kLanes] = problem_.listen_propensity[i];
    }
  }

  // Usage never exceeds the sum of all propensities: what holds that many is never pressed.
  void find_pressable() {
    float everyone = 0.0F;
    for (const float p : problem_.listen_propensity) everyone += p;
    pressable_place_.assign(training().items, kNone);
    if (!learns_capacity()) return;
    for (std::uint32_t j = 0; j < training().items; ++j) {
      const float most = everyone - problem_.capacity[j];
      if (slope(settings_.loss, most, settings_.temperature) < kNoPressure) continue;
      pressable_place_[j] = static_cast<std::uint32_t>(pressable_.size());
      pressable_.push_back(j);
    }
    usage_part_.resize(chunks_.size() * pressable_.size());
    pull_part_.resize(usage_part_.size() * kRow);
    pressure_.resize(pressable_.size());
  }

  Field field_of(const Chunk& chunk) const {
    if (problem_.geography == nullptr) return {};
    const Influence& influence = problem_.geography->influence;
    Field activity(influence.size(), chunk.blocks);
    for (std::size_t i = chunk.first_user(); i < chunk.end_user(training().users); ++i) {
      for (std::size_t a = activity_.start[i]; a < activity_.start[i + 1]; ++a) {
        activity.of(activity_.tile[a], i - chunk.first_user()) = activity_.value[a];
      }
    }
    return spread(influence, activity);
  }

  View<K> view_of(const Chunk& chunk, const Field& field) const {
    return {&users_[chunk.first * K],
            &propensity_[chunk.first],
            item_rows_.data(),
            field ? problem_.geography->item_tile.data() : nullptr,
            field,
            chunk.blocks};
  }

  // Scores the chunk's observations and takes the objective's pull on each; also what they pull on
  // the users, while the items' rows are at hand. Returns the loss.
  double pull_observations(const Chunk& chunk, const Field& field, bool want_loss) {
    double total = 0.0;
    PairScratch scratch;
    for (std::size_t i = chunk.first_user(); i < chunk.end_user(training().users); ++i) {
      const Row<K> user(&user_rows_[i * kRow]);
      const std::size_t begin = training().start[i], end = training().start[i + 1];
      score_items(user, item_rows_.data(), training().of_user(i), &pulls_.value[begin]);
      if (field) {
        for (std::size_t o = begin; o < end; ++o) {
          const std::uint32_t tile = problem_.geography->item_tile[training().item[o]];
          pulls_.value[o] += field.of(tile, i - chunk.first_user());
        }
      }
      total +=
          pull_user<O>(training(), i, 1.0F - settings_.alpha, want_loss, pulls_.value, scratch);
      Row<K> pull;
      for (std::size_t o = begin; o < end; ++o) {
        pull.add(pulls_.value[o], Row<K>(&item_rows_[training().item[o] * kRow]));
      }
      pull.store(&user_pulls_[i * kRow]);
    }
    return total;
  }

  // Everything that the objective and the next move need, at the factors as they stand.
  void look() {
    std::vector<double> accuracy(chunks_.size());
    workers_.each(chunks_.size(), [&](std::size_t c) {
      const Field field = field_of(chunks_[c]);
      if (learns_accuracy()) accuracy[c] = pull_observations(chunks_[c], field, true);
      sum_usage(view_of(chunks_[c], field), pressable_, usage_part(c));
    });
    accuracy_loss_ = 0.0;
    for (const double part : accuracy) accuracy_loss_ += part;
    weigh_usage();
  }

  void weigh_usage() {
    const std::size_t ranges = (pressable_.size() + kItemsInRange - 1) / kItemsInRange;
    std::vector<double> part(ranges);
    workers_.each(ranges, [&](std::size_t range) {
      const std::size_t end = std::min((range + 1) * kItemsInRange, pressable_.size());
      for (std::size_t n = range * kItemsInRange; n < end; ++n) {
        const float excess = usage(n) - problem_.capacity[pressable_[n]];
        part[range] += loss(settings_.loss, excess, settings_.temperature);
        pressure_[n] = slope(settings_.loss, excess, settings_.temperature);
      }
    });
    capacity_loss_ = 0.0;
    for (const double one : part) capacity_loss_ += one;
    pressed_.clear();
    pressed_weight_.clear();
    for (std::size_t n = 0; n < pressable_.size(); ++n) {
      if (pressure_[n] < kNoPressure) continue;
      pressed_.push_back(pressable_[n]);
      pressed_weight_.push_back(weigh(pressure_[n]));
    }
  }

  float* usage_part(std::size_t chunk) { return usage_part_.data() + chunk * pressable_.size(); }
  float usage(std::size_t n) const {
    float total = 0.0F;
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      total += usage_part_[c * pressable_.size() + n];
    }
    return total;
  }

  double objective() const {
    const double squares =
        sum_of_squares(user_rows_) + sum_of_squares(item_rows_) + sum_of_squares(activity_.value);
    return accuracy_loss_ + static_cast<double>(capacity_weight_) * capacity_loss_ +
           static_cast<double>(settings_.l2) * squares;
  }

  void move_users() {
    workers_.each(chunks_.size(), [&](std::size_t c) {
      const Chunk& chunk = chunks_[c];
      const Field field = learns_capacity() ? field_of(chunk) : Field();
      const View<K> view = view_of(chunk, field);
      for (std::size_t b = 0; b < chunk.blocks; ++b) {
        Lanes gradient[K] = {};
        if (learns_capacity()) {
          add_user_pressure(view, b, pressed_, pressed_weight_.data(), gradient);
        }
        move_block(chunk.first + b, gradient);
      }
    });
  }

  void move_block(std::size_t block, Lanes* gradient) {
    const std::size_t end = std::min((block + 1) * kLanes, training().users);
    for (std::size_t i = block * kLanes; i < end; ++i) {
      for (int k = 0; k < K; ++k) gradient[k][i % kLanes] += user_pulls_[i * kRow + k];
    }
    for (int k = 0; k < K; ++k) {
      Lanes& weight = users_[block * K + k];
      adagrad_.move(weight, user_squares_[block * K + k],
                    gradient[k] + 2.0F * settings_.l2 * weight);
    }
    for (std::size_t i = block * kLanes; i < end; ++i) {
      for (int k = 0; k < K; ++k) user_rows_[i * kRow + k] = users_[block * K + k][i % kLanes];
    }
  }

  void move_items() {
    workers_.each(chunks_.size(), [&](std::size_t c) {
      const Field field = field_of(chunks_[c]);
      if (learns_accuracy()) pull_observations(chunks_[c], field, false);
      sum_usage_and_pull(view_of(chunks_[c], field), pressable_, usage_part(c),
                         pull_part_.data() + c * pressable_.size() * kRow);
    });
    const std::size_t items = training().items;
    workers_.each((items + kItemsInRange - 1) / kItemsInRange, [&](std::size_t range) {
      const std::size_t end = std::min((range + 1) * kItemsInRange, items);
      for (std::size_t j = range * kItemsInRange; j < end; ++j) move_item(j);
    });
  }

  void move_item(std::size_t j) {
    Row<K> gradient;
    if (const std::uint32_t n = pressable_place_[j]; n != kNone) {
      const float excess = usage(n) - problem_.capacity[j];
      const float weight = weigh(slope(settings_.loss, excess, settings_.temperature));
      for (std::size_t c = 0; c < chunks_.size(); ++c) {
        gradient.add(weight, Row<K>(&pull_part_[(c * pressable_.size() + n) * kRow]));
      }
    }
    if (learns_accuracy()) {
      for (const auto& [user, observation] : pulls_.of_item(j)) {
        gradient.add(pulls_.value[observation], Row<K>(&user_rows_[user * kRow]));
      }
    }
    Row<K> weight(&item_rows_[j * kRow]), squares(&item_squares_[j * kRow]);
    gradient.add(2.0F * settings_.l2, weight);
    for (int r = 0; r < Row<K>::kRegisters; ++r) {
      adagrad_.move(weight.at[r], squares.at[r], gradient.at[r]);
    }
    weight.store(&item_rows_[j * kRow]);
    squares.store(&item_squares_[j * kRow]);
  }

  void move_activity() {
    const Geography& geography = *problem_.geography;
    workers_.each(chunks_.size(), [&](std::size_t c) {
      const Chunk& chunk = chunks_[c];
      const std::size_t first = chunk.first_user(), end = chunk.end_user(training().users);
      Field weights(geography.influence.size(), chunk.blocks);
      if (learns_capacity()) {
        const Field field = field_of(chunk);
        add_tile_pressure(view_of(chunk, field), pressed_, pressed_weight_.data(), weights);
      }
      if (learns_accuracy()) {
        for (std::size_t i = first; i < end; ++i) {
          for (std::size_t o = training().start[i]; o < training().start[i + 1]; ++o) {
            weights.of(geography.item_tile[training().item[o]], i - first) += pulls_.value[o];
          }
        }
      }
      const Field gradient = spread(geography.influence, weights);
      for (std::size_t i = first; i < end; ++i) {
        for (std::size_t a = activity_.start[i]; a < activity_.start[i + 1]; ++a) {
          float& weight = activity_.value[a];
          const float pull = gradient.of(activity_.tile[a], i - first);
          adagrad_.move(weight, activity_squares_[a], pull + 2.0F * settings_.l2 * weight);
        }
      }
    });
  }

  Factors factors() const {
    Factors out;
    out.rank = settings_.rank;
    const auto cut = [this](const AlignedFloats& rows) {
      std::vector<float> kept;
      for (auto row = rows.begin(); row != rows.end(); row += kRow) {
        kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(settings_.rank));
      }
      return kept;
    };
    out.users = cut(user_rows_);
    out.items = cut(item_rows_);
    out.geography = problem_.geography;
    out.activity_start = activity_.start;
    out.activity_tile = activity_.tile;
    out.activity = activity_.value;
    return out;
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;

  const Problem& problem_;
  const BatchSettings& settings_;
  Workers& workers_;
  Adagrad adagrad_;
  std::vector<Chunk> chunks_;
  Pulls pulls_;
  float capacity_weight_;  // alpha / N

  Registers users_, user_squares_, propensity_;
  AlignedFloats user_rows_;   // the same factors as users_, by row
  AlignedFloats user_pulls_;  // of the observations on each user, at the last look
  AlignedFloats item_rows_, item_squares_;
  Activity activity_;
  std::vector<float> activity_squares_;

  std::vector<std::uint32_t> pressable_, pressable_place_;
  AlignedFloats usage_part_, pull_part_;  // by chunk and pressable item
  std::vector<float> pressure_;           // by pressable item, at the last look
  std::vector<std::uint32_t> pressed_;    // the items with any pressure, at the last look
  std::vector<float> pressed_weight_;
  double accuracy_loss_ = 0.0, capacity_loss_ = 0.0;
};

// Ranks in between are padded with factors that stay 0.
template <class F>
auto with_rank(std::size_t rank, F run) {
  if (rank <= 4) return run(std::integral_constant<int, 4>{});
  if (rank <= 10) return run(std::integral_constant<int, 10>{});
  if (rank <= 16) return run(std::integral_constant<int, 16>{});
  if (rank <= 32) return run(std::integral_constant<int, 32>{});
  return run(std::integral_constant<int, kMaxRank>{});
}

}  // namespace

Trained train(const Problem& problem, const BatchSettings& settings, Workers& workers,
              const std::function<void(const Progress&)>& report, std::size_t report_every) {
  return with_rank(settings.rank, [&](auto rank) {
    if (settings.pairs) {
      return Trainer<Bpr, rank()>(problem, settings, workers).run(report, report_every);
    }
    return Trainer<Squared, rank()>(problem, settings, workers).run(report, report_every);
  });
}

std::vector<float> expected_usage(const Factors& factors,
                                  const std::vector<float>& listen_propensity, Workers& workers) {
  const std::size_t users = factors.user_count(), items = factors.item_count();
  const std::vector<Chunk> chunks = chunks_of(users);
  std::vector<std::vector<float>> part(chunks.size());
  workers.each(chunks.size(), [&](std::size_t c) {
    part[c].assign(items, 0.0F);
    std::vector<float> scores(items);
    for (std::size_t i = chunks[c].first_user(); i < chunks[c].end_user(users); ++i) {
      factors.score_run(UserIx{static_cast<std::uint32_t>(i)}, ItemIx{0}, scores);
      for (std::size_t j = 0; j < items; ++j) {
        part[c][j] += listen_propensity[i] * sigmoid(scores[j]);
      }
    }
  });
  std::vector<float> total(items);
  for (const std::vector<float>& usage : part) {
    for (std::size_t j = 0; j < items; ++j) total[j] += usage[j];
  }
  return total;
}

}  // namespace headroom::sim
