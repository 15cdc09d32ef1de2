#include "simulator/dataset_builder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

constexpr double kSamePlaceDegrees = 0.01;
constexpr float kUnlimited = std::numeric_limits<float>::infinity();
constexpr Place kNoPlace{std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::quiet_NaN()};

bool is_known(Place place) { return !std::isnan(place.lat); }

bool clearly_differ(Place a, Place b) {
  return std::abs(a.lat - b.lat) > kSamePlaceDegrees ||
         std::abs(std::remainder(a.lon - b.lon, 360.0)) > kSamePlaceDegrees;
}

// Integers first: "numbers by number, the rest by bytes" pair by pair would have cycles, such as
// 2 < 10 < 1a < 2.
std::tuple<bool, std::int64_t, std::string_view> sort_key(std::string_view name) {
  std::int64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  const bool integer = error == std::errc{} && stop == end;
  return {!integer, integer ? number : 0, name};
}

// By index, the place of each name in the order of names.
std::vector<std::uint32_t> ranks(const std::vector<std::string>& names) {
  std::vector<decltype(sort_key({}))> keys;
  keys.reserve(names.size());
  for (const auto& name : names) keys.push_back(sort_key(name));
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<std::uint32_t> rank(names.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

void sort_by_time(Dataset& set) {
  const auto user_rank = ranks(set.users);
  const auto item_rank = ranks(set.items);
  const auto key = [&](const Interaction& row) {
    return std::tuple(row.at, user_rank[index(row.user)], item_rank[index(row.item)]);
  };
  std::stable_sort(set.interactions.begin(), set.interactions.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

}  // namespace

std::uint32_t NameTable::add(std::string_view name) {
  if (const auto known = index_.find(name); known != index_.end()) return known->second;
  const auto ix = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  index_.emplace(name, ix);
  return ix;
}

std::optional<std::uint32_t> NameTable::find(std::string_view name) const {
  const auto known = index_.find(name);
  return known == index_.end() ? std::nullopt : std::optional(known->second);
}

DatasetBuilder::DatasetBuilder(std::string name, bool skip_bad) : skip_bad_(skip_bad) {
  set_.name = std::move(name);
}

void DatasetBuilder::read(TextSource& source, const std::function<Flaw(std::string_view)>& take) {
  source.expect_data();
  std::size_t empty = 0;  // lines; at the end of a file they are no flaw
  while (const auto line = source.next()) {
    if (line->empty()) {
      ++empty;
      continue;
    }
    if (empty > 0 && !skip_bad_) source.fail_line("the line before it is empty");
    set_.skipped += std::exchange(empty, 0);
    const Flaw flaw = take(*line);
    if (!flaw) continue;
    if (!skip_bad_) source.fail_line(*flaw);
    ++set_.skipped;
  }
  set_.sources.push_back(source.describe());
}

Flaw DatasetBuilder::add(const Row& row) {
  if (auto flaw = check_name("user", row.user)) return flaw;
  if (auto flaw = check_name("item", row.item)) return flaw;
  const std::uint32_t item = items_.add(row.item);
  set_.interactions.push_back({UserIx{users_.add(row.user)}, ItemIx{item}, row.value, row.at});
  if (row.facts.place) set_place(item, *row.facts.place);
  return std::nullopt;
}

Flaw DatasetBuilder::add_item(std::string_view item, const ItemFacts& facts) {
  if (auto flaw = check_name("item", item)) return flaw;
  has_places_ = has_places_ || facts.place;
  has_capacities_ = has_capacities_ || facts.capacity;
  has_dwell_ = has_dwell_ || facts.dwell;
  if (const auto known = items_.find(item)) set_facts(*known, facts);
  return std::nullopt;
}

void DatasetBuilder::set_facts(std::uint32_t item, const ItemFacts& facts) {
  if (facts.place) set_place(item, *facts.place);
  if (facts.capacity) {
    set_.capacities.resize(items_.size(), kUnlimited);
    set_.capacities[item] = *facts.capacity;
  }
  if (facts.dwell) {
    set_.dwell.resize(items_.size());
    set_.dwell[item] = *facts.dwell;
  }
}

void DatasetBuilder::set_place(std::uint32_t item, Place place) {
  has_places_ = true;
  if (item >= set_.places.size()) {
    set_.places.resize(items_.size(), kNoPlace);
    place_differs_.resize(items_.size());
  }
  if (!is_known(set_.places[item])) {
    set_.places[item] = place;
  } else if (clearly_differ(set_.places[item], place)) {
    place_differs_[item] = true;
  }
}

Dataset DatasetBuilder::finish(const Traits& traits) {
  if (set_.interactions.empty()) {
    throw Error(set_.sources.front().path + ": no data: every line is malformed");
  }
  set_.users = users_.take();
  set_.items = items_.take();
  if (has_places_) finish_places();
  if (has_capacities_) set_.capacities.resize(set_.items.size(), kUnlimited);
  if (has_dwell_) set_.dwell.resize(set_.items.size());
  set_.has_time = traits.has_time;
  set_.has_stars = traits.has_stars;
  if (traits.sort_by_time) sort_by_time(set_);
  return std::move(set_);
}

void DatasetBuilder::finish_places() {
  set_.places.resize(set_.items.size(), kNoPlace);
  if (const auto n = std::count(place_differs_.begin(), place_differs_.end(), true); n > 0) {
    warn("items whose rows lie more than 0.01 degrees apart: " + std::to_string(n) +
         "; the first place counts");
  }
  if (const auto n = std::count_if(set_.places.begin(), set_.places.end(), std::not_fn(is_known));
      n > 0) {
    warn("items without a place: " + std::to_string(n));
  }
}

}  // namespace headroom::sim
