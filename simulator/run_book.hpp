#pragma once

#include <map>
#include <string>
#include <vector>

#include "headroom/base/workers.hpp"
#include "simulator/dataset.hpp"
#include "simulator/experiment.hpp"
#include "simulator/ratings.hpp"

namespace headroom::sim {

// A data set that figures are made of.
struct StudySet {
  std::string name;
  Dataset data;
  PrepareOptions options;
  Ratings ratings;

  bool has_places() const { return ratings.geography.has_value(); }
  Method rating_method() const { return has_places() ? Method::kGeoMf : Method::kPmf; }
  Method ranking_method() const { return has_places() ? Method::kGeoBpr : Method::kBpr; }
};

// The experiments behind a report, each run once however many figures show it. Figures are gone
// through twice: first the book only notes what they ask for, so that the whole work is known and
// its progress can be shown; after run_all() it answers.
class RunBook {
 public:
  explicit RunBook(Workers& workers) : workers_(workers) {}

  bool planning() const { return !ran_; }
  const std::vector<Measured>& runs(const StudySet& set, const Experiment& experiment);
  void run_all();  // with a progress bar on a terminal
  Workers& workers() { return workers_; }

 private:
  struct Wanted {
    const StudySet* set;
    Experiment experiment;
    std::vector<Measured> runs;
  };
  Workers& workers_;
  std::map<std::string, Wanted> wanted_;
  bool ran_ = false;
};

}  // namespace headroom::sim
