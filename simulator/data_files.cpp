#include "simulator/data_files.hpp"

#include <algorithm>
#include <array>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kSuffixes{"", ".gz", ".xz", ".zst"};

}  // namespace

std::optional<fs::path> find_data_file(const fs::path& folder, std::string_view name) {
  for (const auto suffix : kSuffixes) {
    const fs::path file = folder / (std::string(name) += suffix);
    std::error_code error;
    if (fs::is_regular_file(file, error)) return file;
    if (error && error != std::errc::no_such_file_or_directory) {
      throw Error(file.string() + ": " + error.message());
    }
  }
  return std::nullopt;
}

std::optional<fs::path> find_data_file_ending(const fs::path& folder, std::string_view ending) {
  std::string found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = unpacked_name(entry.path());
    if (!entry.is_regular_file() || !name.ends_with(ending) || name == found) continue;
    if (!found.empty()) {
      throw Error(folder.string() + ": two files end in " + std::string(ending) + ": " +
                  std::min(found, name) + " and " + std::max(found, name));
    }
    found = name;
  }
  if (error) throw Error(folder.string() + ": " + error.message());
  return found.empty() ? std::nullopt : find_data_file(folder, found);
}

std::string unpacked_name(const fs::path& file) {
  std::string name = file.filename().string();
  for (const auto suffix : kSuffixes) {
    if (!suffix.empty() && name.ends_with(suffix)) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

void fail_no_file(const fs::path& folder, const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  throw Error(folder.string() + ": holds none of " + list + " (nor a .gz, .xz or .zst of it)");
}

}  // namespace headroom::sim
