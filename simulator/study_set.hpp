#pragma once

#include <string>

#include "simulator/dataset.hpp"
#include "simulator/experiment.hpp"
#include "simulator/ratings.hpp"

namespace headroom::sim {

// A data set ready for experiments: as it was read, and what is left to study.
struct StudySet {
  std::string name;
  Dataset data;
  PrepareOptions options;
  Ratings ratings;

  bool has_places() const { return ratings.geography.has_value(); }
  Method rating_method() const { return has_places() ? Method::kGeoMf : Method::kPmf; }
  Method ranking_method() const { return has_places() ? Method::kGeoBpr : Method::kBpr; }
};

}  // namespace headroom::sim
