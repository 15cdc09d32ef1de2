#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "headroom/base/random.hpp"
#include "headroom/model/learner.hpp"

namespace headroom::test {

// The online learner once more, as its formulas stand, in double, with plain loops and maps. It
// takes its start from the learner under test and repeats its random draws, and shares nothing else
// with it. Rows neither go nor are forgotten here.
class NaiveLearner {
 public:
  using Cell = std::pair<int, int>;  // a tile: x, y
  struct Weight {
    double value = 0.0, squares = 0.0;
  };
  using Row = std::vector<Weight>;
  struct Place {
    Cell cell;
    double lat, lon;
  };

  NaiveLearner(const Learner& from, const LearnerOptions& options) : options_(options) {
    for (std::uint32_t i = 0; i < from.users(); ++i) u.push_back(rows_of(from, UserIx{i}, 1)[0]);
    for (std::uint32_t j = 0; j < from.items(); ++j) {
      const auto rows = rows_of(from, ItemIx{j}, options.history > 0 ? 2 : 1);
      v.push_back(rows[0]);
      w.push_back(rows.back());
      b.push_back({0.0, options.start_squares});
    }
    z.resize(u.size());
    x.resize(u.size());
    past.resize(u.size());
    visits.resize(u.size());
    places.resize(v.size());
  }

  // The first rows of factors that are saved of a user or an item: u; v, w.
  template <class Index>
  static std::vector<Row> rows_of(const Learner& from, Index row, std::size_t count) {
    ByteWriter bytes;
    from.save(row, bytes);
    ByteReader reader(bytes.bytes());
    std::vector<Row> out;
    while (out.size() < count) {
      const auto values = reader.get_all<float>(), squares = reader.get_all<float>();
      Row& one = out.emplace_back();
      for (std::size_t k = 0; k < values.size(); ++k) one.push_back({values[k], squares[k]});
    }
    return out;
  }

  void like(std::size_t i, std::size_t j, double value, double weight, std::uint64_t place) {
    if (value > 0.0 && places[j]) open(i, places[j]->cell);
    Draws draws(options_.seed, Purpose::kNegatives, place);
    if (pairs()) {
      compare(i, j, value, weight, draws);
    } else {
      std::map<std::size_t, double> pulls{{j, 2.0 * weight * (learned(i, j) - value)}};
      for (unsigned n = 0; value > 0.0 && n < options_.negatives; ++n) {
        const auto other = hardest(i, j, draws);
        if (!other) break;
        pulls.emplace(*other, 2.0 * weight * learned(i, *other));
      }
      pull(i, pulls);
    }
    if (options_.mini_batch == 1) end_of_event(i);
    if (value > 0.0) {
      std::erase(past[i], j);
      past[i].push_back(j);
      ++visits[i][j];
    }
    refresh(i);
    if (++open_events_ == options_.mini_batch) flush();
  }

  void flush() {
    for (auto& [i, gradient] : du_) {
      step(u[i], gradient, options_.user_step, options_.l2);
      step_history(i, gradient);
      refresh(i);
    }
    for (auto& [j, gradient] : dv_) step(v[j], gradient, options_.item_step, options_.l2);
    for (auto& [j, gradient] : db_) step(b[j], gradient, options_.bias_step, options_.bias_l2);
    step_tiles();
    du_.clear();
    dv_.clear();
    db_.clear();
    open_events_ = 0;
  }

  // As it is served: on the user's vector as of their last event.
  double score(std::size_t i, std::size_t j) const { return scored(i, j, z[i]); }

  std::vector<Row> u, v, w;
  std::vector<std::vector<double>> z;
  std::vector<Weight> b;
  std::map<std::pair<int, int>, Weight> context;  // (which kind, which bin)
  std::vector<std::map<Cell, Weight>> x;
  std::vector<std::vector<std::size_t>> past;
  std::vector<std::map<std::size_t, int>> visits;
  std::vector<std::optional<Place>> places;  // of items

 private:
  using Lit = std::vector<std::pair<int, int>>;

  bool pairs() const {
    return options_.method == Method::kBpr || options_.method == Method::kGeoBpr;
  }
  bool geographic() const {
    return options_.method == Method::kGeoMf || options_.method == Method::kGeoBpr;
  }

  double influence(const Cell& a, const Cell& c) const {
    const double d = std::hypot(a.first - c.first, a.second - c.second), s = options_.kernel_width;
    if (d > s * options_.kernel_cut) return 0.0;
    return std::exp(-d * d / (2.0 * s * s)) / (s * std::sqrt(2.0 * std::numbers::pi));
  }

  void open(std::size_t i, const Cell& around) {
    for (int dx = -9; dx <= 9; ++dx) {
      for (int dy = -9; dy <= 9; ++dy) {
        const Cell cell{around.first + dx, around.second + dy};
        if (influence(cell, around) > 0.0) x[i].try_emplace(cell, 0.0, options_.start_squares);
      }
    }
  }

  // --- Scores ---

  std::vector<double> history(std::size_t i) const {
    std::vector<double> h(options_.rank);
    const std::size_t count = std::min<std::size_t>(options_.history, past[i].size());
    for (std::size_t a = 0; a < count; ++a) {
      const Row& row = w[past[i][past[i].size() - 1 - a]];
      for (std::size_t k = 0; k < h.size(); ++k) h[k] += row[k].value * share(a, count);
    }
    return h;
  }
  static double share(std::size_t age, std::size_t count) {
    double sum = 0.0;
    for (std::size_t a = 0; a < count; ++a) sum += std::pow(0.9, a);
    return std::pow(0.9, age) * std::pow(sum, -0.75);
  }

  double metres(std::size_t a, std::size_t c) const {
    const double degree = std::numbers::pi / 180.0;
    const auto& [p, q] = std::pair(*places[a], *places[c]);
    const double across = std::pow(std::sin((p.lat - q.lat) * degree / 2.0), 2.0) +
                          std::cos(p.lat * degree) * std::cos(q.lat * degree) *
                              std::pow(std::sin((p.lon - q.lon) * degree / 2.0), 2.0);
    return 2.0 * 6'371'000.0 * std::sqrt(across);  // through the earth
  }
  static int bin(double d) {
    return d < 1.0 ? 0 : std::min(39, 1 + static_cast<int>(std::floor(2.0 * std::log2(d))));
  }

  Lit lit(std::size_t i, std::size_t j) const {
    Lit out;
    std::vector<double> distances;
    for (auto at = past[i].rbegin(); at != past[i].rend() && distances.size() < 16; ++at) {
      if (places[j] && places[*at]) distances.push_back(metres(j, *at));
    }
    if (geographic() && options_.distance && !distances.empty()) {
      out.emplace_back(0, bin(distances.front()));
      out.emplace_back(1, bin(*std::min_element(distances.begin(), distances.end())));
    }
    const auto visited = visits[i].find(j);
    if (options_.revisits && visited != visits[i].end()) {
      out.emplace_back(2, std::min(visited->second, 9));
      if (past[i].back() == j) out.emplace_back(3, 0);
    }
    return out;
  }

  std::vector<double> known(std::size_t i) const {
    std::vector<double> out = history(i);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += u[i][k].value;
    return out;
  }
  void refresh(std::size_t i) {
    const double n = static_cast<double>(past[i].size());
    z[i] = known(i);
    if (options_.caution == 0.0F) return;
    for (double& value : z[i]) value *= n / (n + options_.caution);
  }

  double learned(std::size_t i, std::size_t j) const { return scored(i, j, known(i)); }

  double scored(std::size_t i, std::size_t j, const std::vector<double>& vector) const {
    double total = b[j].value;
    for (std::size_t k = 0; k < vector.size(); ++k) total += vector[k] * v[j][k].value;
    for (const auto& at : lit(i, j)) {
      if (const auto found = context.find(at); found != context.end()) total += found->second.value;
    }
    if (!places[j]) return total;
    for (const auto& [cell, weight] : x[i])
      total += weight.value * influence(cell, places[j]->cell);
    return total;
  }

  // --- Draws ---

  std::optional<std::size_t> hardest(std::size_t i, std::size_t j, Draws& draws) const {
    std::optional<std::size_t> best;
    for (unsigned n = 0; n < options_.draws; ++n) {
      const auto drawn = unseen(i, j, draws);
      if (!drawn) break;
      if (!best || learned(i, *drawn) > learned(i, *best)) best = drawn;
    }
    return best;
  }
  std::optional<std::size_t> unseen(std::size_t i, std::size_t j, Draws& draws) const {
    for (int tries = 0; tries < 32; ++tries) {
      const std::size_t drawn = draws.below(static_cast<std::uint32_t>(v.size()));
      if (drawn != j && std::count(past[i].begin(), past[i].end(), drawn) == 0) return drawn;
    }
    return std::nullopt;
  }

  // j itself: none was drawn.
  std::size_t liked_but(std::size_t i, std::size_t j, Draws& draws) const {
    const auto count = static_cast<std::uint32_t>(past[i].size());
    std::size_t liked = j;
    for (int tries = 0; tries < 32 && liked == j; ++tries) liked = past[i][draws.below(count)];
    return liked;
  }

  // --- Steps ---

  void compare(std::size_t i, std::size_t j, double value, double weight, Draws& draws) {
    const auto pair = [&](std::size_t better, std::size_t worse) {
      const double scale = weight * std::fabs(value);
      const double g = scale / (1.0 + std::exp(learned(i, better) - learned(i, worse)));
      pull(i, {{better, -g}, {worse, g}});
    };
    if (value > 0.0) {
      const bool again = options_.revisits && visits[i].contains(j);
      for (unsigned n = 0; n < options_.negatives; ++n) {
        const std::size_t known = again && n % 2 == 1 ? liked_but(i, j, draws) : j;
        const auto other = known != j ? std::optional(known) : hardest(i, j, draws);
        if (!other) break;
        pair(j, *other);
      }
    } else if (value < 0.0 && !past[i].empty()) {
      const std::size_t liked = liked_but(i, j, draws);
      if (liked != j) pair(liked, j);
    }
  }

  // dLoss/dscore of some items of one user.
  void pull(std::size_t i, const std::map<std::size_t, double>& pulls) {
    std::map<std::pair<int, int>, double> dcontext;
    const auto h = history(i);
    du_[i].resize(options_.rank);
    gathered_.resize(options_.rank);
    for (const auto& [j, g] : pulls) {
      dv_[j].resize(options_.rank);
      for (std::size_t k = 0; k < options_.rank; ++k) {
        du_[i][k] += g * v[j][k].value;
        gathered_[k] += g * v[j][k].value;
        dv_[j][k] += g * (u[i][k].value + h[k]);
      }
      if (options_.bias) db_[j] += g;
      for (const auto& at : lit(i, j)) dcontext[at] += g;
      if (!places[j]) continue;
      for (const auto& [cell, weight] : x[i]) {
        const double y = influence(cell, places[j]->cell);
        if (y > 0.0) dx_[{i, cell}] += g * y;
      }
    }
    for (const auto& [at, gradient] : dcontext) {
      Weight& weight = context.try_emplace(at, 0.0, options_.start_squares).first->second;
      if (std::fabs(gradient) > 1e-12) step(weight, gradient, options_.context_step, 0.0);
    }
    if (options_.mini_batch > 1) return;
    step(u[i], du_[i], options_.user_step, options_.l2);
    for (auto& [j, gradient] : dv_) step(v[j], gradient, options_.item_step, options_.l2);
    for (auto& [j, gradient] : db_) step(b[j], gradient, options_.bias_step, options_.bias_l2);
    du_.clear();
    dv_.clear();
    db_.clear();
  }

  void end_of_event(std::size_t i) {
    if (!gathered_.empty()) step_history(i, gathered_);
    gathered_.clear();
    step_tiles();
  }

  void step_history(std::size_t i, const std::vector<double>& du) {
    const std::size_t count = std::min<std::size_t>(options_.history, past[i].size());
    for (std::size_t a = 0; a < count; ++a) {
      std::vector<double> dw = du;
      for (double& g : dw) g *= share(a, count);
      step(w[past[i][past[i].size() - 1 - a]], dw, options_.history_step, 0.0);
    }
  }

  void step_tiles() {
    for (auto& [at, gradient] : dx_) {
      Weight& weight = x[at.first].at(at.second);
      step(weight, gradient, options_.tile_step, options_.l2);
      weight.value = std::max(weight.value, 0.0);
    }
    dx_.clear();
  }

  static void step(Row& row, const std::vector<double>& gradient, double rate, double l2) {
    for (std::size_t k = 0; k < row.size(); ++k) step(row[k], gradient[k], rate, l2);
  }
  static void step(Weight& weight, double gradient, double rate, double l2) {
    gradient += l2 * weight.value;
    weight.squares += gradient * gradient;
    weight.value -= rate * gradient / (std::sqrt(weight.squares) + 1e-8);
  }

  LearnerOptions options_;
  unsigned open_events_ = 0;
  std::map<std::size_t, std::vector<double>> du_, dv_;
  std::map<std::size_t, double> db_;
  std::map<std::pair<std::size_t, Cell>, double> dx_;
  std::vector<double> gathered_;
};

}  // namespace headroom::test
