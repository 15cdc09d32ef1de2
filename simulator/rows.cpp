#include "simulator/rows.hpp"

#include <cmath>
#include <limits>

namespace headroom::sim {
namespace {

// As the wire format has them.
constexpr double kMostSeats = 1e9;
constexpr int kLongestDwell = 10'080;

bool is_star(double value) { return value >= 1 && value <= 5; }

using Fields = std::vector<std::string_view>;

Flaw take_value(const RowFormat& format, const Fields& fields, Row& row) {
  const auto cell = format.columns.cell(fields, Role::kValue);
  const auto value = parse_number(cell);
  if (!value || std::abs(*value) > std::numeric_limits<float>::max()) {
    return "the value " + in_quotes(cell) + " is not a number";
  }
  if (format.value == ValueRule::kStars && !is_star(*value)) {
    return "the rating " + in_quotes(cell) + " is not 1 to 5";
  }
  if (format.value == ValueRule::kVisits && *value < 1) {
    return "the number of visits " + in_quotes(cell) + " is not 1 or more";
  }
  row.value = static_cast<float>(*value);
  return std::nullopt;
}

Flaw take_time(const RowFormat& format, const Fields& fields, Row& row) {
  const auto cell = format.columns.cell(fields, Role::kTime);
  const auto at = format.time(cell);
  if (!at) return "the time " + in_quotes(cell) + " is not understood or not in 1900 to 2200";
  row.at = *at;
  return std::nullopt;
}

Flaw take_place(const RowFormat& format, const Fields& fields, Row& row) {
  const auto lat = format.columns.cell(fields, Role::kLat);
  const auto lon = format.columns.cell(fields, Role::kLon);
  row.facts.place = parse_place(lat, lon);
  if (!row.facts.place)
    return "no place on earth: lat " + in_quotes(lat) + ", lon " + in_quotes(lon);
  return std::nullopt;
}

// An empty cell: unlimited.
Flaw take_capacity(const RowFormat& format, const Fields& fields, Row& row) {
  const auto cell = format.columns.cell(fields, Role::kCapacity);
  row.facts.capacity = std::numeric_limits<float>::infinity();
  if (cell.empty()) return std::nullopt;
  const auto seats = parse_number(cell);
  if (!seats || *seats < 0 || *seats > kMostSeats) {
    return "the capacity " + in_quotes(cell) + " is not a number from 0 to 1e9";
  }
  row.facts.capacity = static_cast<float>(*seats);
  return std::nullopt;
}

// An empty cell: not known.
Flaw take_dwell(const RowFormat& format, const Fields& fields, Row& row) {
  const auto cell = format.columns.cell(fields, Role::kDwell);
  row.facts.dwell = std::chrono::minutes(0);
  if (cell.empty()) return std::nullopt;
  const auto minutes = parse_count(cell);
  if (!minutes || *minutes < 1 || *minutes > kLongestDwell) {
    return "the dwell time " + in_quotes(cell) + " is not whole minutes from 1 to 10080";
  }
  row.facts.dwell = std::chrono::minutes(*minutes);
  return std::nullopt;
}

Flaw take_row(RowFormat& format, std::string_view line, Row& row) {
  if (auto flaw = format.splitter.split(line)) return flaw;
  const Fields& fields = format.splitter.fields();
  const ColumnMap& columns = format.columns;
  if (auto flaw = check_field_count(columns.width(), fields.size())) return flaw;
  row.item = columns.cell(fields, Role::kItem);
  if (columns.has(Role::kUser)) row.user = columns.cell(fields, Role::kUser);
  Flaw flaw;
  if (columns.has(Role::kValue)) flaw = take_value(format, fields, row);
  if (!flaw && columns.has(Role::kTime)) flaw = take_time(format, fields, row);
  if (!flaw && columns.has(Role::kLat)) flaw = take_place(format, fields, row);
  if (!flaw && columns.has(Role::kCapacity)) flaw = take_capacity(format, fields, row);
  if (!flaw && columns.has(Role::kDwell)) flaw = take_dwell(format, fields, row);
  return flaw;
}

}  // namespace

bool read_rows(TextSource& source, RowFormat format, DatasetBuilder& builder) {
  // Counts of visits may lie in 1 to 5 too; stars are liked and disliked.
  bool stars = true, liked = false, disliked = false;
  builder.read(source, [&](std::string_view line) {
    Row row;
    Flaw flaw = take_row(format, line, row);
    if (!flaw) flaw = builder.add(row);
    if (!flaw) {
      stars = stars && is_star(row.value);
      (row.value >= kLikedStars ? liked : disliked) = true;
    }
    return flaw;
  });
  return stars && liked && disliked;
}

void read_places(TextSource& source, RowFormat format, DatasetBuilder& builder) {
  builder.read(source, [&](std::string_view line) {
    Row row;
    Flaw flaw = take_row(format, line, row);
    return flaw ? flaw : builder.add_item(row.item, row.facts);
  });
}

}  // namespace headroom::sim
