#include "headroom/demand/usage_control.hpp"

#include <algorithm>

#include "headroom/base/lanes.hpp"
#include "headroom/demand/taste_groups.hpp"

namespace headroom {
namespace {

ItemIx item_ix(std::size_t item) { return ItemIx{static_cast<std::uint32_t>(item)}; }

// The mean of v v' over at most 4,096 items, evenly from all.
std::vector<float> metric_of(const UsageInput& input) {
  constexpr std::size_t kMost = 4096;
  const std::size_t rank = input.rank, stride = std::max<std::size_t>(1, input.items / kMost);
  std::vector<double> sums(rank * rank);
  double count = 0.0;
  for (std::size_t j = 0; j < input.items; j += stride) {
    const float* const v = input.item_vector(item_ix(j));
    if (v == nullptr) continue;
    count += 1.0;
    for (std::size_t k = 0; k < rank; ++k) {
      for (std::size_t l = 0; l < rank; ++l) sums[k * rank + l] += static_cast<double>(v[k] * v[l]);
    }
  }
  std::vector<float> metric(rank * rank);
  for (std::size_t n = 0; n < sums.size(); ++n) {
    metric[n] = static_cast<float>(sums[n] / std::max(count, 1.0));
  }
  return metric;
}

// What a GroupControl points to.
class Control {
 public:
  Control(const GroupSums& all, double all_weight, const GroupSums& sample, double sample_weight,
          std::size_t rank)
      : missing_(static_cast<float>(all.weight / all_weight - sample.weight / sample_weight)),
        mean_(rank),
        covariance_(rank * rank),
        lean_(rank),
        excess_(rank * rank) {
    std::vector<double> mean(rank);
    for (std::size_t k = 0; k < rank; ++k) {
      mean[k] = all.first[k] / all.weight;
      mean_[k] = static_cast<float>(mean[k]);
      lean_[k] = static_cast<float>((sample.first[k] - sample.weight * mean[k]) / sample_weight);
    }
    for (std::size_t k = 0; k < rank; ++k) {
      for (std::size_t l = 0; l <= k; ++l) {
        const std::size_t at = k * rank + l;
        const double covariance = all.second[at] / all.weight - mean[k] * mean[l];
        const double about_mean = sample.second[at] - mean[k] * sample.first[l] -
                                  mean[l] * sample.first[k] + sample.weight * mean[k] * mean[l];
        covariance_[at] = static_cast<float>(covariance);
        excess_[at] = static_cast<float>((about_mean - sample.weight * covariance) / sample_weight);
      }
    }
  }

  GroupControl view() const {
    return {mean_.size(), missing_, mean_.data(), covariance_.data(), lean_.data(), excess_.data()};
  }

 private:
  float missing_;
  std::vector<float> mean_, covariance_, lean_, excess_;
};

std::vector<Control> controls_of(const UsageInput& input, const Crowd& crowd, const Crowd& sample,
                                 Workers& workers) {
  const TasteGroups groups(sample, metric_of(input), input.rank, input.user_vector);
  const CrowdSums all = sum_groups(crowd, groups, input.rank, input.user_vector, workers);
  const CrowdSums drawn = sum_groups(sample, groups, input.rank, input.user_vector, workers);
  const double all_weight = weight_of(crowd), drawn_weight = weight_of(sample);
  std::vector<Control> controls;
  for (std::size_t g = 0; g < TasteGroups::kGroups; ++g) {
    if (all[g].weight <= 0.0) continue;
    controls.emplace_back(all[g], all_weight, drawn[g], drawn_weight, input.rank);
  }
  return controls;
}

}  // namespace

std::vector<float> control_usage(const UsageInput& input, const Crowd& crowd, const Crowd& sample,
                                 Workers& workers) {
  constexpr std::size_t kBlock = kControlledItems;
  const std::vector<Control> controls = controls_of(input, crowd, sample, workers);
  const std::size_t blocks = (input.items + kBlock - 1) / kBlock;
  std::vector<float> values(blocks * kBlock);
  workers.each(blocks, [&](std::size_t at) {
    const std::size_t begin = at * kBlock;
    AlignedFloats vectors(input.rank * kBlock);
    float biases[kBlock] = {};
    for (std::size_t n = 0; n < kBlock && begin + n < input.items; ++n) {
      const float* const vector = input.item_vector(item_ix(begin + n));
      if (vector == nullptr) continue;
      for (std::size_t k = 0; k < input.rank; ++k) vectors[k * kBlock + n] = vector[k];
      biases[n] = input.item_bias(item_ix(begin + n));
    }
    for (const Control& control : controls) {
      kernels().add_control(control.view(), vectors.data(), biases, &values[begin]);
    }
  });
  return values;
}

}  // namespace headroom
