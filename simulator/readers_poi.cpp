#include <chrono>
#include <filesystem>

#include "headroom/base/error.hpp"
#include "simulator/data_files.hpp"
#include "simulator/formats.hpp"
#include "simulator/rows.hpp"

namespace headroom::sim {
namespace {

namespace fs = std::filesystem;

using Find = std::optional<fs::path> (*)(const fs::path&, std::string_view);

// The files of a set that its publisher split in three, in this order. Some may be missing, not
// all.
std::vector<fs::path> find_splits(const fs::path& folder, Find find, const std::string& prefix,
                                  DatasetBuilder& builder) {
  if (!fs::is_directory(folder)) {
    throw Error(folder.string() + ": not a folder; give the one that holds the set's files");
  }
  const std::vector<std::string> names{prefix + "train.txt", prefix + "tune.txt",
                                       prefix + "test.txt"};
  std::vector<fs::path> files;
  std::vector<std::string> missing;
  for (const auto& name : names) {
    const auto file = find(folder, name);
    file ? files.push_back(*file) : missing.push_back(name);
  }
  if (files.empty()) fail_no_file(folder, names);
  for (const auto& name : missing) {
    builder.warn(folder.string() + ": " + name + " is missing, this is only part of the set");
  }
  return files;
}

// Day labels count days from some start; as days since 1970 they give a defined order.
std::optional<Time> label_time(std::string_view clock, std::string_view day) {
  constexpr int kMostDays = 80'000;
  const auto of_day = parse_clock(clock);
  const auto days = parse_count(day);
  if (!of_day || !days || *days > kMostDays) return std::nullopt;
  return Time(std::chrono::days(*days) + *of_day);
}

// USER_1 <tab> LOC_2 <tab> lat,lon <tab> HH:MM <tab> day label
Flaw take_yuan(Splitter& splitter, std::string_view line, DatasetBuilder& builder) {
  if (auto flaw = splitter.split(line)) return flaw;
  const auto& fields = splitter.fields();
  if (auto flaw = check_field_count(5, fields.size())) return flaw;
  const std::string_view pair = fields[2];
  const std::size_t comma = pair.find(',');
  const auto place = comma == std::string_view::npos
                         ? std::nullopt
                         : parse_place(pair.substr(0, comma), pair.substr(comma + 1));
  if (!place) return "no place on earth: " + in_quotes(pair);
  const auto at = label_time(fields[3], fields[4]);
  if (!at) {
    return "not HH:MM and a day label: " + in_quotes(fields[3]) + ", " + in_quotes(fields[4]);
  }
  return builder.add({.user = fields[0], .item = fields[1], .at = *at, .facts = {.place = place}});
}

fs::path find_snap(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  const std::vector<std::string> names{"loc-gowalla_totalCheckins.txt",
                                       "loc-brightkite_totalCheckins.txt", "gowalla_events.csv"};
  std::optional<fs::path> found;
  for (const auto& name : names) {
    const auto file = find_data_file(path, name);
    if (file && found) {
      throw Error(path.string() + ": holds " + found->filename().string() + " and " +
                  file->filename().string() + "; give one of them");
    }
    if (file) found = file;
  }
  if (!found) fail_no_file(path, names);
  return *found;
}

}  // namespace

Dataset read_yuan(const ReadOptions& options) {
  DatasetBuilder builder(options.dataset, options.skip_bad);
  builder.warn("the order of days is arbitrary: the set's day labels are no dates");
  Splitter splitter = Splitter::at("\t");
  for (const auto& file : find_splits(options.path, find_data_file, "", builder)) {
    TextSource source(file);
    builder.read(source, [&](std::string_view line) { return take_yuan(splitter, line, builder); });
  }
  return builder.finish({.sort_by_time = true});
}

Dataset read_snap(const ReadOptions& options) {
  DatasetBuilder builder(options.dataset, options.skip_bad);
  TextSource source(find_snap(options.path));
  read_rows(source,
            {.splitter = Splitter::at("\t"),
             .columns = {Role::kUser, Role::kTime, Role::kLat, Role::kLon, Role::kItem},
             .time = parse_iso_time},
            builder);
  return builder.finish({.sort_by_time = true, .has_time = true});
}

Dataset read_liu(const ReadOptions& options) {
  DatasetBuilder builder(options.dataset, options.skip_bad);
  for (const auto& file : find_splits(options.path, find_data_file_ending, "_", builder)) {
    TextSource source(file);
    read_rows(source,
              {.splitter = Splitter::at("\t"),
               .columns = {Role::kUser, Role::kItem, Role::kValue},
               .value = ValueRule::kVisits},
              builder);
  }
  if (const auto file = find_data_file_ending(options.path, "_poi_coos.txt")) {
    TextSource source(*file);
    read_places(source,
                {.splitter = Splitter::at("\t"), .columns = {Role::kItem, Role::kLat, Role::kLon}},
                builder);
  } else {
    builder.warn(options.path.string() + ": _poi_coos.txt is missing, the items have no places");
  }
  return builder.finish({});
}

}  // namespace headroom::sim
