#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"

namespace headroom {

// A chance and the interval that holds it with 90 %.
struct Estimate {
  float mean = 0.0F;
  float low = 0.0F;
  float high = 1.0F;
};

enum class ListeningKind : std::uint8_t {
  kRatio,       // the paper's: followed / shown, clipped; the population's where nothing was shown
  kBeta,        // Beta-Bernoulli; the prior is learned from the population
  kForgetting,  // the same, but what was seen counts half after each half life
};

struct ListeningOptions {
  ListeningKind kind = ListeningKind::kBeta;
  float prior_mean = 0.3F;      // before the population has shown another
  float prior_strength = 2.0F;  // in lists
  std::chrono::milliseconds half_life = std::chrono::hours(60 * 24);
};

// Learns the listen propensity of every user from the final labels of lists. One thread.
class Listening {
 public:
  Listening(const ListeningOptions& options, RowWatch& watch);

  // `exposure` is the chance that a listener could have followed at all: a follow has the chance
  // exposure * p. Labels come in order; a time before the last one counts as the last one's.
  void observe(UserIx user, bool followed, float exposure, Time at);

  float mean(UserIx user, Time at) const;  // of estimate(), without the work for the interval
  Estimate estimate(UserIx user, Time at) const;
  Estimate prior() const;  // of a user never seen

  void erase(UserIx user);
  void save(UserIx user, ByteWriter& out) const;
  void load(UserIx user, ByteReader& in);
  void save_population(ByteWriter& out) const;
  void load_population(ByteReader& in);

 private:
  struct Counts {  // of lists; a list seen with exposure < 1 counts less
    float followed = 0.0F;
    float shown = 0.0F;
  };
  struct Row {
    Counts counts;
    Time last;
    std::uint32_t labels = 0;  // ever
  };
  // Sums over users of singles and of pairs of labels of one user.
  struct Population {
    double shown = 0.0, followed = 0.0;
    double pairs_shown = 0.0, pairs_followed = 0.0;
  };
  struct Prior {
    double mean, strength;
  };

  const Row* find(UserIx user) const;
  Counts counts_at(const Row* row, Time at) const;
  Prior learned_prior() const;
  double mean_of(const Counts& counts) const;
  Estimate estimate_of(const Counts& counts) const;

  ListeningOptions options_;
  RowWatch& watch_;
  Population population_;
  std::vector<Row> rows_;
};

}  // namespace headroom
