#include "headroom/engine/pricing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

constexpr std::uint64_t kSampled = 8;    // of so many requests one counts in an estimate
constexpr std::size_t kStepsAtOnce = 5;  // of gathering, where that makes an end of it
constexpr std::size_t kRecords = 1'000;  // that take about as long as a step of gathering

std::uint32_t block_of(std::size_t at) { return static_cast<std::uint32_t>(at / Pricing::kBlock); }

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Pricing::Pricing(const PricingOptions& options, std::chrono::milliseconds window, RowWatch& watch)
    : options_(options), window_(window), watch_(watch) {}

void Pricing::asked(UserIx user, std::uint16_t n, Party party, Time at) {
  const std::size_t place = asked_ % kRequests;
  watch_.changing({RowKind::kRequests, block_of(place)});
  if (place == ring_.size()) ring_.emplace_back();
  ring_[place] = {at, user, n, party};
  ++asked_;
  if (!opened_) opened_ = at;
  if (!begun_) begun_ = at;
}

std::vector<Pricing::Asker> Pricing::askers(Time now) const {
  std::vector<Asker> out;
  std::unordered_map<std::uint32_t, std::size_t> known;
  std::vector<Time> next;  // request of each, or a window from now
  Time first = now;
  for (std::size_t age = 0; age < ring_.size(); ++age) {
    const Request& request = ring_[(asked_ - 1 - age) % kRequests];
    if (request.at + options_.memory < now) continue;
    const auto user = static_cast<std::uint32_t>(request.user);
    if (out.size() == options_.users && known.count(user) == 0) break;
    first = std::min(first, request.at);
    const auto [at, is_new] = known.try_emplace(user, out.size());
    if (is_new) {
      out.push_back({request.user, request.n, request.party, 0.0F, 0.0F});
      next.push_back(now + window_);
    }
    Asker& asker = out[at->second];
    Time& until = next[at->second];
    asker.lists += 1.0F;
    asker.apart += static_cast<float>(seconds(std::min(window_, until - request.at)));
    until = request.at;
  }
  const double span = std::max(seconds(now - first), seconds(options_.every));
  for (Asker& asker : out) {
    asker.lists *= static_cast<float>(seconds(window_) / span);
    // Who asks at random, so often in a window, has a list open for this share of the time.
    const float open = std::min(0.99F, asker.apart / static_cast<float>(span));
    asker.apart = -std::log1p(-open);
  }
  return out;
}

double Pricing::places() const {
  double sum = 0.0;
  for (const Request& request : ring_) sum += request.n;
  return ring_.empty() ? 1.0 : sum / static_cast<double>(ring_.size());
}

void Pricing::begin_anew() {
  for (std::size_t at = 0; at < ring_.size(); at += kBlock) {
    watch_.changing({RowKind::kRequests, block_of(at)});
  }
  ring_.clear();
  asked_ = lists_ = counted_ = 0;
  value_ = priced_ = free_ = squares_ = 0.0;
  for (std::uint32_t u = 0; u < stakes_.size(); ++u) {
    if (stakes_[u].more == 0.0F) continue;
    watch_.changing(UserIx{u});
    stakes_[u] = {};
  }
  begun_ = opened_ = std::nullopt;
  gathering_.reset();
  pending_.reset();
}

bool Pricing::is_due(Time now) const {
  return begun_ && !gathering_ && !pending_ && now >= *begun_ + options_.every;
}

bool Pricing::is_large(std::size_t askers, std::size_t items) const {
  return askers * std::min(items, options_.candidates) > options_.at_once ||
         askers * items > kStepsAtOnce * options_.gathered;
}

void Pricing::begin_gathering(std::vector<Asker> askers, Time now) {
  begun_ = now;
  std::reverse(askers.begin(), askers.end());
  gathering_ = {std::move(askers), {}};
}

std::vector<Pricing::Asker> Pricing::next_to_gather(std::size_t items, std::size_t records) {
  std::vector<Asker>& left = gathering_->left;
  const std::size_t pairs = options_.gathered * (1 + records / kRecords);
  const std::size_t count = std::max<std::size_t>(1, pairs / std::max<std::size_t>(1, items));
  const auto last = left.end() - static_cast<std::ptrdiff_t>(std::min(count, left.size()));
  std::vector<Asker> next(std::make_reverse_iterator(left.end()), std::make_reverse_iterator(last));
  left.erase(last, left.end());
  return next;
}

void Pricing::add_gathered(const Demand& some) {
  Demand& all = gathering_->demand;
  for (Demand::Asker asker : some.askers) {
    asker.begin += all.items.size();
    asker.end += all.items.size();
    all.askers.push_back(asker);
  }
  all.items.insert(all.items.end(), some.items.begin(), some.items.end());
  all.chances.insert(all.chances.end(), some.chances.begin(), some.chances.end());
}

Demand Pricing::take_gathered() {
  Demand demand = std::move(gathering_->demand);
  gathering_.reset();
  return demand;
}

void Pricing::solve(Demand demand, std::vector<float> capacity, Time now, Workers& workers) {
  begun_ = now;
  if (demand.askers.empty() || capacity.empty()) return;
  Prices start = from(prices_, capacity.size());
  if (demand.items.size() <= options_.at_once) {
    enter(solve_prices(demand, capacity, start, options_.solver, workers));
    return;
  }
  const auto work = [demand = std::move(demand), capacity = std::move(capacity),
                     start = std::move(start), solver = options_.solver] {
    Workers alone(1);
    return solve_prices(demand, capacity, start, solver, alone);
  };
  pending_ = {now + options_.entry, std::async(std::launch::async, work).share()};
}

void Pricing::enter_if_due(Time now) {
  if (!pending_ || now < pending_->enters) return;
  enter(pending_->prices.get());
  pending_.reset();
}

bool Pricing::is_working() const {
  return gathering_ || (pending_ && pending_->prices.wait_for(std::chrono::seconds(0)) !=
                                        std::future_status::ready);
}

Prices Pricing::from(std::span<const float> prices, std::size_t items) const {
  Prices from;
  if (solves_ == 0) return from;
  from.values.assign(prices.begin(), prices.end());
  from.curvature = curvature_;
  from.values.resize(items);
  from.curvature.resize(items);
  return from;
}

void Pricing::resize(std::size_t items) {
  if (prices_.size() >= items) return;
  changing_prices();  // the last block grows
  for (auto* values : {&prices_, &curvature_, &frozen_}) values->resize(items);
  cutoffs_.resize(items, -std::numeric_limits<float>::infinity());
}

void Pricing::changing_prices() {
  for (std::size_t at = 0; at < prices_.size(); at += kBlock) {
    watch_.changing({RowKind::kPrices, block_of(at)});
  }
}

void Pricing::enter(const Prices& prices) {
  if (!prices.converged) {
    ++failed_;
    return;
  }
  resize(prices.values.size());
  changing_prices();
  std::copy(prices.values.begin(), prices.values.end(), prices_.begin());
  std::copy(prices.curvature.begin(), prices.curvature.end(), curvature_.begin());
  if (solves_ == 0) frozen_ = prices_;
  ++solves_;
  ++version_;
}

void Pricing::set_cutoffs(std::vector<float> cutoffs, Time now) {
  begun_ = now;
  resize(cutoffs.size());
  changing_prices();
  std::copy(cutoffs.begin(), cutoffs.end(), cutoffs_.begin());
}

void Pricing::drop(ItemIx item) {
  if (index(item) >= prices_.size()) return;
  watch_.changing({RowKind::kPrices, block_of(index(item))});
  prices_[index(item)] = curvature_[index(item)] = frozen_[index(item)] = 0.0F;
  cutoffs_[index(item)] = -std::numeric_limits<float>::infinity();
}

bool Pricing::certifies(std::uint64_t list, std::size_t items) const {
  return items <= options_.certified || list % kSampled == 0;
}

void Pricing::made(double value, const std::optional<Most>& most) {
  ++lists_;
  value_ += value;
  if (!most) return;
  ++counted_;
  priced_ += most->priced;
  free_ += most->free;
  squares_ += most->priced * most->priced;
}

void Pricing::holds(UserIx user, const Most& most, Time at) {
  const auto more = static_cast<float>(most.free - most.priced);
  if (more == 0.0F) return;
  watch_.changing(user);
  if (index(user) >= stakes_.size()) stakes_.resize(index(user) + 1);
  stakes_[index(user)] = {at, more};
}

void Pricing::ended(UserIx user, Time at) {
  if (index(user) >= stakes_.size() || stakes_[index(user)].more == 0.0F) return;
  watch_.changing(user);
  const Stake stake = std::exchange(stakes_[index(user)], {});
  const double held = seconds(at - stake.since) / seconds(window_);
  if (held < 1.0) priced_ += static_cast<double>(stake.more) * (1.0 - held);
}

bool Pricing::is_over(Time now) const { return opened_ && now >= *opened_ + window_; }

void Pricing::close(Time now, std::span<const float> capacity) {
  if (lists_ > 0 && counted_ > 0) {
    double worth = 0.0;
    for (std::size_t j = 0; j < frozen_.size(); ++j) {
      if (frozen_[j] > 0.0F && j < capacity.size() && !std::isinf(capacity[j])) {
        worth += static_cast<double>(frozen_[j]) * static_cast<double>(capacity[j]);
      }
    }
    Certificate done{*opened_, now, lists_, value_, 0.0, 0.0};
    const auto lists = static_cast<double>(lists_), counted = static_cast<double>(counted_);
    const double mean = priced_ / counted;
    const double charged = lists * mean + worth * (seconds(now - *opened_) / seconds(window_));
    done.bound = std::min(charged, lists * free_ / counted);
    if (counted_ < lists_) {
      const double variance = std::max(0.0, squares_ / counted - mean * mean);
      done.deviation = lists * std::sqrt(variance / counted * (1.0 - counted / lists));
    }
    last_ = done;
  }
  opened_ = now;
  lists_ = counted_ = 0;
  value_ = priced_ = free_ = squares_ = 0.0;
}

void Pricing::freeze(const Demand& demand, std::span<const float> capacity, Workers& workers) {
  if (solves_ == 0) return;
  changing_prices();
  frozen_ = prices_;
  if (demand.askers.empty() || demand.items.size() > options_.at_once) return;
  const Prices best =
      solve_prices(demand, capacity, from(prices_, capacity.size()), options_.solver, workers);
  if (!best.converged) return;
  resize(capacity.size());
  std::copy(best.bound_prices.begin(), best.bound_prices.end(), frozen_.begin());
}

void Pricing::save(UserIx user, ByteWriter& to) const {
  const Stake stake = index(user) < stakes_.size() ? stakes_[index(user)] : Stake{};
  to.put(stake.since);
  to.put(stake.more);
}

void Pricing::load(UserIx user, ByteReader& from) {
  Stake stake;
  stake.since = from.get<Time>();
  stake.more = from.get<float>();
  if (stake.more == 0.0F) return;
  if (index(user) >= stakes_.size()) stakes_.resize(index(user) + 1);
  stakes_[index(user)] = stake;
}

void Pricing::erase(UserIx user) {
  if (index(user) < stakes_.size()) stakes_[index(user)] = {};
}

bool Pricing::save_requests(std::uint32_t block, ByteWriter& to) const {
  const std::size_t first = block * kBlock;
  if (first >= ring_.size()) return false;
  const std::size_t end = std::min(first + kBlock, ring_.size());
  to.put(static_cast<std::uint32_t>(end - first));
  for (std::size_t at = first; at < end; ++at) {
    to.put(ring_[at].at);
    to.put(ring_[at].user);
    to.put(ring_[at].n);
    to.put(ring_[at].party);
  }
  return true;
}

void Pricing::load_requests(std::uint32_t block, ByteReader& from) {
  const auto count = from.get<std::uint32_t>();
  const std::size_t first = block * kBlock;
  if (count > kBlock || first + count > kRequests) {
    throw Error("the state store: the requests are damaged");
  }
  if (ring_.size() < first + count) ring_.resize(first + count);
  for (std::size_t at = first; at < first + count; ++at) {
    ring_[at].at = from.get<Time>();
    ring_[at].user = from.get<UserIx>();
    ring_[at].n = from.get<std::uint16_t>();
    ring_[at].party = from.get<Party>();
  }
}

bool Pricing::save_prices(std::uint32_t block, ByteWriter& to) const {
  const std::size_t first = block * kBlock;
  if (first >= prices_.size()) return false;
  const std::size_t count = std::min(kBlock, prices_.size() - first);
  for (const auto* values : {&prices_, &curvature_, &frozen_, &cutoffs_}) {
    to.put_all(std::span(*values).subspan(first, count));
  }
  return true;
}

void Pricing::load_prices(std::uint32_t block, ByteReader& from) {
  const std::size_t first = block * kBlock;
  for (auto* values : {&prices_, &curvature_, &frozen_, &cutoffs_}) {
    const auto saved = from.get_all<float>();
    if (values->size() < first + saved.size()) values->resize(first + saved.size());
    std::copy(saved.begin(), saved.end(), values->begin() + static_cast<std::ptrdiff_t>(first));
  }
  ++version_;
}

namespace {

void put_time(ByteWriter& to, const std::optional<Time>& at) {
  to.put(at.has_value());
  to.put(at.value_or(Time{}));
}

std::optional<Time> get_time(ByteReader& from) {
  const bool has = from.get<bool>();
  const Time at = from.get<Time>();
  return has ? std::optional(at) : std::nullopt;
}

void put_demand(ByteWriter& to, const Demand& demand) {
  to.put(static_cast<std::uint32_t>(demand.askers.size()));
  for (const Demand::Asker& asker : demand.askers) {
    to.put(asker.lists);
    to.put(asker.seats);
    to.put(asker.n);
    to.put(static_cast<std::uint32_t>(asker.end - asker.begin));
  }
  to.put_all(std::span(demand.items));
  to.put_all(std::span(demand.chances));
}

Demand get_demand(ByteReader& from) {
  Demand demand;
  std::size_t end = 0;
  for (auto left = from.get<std::uint32_t>(); left > 0; --left) {
    Demand::Asker asker;
    asker.lists = from.get<float>();
    asker.seats = from.get<float>();
    asker.n = from.get<std::uint32_t>();
    asker.begin = end;
    asker.end = end += from.get<std::uint32_t>();
    demand.askers.push_back(asker);
  }
  demand.items = from.get_all<ItemIx>();
  demand.chances = from.get_all<float>();
  if (demand.items.size() != end || demand.chances.size() != end) {
    throw Error("the state store: what is gathered for prices is damaged");
  }
  return demand;
}

}  // namespace

void Pricing::save_gathering(ByteWriter& to) const {
  to.put(gathering_.has_value());
  if (!gathering_) return;
  to.put(static_cast<std::uint32_t>(gathering_->left.size()));
  for (const Asker& asker : gathering_->left) {
    to.put(asker.user);
    to.put(asker.n);
    to.put(asker.party);
    to.put(asker.lists);
    to.put(asker.apart);
  }
  put_demand(to, gathering_->demand);
}

void Pricing::load_gathering(ByteReader& from) {
  if (!from.get<bool>()) return;
  gathering_.emplace();
  for (auto left = from.get<std::uint32_t>(); left > 0; --left) {
    Asker& asker = gathering_->left.emplace_back();
    asker.user = from.get<UserIx>();
    asker.n = from.get<std::uint16_t>();
    asker.party = from.get<Party>();
    asker.lists = from.get<float>();
    asker.apart = from.get<float>();
  }
  gathering_->demand = get_demand(from);
}

void Pricing::save(ByteWriter& to) const {
  put_time(to, begun_);
  put_time(to, opened_);
  put_time(to, pending_ ? std::optional(pending_->enters) : std::nullopt);
  if (pending_) {
    const Prices& prices = pending_->prices.get();
    to.put_all(std::span(prices.values));
    to.put_all(std::span(prices.curvature));
    to.put(prices.converged);
  }
  save_gathering(to);
  for (const std::uint64_t count : {asked_, solves_, failed_, lists_, counted_}) to.put(count);
  for (const double sum : {value_, priced_, free_, squares_}) to.put(sum);
  to.put(last_.has_value());
  const Certificate last = last_.value_or(Certificate{});
  to.put(last.from);
  to.put(last.to);
  to.put(last.lists);
  for (const double value : {last.value, last.bound, last.deviation}) to.put(value);
}

void Pricing::load(ByteReader& from) {
  begun_ = get_time(from);
  opened_ = get_time(from);
  if (const auto enters = get_time(from)) {
    Prices prices;
    prices.values = from.get_all<float>();
    prices.curvature = from.get_all<float>();
    prices.converged = from.get<bool>();
    std::promise<Prices> solved;
    solved.set_value(std::move(prices));
    pending_ = {*enters, solved.get_future().share()};
  }
  load_gathering(from);
  for (std::uint64_t* count : {&asked_, &solves_, &failed_, &lists_, &counted_}) {
    *count = from.get<std::uint64_t>();
  }
  for (double* sum : {&value_, &priced_, &free_, &squares_}) *sum = from.get<double>();
  const bool has_last = from.get<bool>();
  Certificate last;
  last.from = from.get<Time>();
  last.to = from.get<Time>();
  last.lists = from.get<std::uint64_t>();
  for (double* value : {&last.value, &last.bound, &last.deviation}) *value = from.get<double>();
  if (has_last) last_ = last;
}

}  // namespace headroom
