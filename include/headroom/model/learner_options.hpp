#pragma once

#include <cstddef>
#include <cstdint>

namespace headroom {

// What the paper calls its methods, without the capacity term: squared error or pairs, each with
// or without geography. Without places of items the geographic ones are the others.
enum class Method : std::uint8_t { kPmf, kBpr, kGeoMf, kGeoBpr };

inline bool compares_pairs(Method method) {
  return method == Method::kBpr || method == Method::kGeoBpr;
}
inline bool uses_geography(Method method) {
  return method == Method::kGeoMf || method == Method::kGeoBpr;
}

struct LearnerOptions {
  Method method = Method::kGeoBpr;
  std::size_t rank = 16;  // 1 to 256

  // Adagrad's steps, of each kind of weight.
  float user_step = 0.4F;
  float item_step = 0.05F;
  float bias_step = 0.2F;
  float history_step = 0.15F;
  float tile_step = 0.1F;
  float context_step = 0.1F;
  float l2 = 0.01F;               // on each row of U, V and X that an event touches
  float bias_l2 = 0.003F;         // on each bias
  float start_deviation = 0.03F;  // rows start at N(0, this^2); X, biases and bins at 0
  float start_squares = 1.0F;     // Adagrad's sums start here, so that first steps stay small

  unsigned negatives = 12;  // compared with each liked item, 0 to 64
  unsigned draws = 3;       // uniform draws of which the best scored is taken for each, 1 to 64
  unsigned mini_batch = 1;  // events whose gradients make one step of each row
  unsigned past = 1024;     // liked items that are remembered of a user, the newest

  // The parts that the paper has not.
  bool bias = true;       // of each item
  unsigned history = 16;  // newest liked items that speak for a user, 0 to 64; 0: none
  float caution = 5.0F;   // what is known of a user counts n / (n + this) after n items; 0: whole
  bool distance = true;   // how far from where the user was (geographic methods)
  bool revisits = true;   // how often the user came before

  int level_of_detail = 15;   // of the map, 1 to 23
  float kernel_width = 0.7F;  // in tiles
  float kernel_cut = 2.0F;    // in widths
  unsigned tiles = 1024;      // on which a user's activity is remembered, the strongest
  std::uint64_t seed = 1;
};

// The paper's own form: U, V and X alone, one negative for each like. Its steps are one set for all
// four methods.
inline LearnerOptions bare_learner(Method method) {
  LearnerOptions o;
  o.method = method;
  o.user_step = o.item_step = o.tile_step = 0.3F;
  o.l2 = 0.02F;
  o.start_deviation = 0.05F;
  o.start_squares = 0.3F;
  o.negatives = o.draws = 1;
  o.bias = o.distance = o.revisits = false;
  o.history = 0;
  o.caution = 0.0F;
  o.kernel_width = 1.0F;
  o.kernel_cut = 4.0F;
  return o;
}

}  // namespace headroom
