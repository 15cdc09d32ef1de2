#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>

#include "headroom/base/error.hpp"
#include "simulator/cli.hpp"
#include "simulator/definitions.hpp"
#include "simulator/paper_claims.hpp"
#include "simulator/parse_time.hpp"

namespace headroom::sim {
namespace {

// Least, median and most of how many pairs users or items have.
Json counts(std::vector<std::uint32_t> values) {
  std::sort(values.begin(), values.end());
  return {{"min", values.front()},
          {"median", median_of({values.begin(), values.end()})},
          {"max", values.back()}};
}

std::vector<float> sorted_down(std::vector<float> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

// Figure 1: every setting, sorted in decreasing order.
Json figure_1(const Ratings& ratings, std::uint64_t seed) {
  Json out;
  for (const char* name :
       {"actual", "binning", "uniform-10", "linear-max", "linear-mean", "reverse-binning"}) {
    out["capacities"][name] = sorted_down(capacities(parse_capacity(name), ratings, seed));
  }
  for (const char* name : {"actual", "median", "linear", "liked"}) {
    if (std::string(name) == "liked" && !ratings.has_stars) continue;
    out["propensities"][name] =
        sorted_down(listen_propensities(parse_propensity(name), ratings, seed));
  }
  return out;
}

Json describe(const Dataset& data, const Ratings& ratings, std::uint64_t seed) {
  const auto users = static_cast<double>(ratings.users.size());
  const auto items = static_cast<double>(ratings.items.size());
  std::vector<std::uint32_t> of_user;
  for (std::size_t i = 0; i < ratings.users.size(); ++i) {
    of_user.push_back(static_cast<std::uint32_t>(ratings.of_user(i).size()));
  }
  Json out = {{"users", ratings.users.size()},
              {"items", ratings.items.size()},
              {"ratings", ratings.size()},
              {"tiles", ratings.geography ? Json(ratings.geography->tiles.size()) : Json()},
              {"sparsity", 1.0 - static_cast<double>(ratings.size()) / (users * items)},
              {"ratings_per_user", counts(of_user)},
              {"ratings_per_item", counts(ratings.raters())},
              {"unfiltered",
               {{"interactions", data.interactions.size()},
                {"users", data.users.size()},
                {"items", data.items.size()}}},
              {"from", nullptr},
              {"to", nullptr}};
  if (data.has_time && !data.interactions.empty()) {
    out["from"] = iso_time(data.interactions.front().at);
    out["to"] = iso_time(data.interactions.back().at);
  }
  if (const Table1Row* row = table_1(data.name)) {
    out["paper"] = {{"users", row->users}, {"items", row->items}, {"ratings", row->ratings}};
    if (row->tiles > 0) out["paper"]["tiles"] = row->tiles;
  }
  out["figure_1"] = figure_1(ratings, seed);
  return out;
}

void print_sorted(const char* what, const Json& settings) {
  constexpr double kPlaces[] = {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0};
  std::printf("\n%-24s", what);
  for (const double place : kPlaces) std::printf("%9.0f%%", 100.0 * place);
  for (const auto& [name, values] : settings.items()) {
    std::printf("\n  %-22s", name.c_str());
    for (const double place : kPlaces) {
      const auto at = static_cast<std::size_t>(place * static_cast<double>(values.size() - 1));
      std::printf("%10.4g", values[at].get<double>());
    }
  }
  std::printf("\n");
}

void print_words(const Dataset& data, const Json& about) {
  const auto show = [&](const char* label, const char* key) {
    std::printf("  %-14s %10s", label, about[key].dump().c_str());
    if (about.contains("paper") && about["paper"].contains(key)) {
      const bool same = about["paper"][key] == about[key];
      std::printf("   paper %s%s", about["paper"][key].dump().c_str(), same ? ", equal" : "");
    }
    std::printf("\n");
  };
  std::printf("%s\n", data.name.c_str());
  show("users", "users");
  show("items", "items");
  show("ratings", "ratings");
  show("tiles", "tiles");
  std::printf("  %-14s %10.4f\n", "sparsity", about["sparsity"].get<double>());
  for (const char* key : {"ratings_per_user", "ratings_per_item"}) {
    std::printf("  %-16s min %s, median %s, max %s\n", key, about[key]["min"].dump().c_str(),
                about[key]["median"].dump().c_str(), about[key]["max"].dump().c_str());
  }
  std::printf("  before filtering %zu interactions, %zu users, %zu items\n",
              data.interactions.size(), data.users.size(), data.items.size());
  if (about["from"].is_string()) {
    std::printf("  from %s to %s\n", about["from"].get<std::string>().c_str(),
                about["to"].get<std::string>().c_str());
  }
  print_sorted("capacity, sorted down", about["figure_1"]["capacities"]);
  print_sorted("propensity, sorted down", about["figure_1"]["propensities"]);
}

// Every interaction, in order, as a plain table that any program reads.
void export_tsv(const Dataset& data, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const Interaction& one : data.interactions) {
    file << data.users[index(one.user)] << '\t' << data.items[index(one.item)];
    if (data.has_stars) file << '\t' << one.value;
    if (data.has_time) file << '\t' << one.at.time_since_epoch().count();
    file << '\n';
  }
  if (!file.flush()) throw Error(path + ": cannot be written");
}

}  // namespace

void add_data_command(CLI::App& app, const std::string& command_line) {
  struct Flags {
    DataFlags data;
    std::uint64_t seed = 1;
    std::string export_path;
    bool json = false;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("data", "what a data set holds: Table 1 and Figure 1");
  flags->data.add_to(*command);
  command->add_option("--seed", flags->seed, "of the linear settings")
      ->check(check_whole)
      ->capture_default_str();
  command->add_flag("--json", flags->json, "one object on standard output");
  command->add_option(
      "--export", flags->export_path,
      "also write user, item, stars and time (ms), as far as it has them, here, as tab-separated "
      "lines");
  command->callback([flags, command_line] {
    flags->data.seed = flags->seed;
    const StudySet set = flags->data.load();
    if (!flags->export_path.empty()) export_tsv(set.data, flags->export_path);
    Json about = describe(set.data, set.ratings, flags->seed);
    about["manifest"] = manifest_head(command_line, flags->seed);
    about["manifest"]["data"] = data_manifest(set);
    if (flags->json) {
      std::cout << one_line(about) << '\n';
    } else {
      print_words(set.data, about);
    }
  });
}

}  // namespace headroom::sim
