#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/base/time.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/rank/prices.hpp"

namespace headroom {

struct PricingOptions {
  std::chrono::milliseconds every = std::chrono::minutes(5);  // from one solve to the next
  std::chrono::milliseconds memory = std::chrono::hours(3);   // requests within this count
  std::size_t users = 10'000;                                 // that count, the newest to ask
  std::size_t candidates = 256;  // of each who asked, the best by chance less price
  std::chrono::milliseconds stock = std::chrono::hours(1);  // what is left of a stock lasts this
  // Above so many chances a solve is done beside the stream and enters `entry` after it began.
  std::size_t at_once = 1'000'000;
  // Of a large one the candidates are gathered batch by batch: so many pairs of an asker and an
  // item are looked at after each, and as many more for every 1,000 records in it.
  std::size_t gathered = 4'000'000;
  std::chrono::milliseconds entry = std::chrono::seconds(10);
  std::size_t certified = 20'000;  // items up to which every request counts in the certificate
  PriceOptions solver;
};

// How good the lists of one window were: no lists within the capacities reach a higher value than
// the bound. It is the Lagrangian one at prices that were frozen when the window began. With many
// items it is estimated from every few requests.
struct Certificate {
  Time from, to;
  std::uint64_t lists = 0;
  double value = 0.0;  // sum of p times chance over the places of all lists: people helped
  double bound = 0.0;
  double deviation = 0.0;  // of an estimated bound; 0: it is exact
  double gap() const { return bound > 0.0 ? 1.0 - value / bound : 0.0; }
};

// Prices of the items' seats: who asked lately, when prices are solved anew for all of them, and
// the certificate. Saved in rows: requests and prices in blocks. One thread.
class Pricing {
 public:
  static constexpr std::size_t kBlock = 256;        // requests or items in a row of the store
  static constexpr std::size_t kRequests = 16'384;  // remembered

  struct Request {
    Time at;
    UserIx user{};
    std::uint16_t n = 0;
    Party party = 1;
  };
  // Someone who asked lately, and how many such lists are expected in one window: all of them, or
  // those that stand apart. Of who asks in bursts each list replaces the one before.
  struct Asker {
    UserIx user{};
    std::uint16_t n = 0;
    Party party = 1;
    float lists = 0.0F, apart = 0.0F;
  };

  Pricing(const PricingOptions& options, std::chrono::milliseconds window, RowWatch& watch);
  const PricingOptions& options() const { return options_; }

  void asked(UserIx user, std::uint16_t n, Party party, Time at);
  // Who counts, by the newest request of each, the newest first.
  std::vector<Asker> askers(Time now) const;
  double places() const;  // of a list, on average
  void begin_anew();      // the time was wrong from the start: nobody has asked
  bool is_due(Time now) const;

  // Solves for these askers and capacities, here or, if it is large, beside the stream: then its
  // prices enter with the first batch that is `entry` later, however long it took.
  void solve(Demand demand, std::vector<float> capacity, Time now, Workers& workers);
  void enter_if_due(Time now);
  // Candidates for so many askers among so many items would stop the stream for too long: those
  // of a solve are gathered step by step instead, which can be saved and loaded in between.
  bool is_large(std::size_t askers, std::size_t items) const;
  void begin_gathering(std::vector<Asker> askers, Time now);
  bool is_gathering() const { return gathering_.has_value(); }
  // Whose candidates are next, after a batch of so many records, and what was found for them.
  std::vector<Asker> next_to_gather(std::size_t items, std::size_t records);
  void add_gathered(const Demand& some);
  bool all_gathered() const { return gathering_ && gathering_->left.empty(); }
  Demand take_gathered();
  // A solve is still under way: who saves now would have to wait for it, or save what it gathered.
  bool is_working() const;
  // The scores that the policy `cutoff` wants of each item, as of now.
  void set_cutoffs(std::vector<float> cutoffs, Time now);
  std::span<const float> cutoffs() const { return cutoffs_; }
  void drop(ItemIx item);  // the row is someone else's now

  std::span<const float> prices() const { return prices_; }  // by row; none: not solved yet
  std::uint64_t version() const { return version_; }  // another one whenever prices are solved
  std::span<const float> frozen() const { return frozen_; }  // the certificate's
  std::uint64_t solves() const { return solves_; }
  std::uint64_t failed_solves() const { return failed_; }

  // The most that any list could have been worth, at the frozen prices and at none: each is a
  // bound of its own.
  struct Most {
    double priced = 0.0, free = 0.0;
  };
  // The window that runs: a list of this value was made for the user. Its most is not known of
  // every list.
  bool certifies(std::uint64_t list, std::size_t items) const;
  void made(double value, const std::optional<Most>& most);
  // The price is that of a seat which is held for a whole window. What is freed earlier is charged
  // for its time only: the bound is convex in that time, so that the straight line from `free` to
  // `priced` is never too low.
  void holds(UserIx user, const Most& most, Time at);
  void ended(UserIx user, Time at);  // the list is not open any more
  bool is_over(Time now) const;
  // Ends the window: `capacity` is that of one window.
  void close(Time now, std::span<const float> capacity);
  // The prices of the next: the best for who asked lately and all capacity, or where that would
  // stop the stream those of now.
  void freeze(const Demand& demand, std::span<const float> capacity, Workers& workers);
  const std::optional<Certificate>& certificate() const { return last_; }  // of the last window

  void save(UserIx user, ByteWriter& to) const;
  void load(UserIx user, ByteReader& from);
  void erase(UserIx user);
  bool save_requests(std::uint32_t block, ByteWriter& to) const;
  void load_requests(std::uint32_t block, ByteReader& from);
  bool save_prices(std::uint32_t block, ByteWriter& to) const;
  void load_prices(std::uint32_t block, ByteReader& from);
  void save(ByteWriter& to) const;
  void load(ByteReader& from);

 private:
  // Solved beside the stream, or loaded as such.
  struct Pending {
    Time enters;
    std::shared_future<Prices> prices;
  };

  struct Gathering {
    std::vector<Asker> left;  // the next one last
    Demand demand;
  };

  Prices from(std::span<const float> prices, std::size_t items) const;  // where a solve starts
  void enter(const Prices& prices);  // what did not converge changes nothing
  void resize(std::size_t items);
  void changing_prices();
  void save_gathering(ByteWriter& to) const;
  void load_gathering(ByteReader& from);

  PricingOptions options_;
  std::chrono::milliseconds window_;
  RowWatch& watch_;
  std::vector<Request> ring_;  // grows up to kRequests
  std::uint64_t asked_ = 0;    // ever; the next goes to ring_[asked_ % kRequests]
  std::vector<float> prices_, curvature_, frozen_, cutoffs_;  // by item
  std::optional<Time> begun_;
  std::optional<Gathering> gathering_;
  std::optional<Pending> pending_;
  std::uint64_t solves_ = 0, failed_ = 0;
  std::uint64_t version_ = 0;  // not saved

  // Of the window that runs.
  std::optional<Time> opened_;
  std::uint64_t lists_ = 0, counted_ = 0;
  double value_ = 0.0, priced_ = 0.0, free_ = 0.0, squares_ = 0.0;
  std::optional<Certificate> last_;
  struct Stake {
    Time since;
    float more = 0.0F;
  };
  std::vector<Stake> stakes_;  // by user
};

}  // namespace headroom
