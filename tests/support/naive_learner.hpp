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

  NaiveLearner(const Learner& from, const LearnerOptions& options) : options_(options) {
    for (std::uint32_t i = 0; i < from.users(); ++i) u.push_back(row_of(from, UserIx{i}));
    for (std::uint32_t j = 0; j < from.items(); ++j) v.push_back(row_of(from, ItemIx{j}));
    x.resize(u.size());
    past.resize(u.size());
    cells.resize(v.size());
  }

  template <class Index>
  static Row row_of(const Learner& from, Index row) {
    ByteWriter bytes;
    from.save(row, bytes);
    ByteReader reader(bytes.bytes());
    const auto values = reader.get_all<float>(), squares = reader.get_all<float>();
    Row out;
    for (std::size_t k = 0; k < values.size(); ++k) out.push_back({values[k], squares[k]});
    return out;
  }

  void like(std::size_t i, std::size_t j, double value, double weight, std::uint64_t place) {
    if (value > 0.0 && cells[j]) open(i, *cells[j]);
    Draws draws(options_.seed, Purpose::kNegatives, place);
    if (pairs()) {
      if (value > 0.0) {
        for (const std::size_t other : unseen(i, j, draws)) pair(i, j, other, weight * value);
      } else if (value < 0.0 && !past[i].empty()) {
        const auto count = static_cast<std::uint32_t>(past[i].size());
        std::size_t liked = j;
        for (int tries = 0; tries < 32 && liked == j; ++tries) liked = past[i][draws.below(count)];
        if (liked != j) pair(i, liked, j, -weight * value);
      }
    } else {
      pull(i, j, 2.0 * weight * (score(i, j) - value));
      if (value > 0.0) {
        for (const std::size_t other : unseen(i, j, draws)) {
          pull(i, other, 2.0 * weight * score(i, other));
        }
      }
    }
    if (value > 0.0) {
      std::erase(past[i], j);
      past[i].push_back(j);
    }
    if (++open_events_ == options_.mini_batch) flush();
  }

  void flush() {
    for (auto& [i, gradient] : du_) step(u[i], gradient);
    for (auto& [j, gradient] : dv_) step(v[j], gradient);
    for (auto& [at, gradient] : dx_) {
      Weight& weight = x[at.first].at(at.second);
      step(weight, gradient);
      weight.value = std::max(weight.value, 0.0);
    }
    du_.clear();
    dv_.clear();
    dx_.clear();
    open_events_ = 0;
  }

  double score(std::size_t i, std::size_t j) const {
    double total = 0.0;
    for (std::size_t k = 0; k < u[i].size(); ++k) total += u[i][k].value * v[j][k].value;
    if (!cells[j]) return total;
    for (const auto& [cell, weight] : x[i]) total += weight.value * influence(cell, *cells[j]);
    return total;
  }

  std::vector<Row> u, v;
  std::vector<std::map<Cell, Weight>> x;
  std::vector<std::vector<std::size_t>> past;
  std::vector<std::optional<Cell>> cells;  // of items

 private:
  bool pairs() const {
    return options_.method == Method::kBpr || options_.method == Method::kGeoBpr;
  }

  double influence(const Cell& a, const Cell& b) const {
    const double d = std::hypot(a.first - b.first, a.second - b.second), s = options_.kernel_width;
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

  std::vector<std::size_t> unseen(std::size_t i, std::size_t j, Draws& draws) const {
    std::vector<std::size_t> not_these = past[i], out;
    not_these.push_back(j);
    for (unsigned n = 0; n < options_.negatives; ++n) {
      int tries = 0;
      for (; tries < 32; ++tries) {
        const std::size_t drawn = draws.below(static_cast<std::uint32_t>(v.size()));
        if (std::count(not_these.begin(), not_these.end(), drawn) > 0) continue;
        not_these.push_back(drawn);
        out.push_back(drawn);
        break;
      }
      if (tries == 32) break;
    }
    return out;
  }

  void pair(std::size_t i, std::size_t better, std::size_t worse, double scale) {
    const double g = scale / (1.0 + std::exp(score(i, better) - score(i, worse)));
    pull(i, better, -g);
    pull(i, worse, g);
  }

  void pull(std::size_t i, std::size_t j, double g) {
    du_[i].resize(options_.rank);
    dv_[j].resize(options_.rank);
    for (std::size_t k = 0; k < options_.rank; ++k) {
      du_[i][k] += g * v[j][k].value;
      dv_[j][k] += g * u[i][k].value;
    }
    if (!cells[j]) return;
    for (const auto& [cell, weight] : x[i]) {
      const double y = influence(cell, *cells[j]);
      if (y > 0.0) dx_[{i, cell}] += g * y;
    }
  }

  void step(Row& row, const std::vector<double>& gradient) const {
    for (std::size_t k = 0; k < row.size(); ++k) step(row[k], gradient[k]);
  }
  void step(Weight& weight, double gradient) const {
    gradient += options_.l2 * weight.value;
    weight.squares += gradient * gradient;
    weight.value -= options_.step * gradient / (std::sqrt(weight.squares) + 1e-8);
  }

  LearnerOptions options_;
  unsigned open_events_ = 0;
  std::map<std::size_t, std::vector<double>> du_, dv_;
  std::map<std::pair<std::size_t, Cell>, double> dx_;
};

}  // namespace headroom::test
