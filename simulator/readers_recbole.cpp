#include <algorithm>
#include <filesystem>

#include "simulator/data_files.hpp"
#include "simulator/formats.hpp"
#include "simulator/rows.hpp"

namespace headroom::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInter = ".inter";
constexpr std::string_view kItem = ".item";

// One column of an atomic file, "venue_latitude:float".
struct AtomicColumn {
  std::string name;  // lower case
  std::string type;
};

std::vector<AtomicColumn> take_header(TextSource& source, Splitter& splitter) {
  source.expect_data();
  splitter.split(*source.next());
  std::vector<AtomicColumn> columns;
  for (const auto cell : splitter.fields()) {
    const std::size_t colon = cell.rfind(':');
    if (colon == std::string_view::npos) {
      source.fail_line("not a header of RecBole: " + in_quotes(cell) + " is not name:type");
    }
    columns.push_back({lower_case(cell.substr(0, colon)), std::string(cell.substr(colon + 1))});
  }
  return columns;
}

// If several columns go by a name of the role, the most telling name wins.
bool map_role(const std::vector<AtomicColumn>& columns, Role role, ColumnMap& map) {
  for (const auto name : header_names(role)) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name != name) continue;
      map.set(role, i);
      return true;
    }
  }
  return false;
}

bool has_word(std::string_view name, std::string_view word) {
  Splitter words = Splitter::at("_");
  words.split(name);
  return std::count(words.fields().begin(), words.fields().end(), word) > 0;
}

// A coordinate is often called by more than its name, as in venue_latitude.
bool map_coordinate(const std::vector<AtomicColumn>& columns, Role role, ColumnMap& map) {
  if (map_role(columns, role, map)) return true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const auto word : header_names(role)) {
      if (columns[i].type != "float" || !has_word(columns[i].name, word)) continue;
      map.set(role, i);
      return true;
    }
  }
  return false;
}

fs::path find_inter(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  const auto found = find_data_file_ending(path, kInter);
  if (!found) fail_no_file(path, {"*.inter"});
  return *found;
}

// Whether the values are stars, and whether there is time.
Traits read_interactions(const fs::path& file, DatasetBuilder& builder) {
  TextSource source(file);
  Splitter splitter = Splitter::at("\t");
  const auto columns = take_header(source, splitter);
  ColumnMap map(columns.size());
  for (const Role role : {Role::kUser, Role::kItem}) {
    if (!map_role(columns, role, map)) {
      source.fail_line("the header has no column for the " + std::string(role_word(role)));
    }
  }
  const bool valued = map_role(columns, Role::kValue, map);
  const bool timed = map_role(columns, Role::kTime, map);
  const bool stars = read_rows(source, {.splitter = splitter, .columns = map}, builder);
  return {.sort_by_time = timed, .has_time = timed, .has_stars = valued && stars};
}

void read_item_places(const fs::path& file, DatasetBuilder& builder) {
  TextSource source(file);
  Splitter splitter = Splitter::at("\t");
  const auto columns = take_header(source, splitter);
  ColumnMap map(columns.size());
  if (!map_coordinate(columns, Role::kLat, map) || !map_coordinate(columns, Role::kLon, map)) {
    return;  // items of another kind than places
  }
  if (!map_role(columns, Role::kItem, map)) {
    source.fail_line("the header has no column for the item");
  }
  read_places(source, {.splitter = splitter, .columns = map}, builder);
}

}  // namespace

Dataset read_recbole(const ReadOptions& options) {
  DatasetBuilder builder(options.dataset, options.skip_bad);
  const fs::path inter = find_inter(options.path);
  const Traits traits = read_interactions(inter, builder);
  std::string name = unpacked_name(inter);
  if (name.ends_with(kInter)) name.resize(name.size() - kInter.size());
  if (const auto items = find_data_file(inter.parent_path(), name.append(kItem))) {
    read_item_places(*items, builder);
  }
  return builder.finish(traits);
}

}  // namespace headroom::sim
