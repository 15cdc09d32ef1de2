#include "simulator/generated.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "headroom/base/error.hpp"
#include "headroom/base/random.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kDistricts = 7, kKinds = 6;
constexpr double kTravel = 0.02;  // degrees: how far people like to go
// A town of about 20 km on the equator, where a degree is the same both ways.
constexpr Place kCentre{0.5, 30.0};

// Places for random numbers: users and items have theirs, these are the town's.
enum : std::uint64_t { kTown = 1ULL << 40, kShop = 1ULL << 41, kPerson = 1ULL << 42 };

struct Shop {
  Place place;
  std::size_t kind;
  double popularity;
};

std::array<Place, kDistricts> draw_districts(std::uint64_t seed) {
  Draws draws(seed, Purpose::kWorld, kTown);
  std::array<Place, kDistricts> districts;
  for (Place& d : districts) {
    d = {kCentre.lat + 0.05 * draws.normal(), kCentre.lon + 0.05 * draws.normal()};
  }
  return districts;
}

Shop draw_shop(std::uint64_t seed, std::size_t number, const std::array<Place, kDistricts>& town) {
  Draws draws(seed, Purpose::kWorld, kShop + number);
  const Place& district = town[draws.below(kDistricts)];
  Shop shop;
  shop.place = {district.lat + 0.012 * draws.normal(), district.lon + 0.012 * draws.normal()};
  shop.kind = draws.below(kKinds);
  shop.popularity = std::exp(1.3 * draws.normal());
  return shop;
}

Time draw_time(Draws& draws) {
  using namespace std::chrono;
  constexpr std::array<double, 2> kPeaks = {12.5, 19.5};
  const double hour = kPeaks[draws.uniform() < 0.4 ? 0 : 1] + 1.5 * draws.normal();
  const double day = std::floor(60.0 * draws.uniform());
  const auto since = milliseconds(static_cast<std::int64_t>((day * 24.0 + hour) * 3.6e6));
  return Time(sys_days(year(2026) / 1 / 1)) + since;
}

// The best keys u^(1/weight) are a draw without replacement in proportion to the weights.
std::vector<std::uint32_t> draw_visits(const std::vector<Shop>& shops, Draws& draws) {
  const Shop& home = shops[draws.below(static_cast<std::uint32_t>(shops.size()))];
  std::array<double, kKinds> taste;
  for (double& t : taste) t = std::exp(draws.normal());
  const double wanted = std::exp(3.0 + 0.6 * draws.normal());
  const auto count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 4, shops.size() / 3);

  std::vector<std::pair<double, std::uint32_t>> keys;
  for (std::uint32_t j = 0; j < shops.size(); ++j) {
    const double away =
        std::hypot(shops[j].place.lat - home.place.lat, shops[j].place.lon - home.place.lon);
    const double weight = shops[j].popularity * taste[shops[j].kind] * std::exp(-away / kTravel);
    keys.emplace_back(std::log(1.0 - draws.uniform()) / (weight + 1e-12), j);
  }
  const auto last = keys.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(keys.begin(), last, keys.end(), std::greater<>());
  std::vector<std::uint32_t> visits;
  for (auto key = keys.begin(); key != last; ++key) visits.push_back(key->second);
  return visits;
}

}  // namespace

Dataset generate_city(const CityOptions& options) {
  if (options.users < 2 || options.items < 20) {
    throw Error("a generated city needs at least 2 users and 20 items");
  }
  Dataset data;
  data.name = "generated";
  data.has_time = true;
  const auto town = draw_districts(options.seed);
  std::vector<Shop> shops;
  for (std::size_t j = 0; j < options.items; ++j) {
    shops.push_back(draw_shop(options.seed, j, town));
    data.places.push_back(shops.back().place);
    data.items.push_back("place-" + std::to_string(j));
  }
  for (std::uint32_t i = 0; i < options.users; ++i) {
    data.users.push_back("user-" + std::to_string(i));
    Draws draws(options.seed, Purpose::kWorld, kPerson + i);
    for (const std::uint32_t j : draw_visits(shops, draws)) {
      data.interactions.push_back({UserIx{i}, ItemIx{j}, 1.0F, draw_time(draws)});
    }
  }
  std::stable_sort(data.interactions.begin(), data.interactions.end(),
                   [](const Interaction& a, const Interaction& b) { return a.at < b.at; });
  return data;
}

}  // namespace headroom::sim
