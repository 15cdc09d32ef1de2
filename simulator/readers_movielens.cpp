#include <filesystem>

#include "simulator/data_files.hpp"
#include "simulator/formats.hpp"
#include "simulator/rows.hpp"

namespace headroom::sim {
namespace {

namespace fs = std::filesystem;

constexpr Traits kTraits{.sort_by_time = true, .has_time = true, .has_stars = true};

void read_ratings(const fs::path& file, const std::string& separator, DatasetBuilder& builder) {
  TextSource source(file);
  read_rows(source,
            {.splitter = Splitter::at(separator),
             .columns = {Role::kUser, Role::kItem, Role::kValue, Role::kTime},
             .value = ValueRule::kStars,
             .time = parse_unix_time},
            builder);
}

// ratings.dat, or else the two halves it is passed on in where the true stamps of some ratings are
// lost.
std::vector<fs::path> find_ratings_1m(const fs::path& path, DatasetBuilder& builder) {
  if (!fs::is_directory(path)) return {path};
  if (const auto whole = find_data_file(path, "ratings.dat")) return {*whole};
  const auto exact = find_data_file(path, "ratings_exact.dat");
  const auto binned = find_data_file(path, "ratings_binned.dat");
  if (!exact || !binned) {
    fail_no_file(path, {"ratings.dat", "ratings_exact.dat with ratings_binned.dat"});
  }
  builder.warn("the times of " + binned->filename().string() +
               " are middles of bins: true to some minutes only");
  return {*exact, *binned};
}

}  // namespace

Dataset read_movielens_100k(const ReadOptions& options) {
  fs::path file = options.path;
  if (fs::is_directory(file)) {
    const auto found = find_data_file(file, "u.data");
    if (!found) fail_no_file(file, {"u.data"});
    file = *found;
  }
  DatasetBuilder builder(options.dataset, options.skip_bad);
  read_ratings(file, "\t", builder);
  return builder.finish(kTraits);
}

Dataset read_movielens_1m(const ReadOptions& options) {
  DatasetBuilder builder(options.dataset, options.skip_bad);
  for (const auto& file : find_ratings_1m(options.path, builder)) {
    read_ratings(file, "::", builder);
  }
  return builder.finish(kTraits);
}

}  // namespace headroom::sim
