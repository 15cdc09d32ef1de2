#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::sim {

enum class Role { kUser, kItem, kValue, kTime, kLat, kLon, kCapacity, kDwell };
inline constexpr std::array kRoles{Role::kUser, Role::kItem, Role::kValue,    Role::kTime,
                                   Role::kLat,  Role::kLon,  Role::kCapacity, Role::kDwell};

std::string_view role_word(Role role);

// The names by which the header of a table may call a column of this role, lower case, the most
// telling first.
const std::vector<std::string_view>& header_names(Role role);

// Which column has which role.
class ColumnMap {
 public:
  explicit ColumnMap(std::size_t width) : width_(width) {}
  ColumnMap(std::initializer_list<Role> roles);

  std::size_t width() const { return width_; }  // of a row, in fields
  bool has(Role role) const { return column_[slot(role)].has_value(); }
  void set(Role role, std::size_t column) { column_[slot(role)] = column; }

  // Only for a role the map has, and a row as wide as the map.
  std::string_view cell(const std::vector<std::string_view>& fields, Role role) const {
    return fields[*column_[slot(role)]];
  }

 private:
  static std::size_t slot(Role role) { return static_cast<std::size_t>(role); }

  std::size_t width_;
  std::array<std::optional<std::size_t>, kRoles.size()> column_;
};

// A column map as a user writes it: "user", "-", "item" by position, or "user=USER ID" by header.
class ColumnSpec {
 public:
  // Throws Error, with `flag` in front, if the entries make no map, repeat a role, leave out one of
  // `needed`, or have one that is not in `allowed`.
  ColumnSpec(std::string flag, const std::vector<std::string>& entries,
             std::initializer_list<Role> needed, std::initializer_list<Role> allowed);

  const std::string& flag() const { return flag_; }
  bool by_name() const { return by_name_; }
  bool has(Role role) const;

  ColumnMap by_position() const;

  // Throws Error, with `where` in front, if a name is not in the header, or is there twice.
  ColumnMap by_header(const std::vector<std::string_view>& header, const std::string& where) const;

 private:
  struct Column {
    std::optional<Role> role;  // nothing for a column to pass
    std::string header;
  };

  void add(const std::string& entry);
  [[noreturn]] void fail(const std::string& reason) const;

  std::string flag_;
  std::vector<Column> columns_;
  bool by_name_ = false;
};

}  // namespace headroom::sim
