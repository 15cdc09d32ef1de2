#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "headroom/base/bytes.hpp"

namespace headroom {

// How far below the configured risk rooms must aim for it to come true.
//
// Where more is wanted than there is, lists fill a room up again whenever chance has emptied it,
// and nothing empties it when chance has filled it: so what comes is more than what each booking
// was allowed. And whatever else is believed wrongly shows here too. So it is measured: at items in
// demand, how often there are more people than seats where rooms were made for a given quantile. A
// probit model with a term for all items, one for those of about the same size and one by how much
// of the time an item has no room, each learned by Newton steps whose memory fades. One thread.
class RiskGauge {
 public:
  RiskGauge();

  // How much of the time an item has no room left, in quarters.
  static constexpr std::size_t kLevels = 4;
  static std::uint8_t level_of(float pressure);

  // A chance to aim at, on a grid of normal quantiles: rooms change only when it does.
  using Aim = std::uint8_t;
  static constexpr std::size_t kAims = 96;
  static double chance(Aim aim);
  static Aim nearest(double quantile);

  struct Item {
    double seats = 1.0;
    std::uint8_t level = 0;
  };
  Aim aim(const Item& item, double quantile) const;  // of the configured risk
  // It aimed at that: whether there are too many people.
  void observe(const Item& item, Aim aim, bool over);
  void pass(std::int64_t parts);  // of time: what was seen before counts less

  void save(ByteWriter& out) const;
  void load(ByteReader& in);  // throws Error if it is not finite

 private:
  static constexpr std::size_t kSizes = 16;  // octaves of seats
  struct Term {
    double value = 0.0, information = 0.0;
    void learn(double slope, double gained);
  };
  static bool is_good(const Term& term);
  static std::size_t size_of(const Item& item);
  double off(const Item& item) const;

  Term all_;
  std::array<Term, kSizes> of_size_;
  std::array<Term, kLevels> of_level_;
};

}  // namespace headroom
