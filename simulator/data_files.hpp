#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::sim {

// The file of this name in `folder`, or its compressed form (NAME.gz, NAME.xz, NAME.zst). If it is
// there in several forms, the plain one.
std::optional<std::filesystem::path> find_data_file(const std::filesystem::path& folder,
                                                    std::string_view name);

// The one file of `folder` whose name, without .gz, .xz or .zst, ends with `ending`. Two of
// different names are an Error.
std::optional<std::filesystem::path> find_data_file_ending(const std::filesystem::path& folder,
                                                           std::string_view ending);

// A file's name without .gz, .xz or .zst.
std::string unpacked_name(const std::filesystem::path& file);

// Throws Error: `folder` holds none of `names`.
[[noreturn]] void fail_no_file(const std::filesystem::path& folder,
                               const std::vector<std::string>& names);

}  // namespace headroom::sim
