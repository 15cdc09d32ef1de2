#include "simulator/readers.hpp"

#include <algorithm>
#include <filesystem>

#include "headroom/base/error.hpp"
#include "simulator/fields.hpp"
#include "simulator/formats.hpp"

namespace headroom::sim {
namespace {

struct Format {
  DatasetName name;
  Dataset (*read)(const ReadOptions&);
};

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats{
      {{"ml-100k", "MovieLens 100K: folder or u.data", false}, read_movielens_100k},
      {{"ml-1m", "MovieLens 1M: folder or ratings.dat", false}, read_movielens_1m},
      {{"foursquare", "Foursquare Singapore (Yuan 2013): folder of train, tune, test.txt", true},
       read_yuan},
      {{"gowalla", "Gowalla California (Yuan 2013): folder of train, tune, test.txt", true},
       read_yuan},
      {{"snap", "Gowalla or Brightkite of SNAP: folder or file of check-ins", true}, read_snap},
      {{"liu2017", "Liu 2017: folder of *_train, *_tune, *_test, *_poi_coos.txt", true}, read_liu},
      {{"recbole", "RecBole: .inter file or its folder", false}, read_recbole},
      {{"tsv", "any table, tab between fields; needs --columns", false}, read_tsv},
      {{"csv", "any table, comma between fields; needs --columns", false}, read_csv},
  };
  return kFormats;
}

bool has_table_options(const ReadOptions& options) {
  return !options.columns.empty() || options.places || !options.place_columns.empty() ||
         options.header != Header::kAuto || options.time_format;
}

}  // namespace

const std::vector<DatasetName>& dataset_names() {
  static const std::vector<DatasetName> kNames = [] {
    std::vector<DatasetName> names;
    for (const auto& format : formats()) names.push_back(format.name);
    return names;
  }();
  return kNames;
}

Dataset read_dataset(const ReadOptions& options) {
  const auto format = std::find_if(formats().begin(), formats().end(),
                                   [&](const Format& f) { return f.name.name == options.dataset; });
  if (format == formats().end()) {
    std::string words = "no dataset is called " + in_quotes(options.dataset) + "; they are";
    for (const auto& known : dataset_names()) words += " " + known.name;
    throw Error(words);
  }
  const bool table = format->read == read_tsv || format->read == read_csv;
  if (!table && has_table_options(options)) {
    throw Error(options.dataset +
                " knows its own columns: columns, places, header and time format "
                "are for tsv and csv");
  }
  std::error_code error;
  if (!std::filesystem::exists(options.path, error)) {
    throw Error(options.path.string() + ": " +
                (error ? error.message() : "No such file or directory"));
  }
  return format->read(options);
}

}  // namespace headroom::sim
