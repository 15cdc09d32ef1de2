#include <algorithm>

#include "headroom/base/error.hpp"
#include "simulator/formats.hpp"
#include "simulator/rows.hpp"

namespace headroom::sim {
namespace {

using Fields = std::vector<std::string_view>;

bool is_usual_name(std::string_view cell, Role role) {
  const auto& names = header_names(role);
  return std::find(names.begin(), names.end(), lower_case(cell)) != names.end();
}

// A first line is a header only if it can't be data and some column has a usual name: a malformed
// first row must not be taken for one.
bool is_header(const Fields& cells, const RowFormat& format) {
  if (cells.size() != format.columns.width()) return false;
  bool named = false;
  for (const Role role : kRoles) {
    if (!format.columns.has(role)) continue;
    const auto cell = format.columns.cell(cells, role);
    named = named || is_usual_name(cell, role);
    if (role == Role::kTime && format.time(cell)) return false;
    const bool number = role == Role::kValue || role == Role::kLat || role == Role::kLon ||
                        role == Role::kCapacity || role == Role::kDwell;
    if (number && parse_number(cell)) return false;
  }
  return named;
}

// Reads past the header of `source`, if there is one.
RowFormat start_table(TextSource& source, const ColumnSpec& spec, const ReadOptions& options,
                      Splitter splitter) {
  RowFormat format{.splitter = std::move(splitter), .columns = spec.by_position()};
  if (options.time_format) format.time = time_parser(*options.time_format);
  source.expect_data();
  const Flaw flaw = format.splitter.split(*source.peek());
  const Fields& cells = format.splitter.fields();
  if (spec.by_name()) {
    if (flaw) throw Error(source.path() + ":1: " + *flaw);
    format.columns = spec.by_header(cells, source.path() + ":1");
  }
  const bool header = spec.by_name() || options.header == Header::kYes ||
                      (options.header == Header::kAuto && !flaw && is_header(cells, format));
  if (header) source.next();
  return format;
}

ColumnSpec main_columns(const ReadOptions& options) {
  ColumnSpec spec("--columns", options.columns, {Role::kUser, Role::kItem},
                  {Role::kUser, Role::kItem, Role::kValue, Role::kTime, Role::kLat, Role::kLon});
  if (options.time_format && !spec.has(Role::kTime)) {
    throw Error("--columns: no column is time, so a time format has no use");
  }
  return spec;
}

std::optional<ColumnSpec> place_columns(const ReadOptions& options, const ColumnSpec& main) {
  if (!options.places) {
    if (options.place_columns.empty()) return std::nullopt;
    throw Error("--place-columns: no file of places is given");
  }
  ColumnSpec spec("--place-columns", options.place_columns, {Role::kItem},
                  {Role::kItem, Role::kLat, Role::kLon, Role::kCapacity, Role::kDwell});
  if (!spec.has(Role::kLat) && !spec.has(Role::kCapacity)) {
    throw Error("--place-columns: no column is lat, lon or capacity");
  }
  if (main.has(Role::kLat) && spec.has(Role::kLat)) {
    throw Error("--columns: lat and lon are in the file of places too");
  }
  return spec;
}

void require_header(const ColumnSpec& spec, Header header) {
  if (spec.by_name() && header == Header::kNo) {
    throw Error(spec.flag() + ": ROLE=HEADER needs a header, and the file is said to have none");
  }
}

Dataset read_table(const ReadOptions& options, const Splitter& splitter) {
  const ColumnSpec columns = main_columns(options);
  const std::optional<ColumnSpec> places = place_columns(options, columns);
  require_header(columns, options.header);
  if (places) require_header(*places, options.header);

  DatasetBuilder builder(options.dataset, options.skip_bad);
  TextSource source(options.path);
  const bool stars = read_rows(source, start_table(source, columns, options, splitter), builder);
  if (places) {
    TextSource place_source(*options.places);
    read_places(place_source, start_table(place_source, *places, options, splitter), builder);
  }
  const bool time = columns.has(Role::kTime);
  return builder.finish(
      {.sort_by_time = time, .has_time = time, .has_stars = stars && columns.has(Role::kValue)});
}

}  // namespace

Dataset read_tsv(const ReadOptions& options) { return read_table(options, Splitter::at("\t")); }

Dataset read_csv(const ReadOptions& options) { return read_table(options, Splitter::csv()); }

}  // namespace headroom::sim
