// The figures that the paper states, on the paper's own data sets: minutes, not seconds.
#include "simulator/experiment.hpp"
#include "simulator/paper_claims.hpp"
#include "simulator/readers.hpp"
#include "support/catch.hpp"
#include "support/real_data.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

Ratings load(const std::filesystem::path& data_folder, std::string_view name) {
  const bool movies = name == "ml-100k";
  const auto folder = data_folder / (movies ? "ml-100k" : "foursquare_singapore_yuan2013");
  const Dataset data = read_dataset({.dataset = std::string(name), .path = folder});
  PrepareOptions options;
  options.min_count = movies ? 0 : 10;
  return prepare(data, options);
}

}  // namespace

TEST_CASE("the paper's stated figures come out on ML-100K and Foursquare, mean of five splits") {
  const auto folder = test::real_data({"ml-100k", "foursquare_singapore_yuan2013"});
  if (folder.empty()) return;
  Workers workers;
  for (const char* name : {"ml-100k", "foursquare"}) {
    const Ratings ratings = load(folder, name);
    for (const StatedRun& stated : stated_runs()) {
      if (stated.dataset != name) continue;
      Experiment experiment;
      experiment.method = stated.method;
      experiment.training.alpha = stated.alpha;
      const auto runs = run_experiment(ratings, experiment, workers);
      const auto mean = [&](double Measured::*member) {
        return spread_over(runs, [member](const Measured& m) { return m.*member; }).mean;
      };
      const double capacity = mean(&Measured::capacity_loss);
      const double rmse = mean(&Measured::rmse), pairwise = mean(&Measured::pairwise);
      INFO(name << " " << to_string(stated.method) << " alpha " << stated.alpha
                << ": capacity loss " << capacity << " (paper " << stated.capacity_loss
                << "), RMSE " << rmse << " (" << stated.rmse << "), pairwise " << pairwise << " ("
                << stated.pairwise << ")");
      CHECK(capacity_loss_held(stated, capacity));
      const bool trained_for_accuracy = stated.alpha < 1.0F;
      if (trained_for_accuracy && stated.rmse > 0.0) CHECK(accuracy_held(stated.rmse, rmse));
      if (trained_for_accuracy && stated.pairwise > 0.0)
        CHECK(accuracy_held(stated.pairwise, pairwise));
    }
  }
}
