#include "simulator/run_book.hpp"

#include "simulator/cli.hpp"
#include "simulator/progress.hpp"

namespace headroom::sim {

const std::vector<Measured>& RunBook::runs(const StudySet& set, const Experiment& experiment) {
  Wanted& wanted = wanted_[set.name + " " + to_json(experiment).dump()];
  if (planning()) {
    wanted = {&set, experiment, std::vector<Measured>(experiment.repeats)};
  }
  return wanted.runs;
}

void RunBook::run_all() {
  ProgressBar bar("about");
  std::size_t done = 0;
  for (auto& entry : wanted_) {
    Wanted& wanted = entry.second;
    const std::string words = "run " + std::to_string(done + 1) + " of " +
                              std::to_string(wanted_.size()) + ": " + wanted.set->name + " " +
                              std::string(to_string(wanted.experiment.method));
    const auto report = [&](const RunProgress& now) {
      const double repeats =
          static_cast<double>(now.repeat) / static_cast<double>(wanted.experiment.repeats);
      bar.show((static_cast<double>(done) + repeats) / static_cast<double>(wanted_.size()), words);
    };
    wanted.runs = run_experiment(wanted.set->ratings, wanted.experiment, workers_, report);
    ++done;
  }
  ran_ = true;
}

}  // namespace headroom::sim
