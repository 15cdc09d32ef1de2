#pragma once

#include <map>
#include <string>
#include <vector>

#include "headroom/base/workers.hpp"
#include "simulator/experiment.hpp"
#include "simulator/study_set.hpp"

namespace headroom::sim {

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
