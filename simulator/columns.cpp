#include "simulator/columns.hpp"

#include <algorithm>

#include "headroom/base/error.hpp"
#include "simulator/fields.hpp"

namespace headroom::sim {
namespace {

struct RoleWords {
  std::string_view word;
  std::vector<std::string_view> header_names;
};

const RoleWords& words(Role role) {
  static const std::array<RoleWords, kRoles.size()> kWords{{
      {"user", {"user_id", "user", "userid", "uid", "username", "reviewerid"}},
      {"item", {"item_id",    "item",        "itemid",    "iid",      "venue_id",    "venue",
                "venueid",    "poi_id",      "poi",       "poiid",    "location_id", "location",
                "locationid", "business_id", "business",  "movie_id", "movie",       "movieid",
                "product_id", "product",     "productid", "place_id", "place",       "asin"}},
      {"value", {"rating", "value", "stars", "ratings", "score", "count", "visits"}},
      {"time",
       {"timestamp", "time", "datetime", "date", "utc", "utc_time", "utctime", "utctimestamp",
        "utc_timestamp", "local_time", "checkin_time", "check-in time", "created_at"}},
      {"lat", {"latitude", "lat"}},
      {"lon", {"longitude", "lon", "lng", "long"}},
      {"capacity", {"capacity", "seats", "max_capacity"}},
      {"dwell", {"dwell_minutes", "dwell", "dwell_time", "stay_minutes"}},
  }};
  return kWords[static_cast<std::size_t>(role)];
}

std::optional<Role> find_role(std::string_view word) {
  for (const Role role : kRoles) {
    if (role_word(role) == word) return role;
  }
  return std::nullopt;
}

bool contains(std::initializer_list<Role> roles, Role role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

}  // namespace

std::string_view role_word(Role role) { return words(role).word; }

const std::vector<std::string_view>& header_names(Role role) { return words(role).header_names; }

ColumnMap::ColumnMap(std::initializer_list<Role> roles) : width_(roles.size()) {
  std::size_t column = 0;
  for (const Role role : roles) set(role, column++);
}

ColumnSpec::ColumnSpec(std::string flag, const std::vector<std::string>& entries,
                       std::initializer_list<Role> needed, std::initializer_list<Role> allowed)
    : flag_(std::move(flag)) {
  if (entries.empty()) fail("give " + flag_ + " to say which column is what");
  by_name_ = entries.front().find('=') != std::string::npos;
  for (const auto& entry : entries) add(entry);
  for (const auto& column : columns_) {
    if (column.role && !contains(allowed, *column.role)) {
      fail("no column of this file can be " + std::string(role_word(*column.role)));
    }
  }
  for (const Role role : needed) {
    if (!has(role)) fail("no column is " + std::string(role_word(role)));
  }
  if (has(Role::kLat) != has(Role::kLon)) fail("lat and lon go together");
}

void ColumnSpec::add(const std::string& entry) {
  const std::size_t equals = entry.find('=');
  if ((equals != std::string::npos) != by_name_) {
    fail("give either every column as ROLE=HEADER or none");
  }
  const std::string word = entry.substr(0, equals);
  const auto role = find_role(word);
  if (!role && (by_name_ || word != "-")) {
    fail(in_quotes(word) +
         " is no role; they are user, item, value, time, lat, lon, capacity, dwell" +
         (by_name_ ? "" : " and - for none"));
  }
  if (role && has(*role)) fail("two columns are " + word);
  columns_.push_back({role, by_name_ ? entry.substr(equals + 1) : ""});
}

void ColumnSpec::fail(const std::string& reason) const { throw Error(flag_ + ": " + reason); }

bool ColumnSpec::has(Role role) const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [&](const Column& column) { return column.role == role; });
}

ColumnMap ColumnSpec::by_position() const {
  ColumnMap map(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].role) map.set(*columns_[i].role, i);
  }
  return map;
}

ColumnMap ColumnSpec::by_header(const std::vector<std::string_view>& header,
                                const std::string& where) const {
  ColumnMap map(header.size());
  for (const auto& column : columns_) {
    const auto found = std::find(header.begin(), header.end(), column.header);
    if (found == header.end()) {
      throw Error(where + ": the header has no column " + in_quotes(column.header));
    }
    if (std::count(found, header.end(), column.header) > 1) {
      throw Error(where + ": the header has two columns " + in_quotes(column.header));
    }
    map.set(*column.role, static_cast<std::size_t>(found - header.begin()));
  }
  return map;
}

}  // namespace headroom::sim
