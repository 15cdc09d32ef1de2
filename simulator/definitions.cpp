#include "simulator/definitions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <span>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"

namespace headroom::sim {
namespace {

using Kind = CapacitySetting::Kind;

constexpr std::pair<std::string_view, Kind> kCapacityNames[] = {
    {"actual", Kind::kActual},
    {"binning", Kind::kBinning},
    {"linear-max", Kind::kLinearMax},
    {"linear-mean", Kind::kLinearMean},
    {"reverse-binning", Kind::kReverseBinning}};
constexpr std::pair<std::string_view, PropensitySetting> kPropensityNames[] = {
    {"actual", PropensitySetting::kActual},
    {"median", PropensitySetting::kMedian},
    {"linear", PropensitySetting::kLinear},
    {"liked", PropensitySetting::kLiked}};

// 0 .. count - 1 in an order drawn by seed.
std::vector<std::uint32_t> drawn_ranks(std::size_t count, std::uint64_t seed, std::uint64_t place) {
  std::vector<std::uint32_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0U);
  Draws(seed, Purpose::kSpread, place).shuffle_first(std::span(ranks), count);
  return ranks;
}

std::vector<float> spread_capacities(float top, std::size_t count, std::uint64_t seed) {
  std::vector<float> values;
  for (const std::uint32_t rank : drawn_ranks(count, seed, 0)) {
    values.push_back(top * static_cast<float>(rank + 1) / static_cast<float>(count));
  }
  return values;
}

float binned(std::uint32_t raters, float few, float some, float many) {
  return raters <= 20 ? few : raters <= 100 ? some : many;
}

std::vector<float> actual_propensities(const Ratings& ratings) {
  std::vector<float> p;
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    p.push_back(static_cast<float>(ratings.of_user(i).size()) /
                static_cast<float>(ratings.items.size()));
  }
  return p;
}

}  // namespace

float median_of(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5F * (*middle + *std::max_element(values.begin(), middle));
}

CapacitySetting parse_capacity(std::string_view words) {
  for (const auto& [name, kind] : kCapacityNames) {
    if (words == name) return {kind};
  }
  if (constexpr std::string_view prefix = "uniform-"; words.starts_with(prefix)) {
    const std::string_view digits = words.substr(prefix.size());
    float k = 0.0F;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
    if (failure == std::errc{} && end == digits.data() + digits.size() && std::isfinite(k) &&
        k > 0.0F) {
      return {Kind::kUniform, k};
    }
  }
  throw Error("unknown capacity '" + std::string(words) +
              "': it is one of actual, binning, uniform-K (K > 0), linear-max, linear-mean, "
              "reverse-binning");
}

std::string to_string(const CapacitySetting& setting) {
  for (const auto& [name, kind] : kCapacityNames) {
    if (setting.kind == kind) return std::string(name);
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, setting.uniform).ptr;
  return "uniform-" + std::string(digits, end);
}

PropensitySetting parse_propensity(std::string_view words) {
  for (const auto& [name, setting] : kPropensityNames) {
    if (words == name) return setting;
  }
  throw Error("unknown propensity '" + std::string(words) +
              "': it is one of actual, median, linear, liked");
}

std::string_view to_string(PropensitySetting setting) {
  return std::find_if(std::begin(kPropensityNames), std::end(kPropensityNames),
                      [&](const auto& entry) { return entry.second == setting; })
      ->first;
}

std::vector<float> capacities(const CapacitySetting& setting, const Ratings& ratings,
                              std::uint64_t seed) {
  const std::vector<std::uint32_t> raters = ratings.raters();
  const std::size_t items = raters.size();
  const auto most = static_cast<float>(*std::max_element(raters.begin(), raters.end()));
  const float mean = static_cast<float>(ratings.size()) / static_cast<float>(items);
  if (setting.kind == Kind::kLinearMax) return spread_capacities(most, items, seed);
  if (setting.kind == Kind::kLinearMean) return spread_capacities(2.0F * mean, items, seed);
  std::vector<float> c;
  for (const std::uint32_t count : raters) {
    switch (setting.kind) {
      case Kind::kBinning:
        c.push_back(binned(count, 5, 50, 150));
        break;
      case Kind::kReverseBinning:
        c.push_back(binned(count, 150, 50, 5));
        break;
      case Kind::kUniform:
        c.push_back(setting.uniform);
        break;
      default:
        c.push_back(static_cast<float>(count));
    }
  }
  return c;
}

std::vector<float> listen_propensities(PropensitySetting setting, const Ratings& ratings,
                                       std::uint64_t seed) {
  std::vector<float> p = actual_propensities(ratings);
  const std::size_t users = p.size();
  switch (setting) {
    case PropensitySetting::kActual:
      break;
    case PropensitySetting::kMedian: {
      const float median = median_of(p);
      for (float& value : p) value = value >= median ? 0.45F : 0.01F;
      break;
    }
    case PropensitySetting::kLinear: {
      const std::vector<std::uint32_t> ranks = drawn_ranks(users, seed, 1);
      for (std::size_t i = 0; i < users; ++i) {
        p[i] = 0.6F * static_cast<float>(ranks[i]) / static_cast<float>(users - 1);
      }
      break;
    }
    case PropensitySetting::kLiked:
      if (!ratings.has_stars) {
        throw Error(
            "propensity 'liked' is the share of liked ratings: it needs a data set of stars");
      }
      for (std::size_t i = 0; i < users; ++i) {
        const auto first = ratings.value.begin() + ratings.start[i];
        const auto last = ratings.value.begin() + ratings.start[i + 1];
        const auto liked = std::count_if(first, last, [](float v) { return v >= kLikedStars; });
        p[i] = static_cast<float>(liked) / static_cast<float>(last - first);
      }
      break;
  }
  return p;
}

}  // namespace headroom::sim
