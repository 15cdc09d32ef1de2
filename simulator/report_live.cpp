#include <algorithm>
#include <cmath>

#include "simulator/live_files.hpp"
#include "simulator/report.hpp"

namespace headroom::sim {
namespace {

// What a page can hold: moments of a curve, and loads of all maps.
constexpr std::size_t kMostMoments = 400, kMostLoads = 400'000;

// How many quarters of an hour are shown as one.
std::size_t width_of(const LifeSeen& seen) {
  return std::max<std::size_t>(1, (seen.curve.size() + kMostMoments - 1) / kMostMoments);
}

// Means over neighbours, to a hundredth.
template <class Of>
Json means_of(const LifeSeen& seen, const Of& of) {
  const std::size_t width = width_of(seen), size = seen.curve.size();
  Json out = Json::array();
  for (std::size_t from = 0; from < size; from += width) {
    const std::size_t to = std::min(from + width, size);
    double sum = 0.0;
    for (std::size_t n = from; n < to; ++n) sum += static_cast<double>(of(n));
    out.push_back(std::round(100.0 * sum / static_cast<double>(to - from)) / 100.0);
  }
  return out;
}

Json columns_of(const LifeSeen& seen) {
  constexpr std::pair<const char*, double LifeSlice::*> kColumns[] = {
      {"asked", &LifeSlice::asked},
      {"followed", &LifeSlice::followed},
      {"seated", &LifeSlice::seated},
      {"turned_away", &LifeSlice::turned_away},
      {"gave_up", &LifeSlice::gave_up},
      {"waiting", &LifeSlice::waiting},
      {"overloaded_items", &LifeSlice::overloaded_items},
      {"value", &LifeSlice::value}};
  Json out;
  for (const auto& [name, column] : kColumns) {
    out[name] = means_of(seen, [&, of = column](std::size_t n) { return seen.curve[n].*of; });
  }
  return out;
}

// The default and the unconstrained lists first: what a map compares.
std::vector<std::size_t> in_order_of_maps(const LiveRuns& runs) {
  std::vector<std::size_t> order(runs.policies.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
  const auto rank = [&](std::size_t p) {
    return runs.policies[p].is_default ? 0 : runs.policies[p].name == "unconstrained" ? 1 : 2;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

// Those places that were fullest under the default, as many as two maps can hold.
std::vector<std::uint32_t> mapped_items(const LifeSeen& seen, const LifePlan& city) {
  const std::size_t moments = std::max<std::size_t>(1, seen.curve.size() / width_of(seen));
  std::vector<float> fullest(city.options().items);
  for (const auto& load : seen.load) {
    for (std::uint32_t j = 0; j < load.size(); ++j) {
      const auto limit = static_cast<float>(city.capacity(j).limit);
      fullest[j] = std::max(fullest[j], load[j] / limit);
    }
  }
  std::vector<std::uint32_t> items(fullest.size());
  for (std::uint32_t j = 0; j < items.size(); ++j) items[j] = j;
  std::stable_sort(items.begin(), items.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return fullest[a] > fullest[b]; });
  items.resize(std::min(items.size(), kMostLoads / (2 * moments)));
  std::sort(items.begin(), items.end());
  return items;
}

Json place_of(const LifePlan& city, std::uint32_t item) {
  const char* const kinds[] = {"seats", "stock", "rate"};
  const Spot& spot = city.city().spots()[item];
  return {{"name", city.city().image(item).title},
          {"kind", traits(spot.kind).name},
          {"lat", spot.at.lat},
          {"lon", spot.at.lon},
          {"capacity", city.capacity(item).limit},
          {"of", kinds[static_cast<std::size_t>(city.capacity(item).kind)]}};
}

Json map_of(const LiveRuns& runs, const LifePlan& city) {
  const LifeSeen& shown = runs.at(runs.default_policy(), 0);
  const auto items = mapped_items(shown, city);
  Json out = {{"places", Json::array()}, {"loads", Json::array()}};
  for (const std::uint32_t item : items) out["places"].push_back(place_of(city, item));
  std::size_t left = kMostLoads;
  for (const std::size_t p : in_order_of_maps(runs)) {
    const LifeSeen& seen = runs.at(p, 0);
    const std::size_t loads = items.size() * (seen.curve.size() / width_of(seen));
    if (loads > left) break;
    left -= loads;
    Json by_place = Json::array();
    for (const std::uint32_t item : items) {
      by_place.push_back(means_of(seen, [&](std::size_t n) { return seen.load[n][item]; }));
    }
    out["loads"].push_back({{"policy", runs.policies[p].name}, {"people", std::move(by_place)}});
  }
  return out;
}

}  // namespace

Json report_data(const LiveRuns& runs, const LifePlan& first) {
  Json out = {{"kind", "live"}};
  out.update(live_json(runs));
  const LifeSeen& seen = runs.at(0, 0);
  Json& moments = out["moments"];
  for (std::size_t n = 0; n < seen.curve.size(); n += width_of(seen)) {
    moments.push_back(seen.curve[n].from.time_since_epoch().count());
  }
  out["moment_minutes"] = kLifeSlice.count() * static_cast<std::int64_t>(width_of(seen));
  for (std::size_t p = 0; p < runs.policies.size(); ++p) {
    out["policies"][p]["curve"] = columns_of(runs.at(p, 0));
  }
  out["map"] = map_of(runs, first);
  return out;
}

}  // namespace headroom::sim
