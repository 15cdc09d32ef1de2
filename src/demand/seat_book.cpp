#include "headroom/demand/seat_book.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "headroom/base/error.hpp"
#include "headroom/demand/normal.hpp"

namespace headroom {

namespace {

using std::chrono::milliseconds;

constexpr double kMostRoom = 1e9;  // seats

// What an item's lists let expect is remembered for about so many follows, and taken as a sign only
// against so many of which nothing is known.
constexpr double kFollowsRemembered = 100.0, kPriorFollows = 5.0;

// How much of the time an item had no room left is remembered over four windows; it is in demand
// from so much on.
constexpr float kPressureMemory = 1.0F / (4.0F * static_cast<float>(kAgeParts));
constexpr float kInDemand = 0.05F;

double to_seats(Seats steps) { return static_cast<double>(steps) / static_cast<double>(kSeat); }

// Down, so that what fits into the float fits into the book.
float float_below(Seats steps) {
  const double exact = to_seats(steps);
  const auto near = static_cast<float>(exact);
  if (static_cast<double>(near) <= exact) return near;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(near) - 1);  // of a positive one
}

Seats limit_down(const std::optional<Capacity>& capacity) {
  if (!capacity) return 0;
  return static_cast<Seats>(std::floor(capacity->limit * static_cast<double>(kSeat)));
}

Seats seats_down(double seats) {
  return static_cast<Seats>(std::clamp(seats, 0.0, kMostRoom) * static_cast<double>(kSeat));
}

double count_of(milliseconds time) { return static_cast<double>(time.count()); }

Seats square(Seats h) { return (h * h + kSeat / 2) / kSeat; }

std::int64_t floor_div(milliseconds a, milliseconds b) {
  const auto quotient = a / b;
  return quotient - ((a % b).count() < 0 ? 1 : 0);
}

// Arrivals of slots of one length say nothing of others.
bool other_slots(const std::optional<Capacity>& before, const std::optional<Capacity>& after) {
  return !before || !after || before->kind != after->kind || before->per != after->per;
}

}  // namespace

Seats seats_up(float seats) {
  assert(seats >= 0.0F && seats < 1e9F);
  return static_cast<Seats>(std::ceil(static_cast<double>(seats) * static_cast<double>(kSeat)));
}

SeatBook::SeatBook(const SeatOptions& options, RowWatch& watch)
    : options_(options),
      watch_(watch),
      outlook_(options.window, options.way),
      gammas_(RiskGauge::kAims) {
  assert(options.dwell.count() > 0);
  part_ = outlook_.age_part(now_);
}

// --- Time ---

void SeatBook::begin_advance(Time now) {
  now_ = now;
  if (started_ == Time{}) started_ = now;
  const std::int64_t part = outlook_.age_part(now);
  new_parts_ = part - part_;
  part_ = part;
}

void SeatBook::end_advance() {
  if (new_parts_ > 0) look_at_demand();
  if (outlook_.ripe(now_, rows_.size())) {
    outlook_.fit(now_, organic_share(), ongoing());
    note_levels();
    refresh_all();
  } else if (new_parts_ > 0) {
    for (const ItemIx item : std::exchange(ageing_, {})) {
      rows_[index(item)].ageing = false;
      refresh(item);  // is in the list again if it still has something that ages
    }
  }
  new_parts_ = 0;
}

void SeatBook::begin_anew() {
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const ItemIx item{static_cast<std::uint32_t>(j)};
    expire(item, Time::max() - Time::duration(1));
    Row& r = rows_[j];
    if (r.organic_at == Time{} && r.watched == Time{} && r.pressure == 0.0F) continue;
    watch_.changing(item);
    r.organic_people = 0.0;
    r.organic_at = r.watched = Time{};
    r.pressure = 0.0F;
    r.level = 0;
  }
  now_ = started_ = Time{};
  part_ = outlook_.age_part(now_);
  outlook_.begin_anew();
  refresh_all();
}

void SeatBook::refresh_all() {
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    if (rows_[j].capacity) aim(rows_[j]);
    refresh(ItemIx{static_cast<std::uint32_t>(j)});
  }
}

void SeatBook::note_levels() {
  for (std::uint32_t j = 0; j < rows_.size(); ++j) {
    const std::uint8_t level = RiskGauge::level_of(rows_[j].pressure);
    if (level == rows_[j].level) continue;
    watch_.changing(ItemIx{j});
    rows_[j].level = level;
  }
}

// Whatever there was to give is given, but for a small part of what chance makes of it.
bool SeatBook::is_pressed(ItemIx item) const {
  const Row& r = rows_[index(item)];
  const ByHorizon& fresh = outlook_.course(r.course).fresh;
  const double left =
      static_cast<double>(rooms_[index(item)]) * *std::max_element(fresh.begin(), fresh.end());
  return left <= 0.1 * std::sqrt(r.capacity->limit);
}

bool SeatBook::is_gauged(const Row& r) {
  return r.capacity && r.capacity->kind == CapacityKind::kSeats && r.rule == RoomRule::kAhead;
}

// Else those who come by themselves are too many far more often, whatever the aim.
bool SeatBook::lists_matter(const Row& r) const {
  const double seats = std::floor(r.capacity->limit);
  const double organic = organic_rate(r) * outlook_.course(r.course).mean_stay;
  return seats >= 1.0 && gamma_share(seats + 1.0, organic) < 2.0 * r.risk;
}

Outlook::Ongoing SeatBook::ongoing() const {
  Outlook::Ongoing ongoing(outlook_);
  const auto parties = [](const Aged& aged) {
    return static_cast<double>(aged.people) * static_cast<double>(aged.people) /
           static_cast<double>(aged.squares);
  };
  for (const Row& r : rows_) {
    for (const Aged& aged : r.coming_by_age) ongoing.on_way(part_ - aged.part, parties(aged));
    if (!r.capacity || r.capacity->kind != CapacityKind::kSeats) continue;
    for (const Aged& aged : r.present_by_age) {
      ongoing.stays(r.course, part_ - aged.part, parties(aged));
    }
  }
  return ongoing;
}

void SeatBook::look_at_demand() {
  outlook_.parts_passed(new_parts_);
  const float kept = std::pow(1.0F - kPressureMemory, static_cast<float>(new_parts_));
  for (std::uint32_t j = 0; j < rows_.size(); ++j) {
    Row& r = rows_[j];
    if (!is_gauged(r)) continue;
    const double seats = std::floor(r.capacity->limit);
    if (r.pressure >= kInDemand && lists_matter(r)) {
      outlook_.looked_at({seats, r.level}, r.aim, static_cast<double>(r.present) > seats);
    }
    const bool pressed = is_pressed(ItemIx{j});
    if (!pressed && r.pressure == 0.0F) continue;
    watch_.changing(ItemIx{j});
    r.pressure = kept * r.pressure + (pressed ? 1.0F - kept : 0.0F);
    if (r.pressure < 0.01F) r.pressure = 0.0F;
  }
}

// --- Rows ---

SeatBook::Row& SeatBook::row(ItemIx item) {
  if (index(item) >= rows_.size()) {
    rows_.resize(index(item) + 1);
    rooms_.resize(index(item) + 1, kUnlimited);
  }
  return rows_[index(item)];
}

const SeatBook::Row* SeatBook::find(ItemIx item) const {
  return index(item) < rows_.size() ? &rows_[index(item)] : nullptr;
}

std::int64_t SeatBook::taken(const Row& row) const {
  if (!row.capacity || row.capacity->kind == CapacityKind::kSeats) return row.present;
  return row.capacity->kind == CapacityKind::kStock ? row.gone : row.arrivals;
}

std::int64_t SeatBook::coming(const Row& row) const {
  return row.capacity && row.capacity->kind == CapacityKind::kStock ? 0 : row.coming;
}

bool SeatBook::full(ItemIx item) const {
  const Row* r = find(item);
  return r != nullptr && r->capacity && (taken(*r) + coming(*r)) * kSeat >= r->limit;
}

void SeatBook::refresh(ItemIx item) {
  changed_.add(index(item));
  Row& r = rows_[index(item)];
  float& room = rooms_[index(item)];
  if (!r.capacity) {
    room = kUnlimited;
    return;
  }
  if (r.rule == RoomRule::kNow) {
    const Seats left = r.limit - (taken(r) + coming(r)) * kSeat - r.held;
    room = float_below(std::max(left, Seats{0}));
    return;
  }
  room = float_below(seats_down(room_ahead(r)));
  const bool ages = r.held != 0 || !r.present_by_age.empty() || !r.coming_by_age.empty() ||
                    r.capacity->kind == CapacityKind::kRate;  // its slots come nearer
  if (r.ageing || !ages) return;
  r.ageing = true;
  ageing_.push_back(item);
}

void SeatBook::adopt(Row& r) {
  r.limit = limit_down(r.capacity);
  if (!r.capacity) return;
  r.rule = r.capacity->rule.value_or(options_.rule);
  r.risk = std::clamp(r.capacity->risk.value_or(options_.risk), kLeastRisk, kMostRisk);
  r.quantile = normal_inverse(r.risk);
  aim(r);
  r.course = outlook_.course_of(r.dwell ? milliseconds(*r.dwell) : options_.dwell);
}

void SeatBook::aim(Row& r) {
  r.aim = r.capacity->kind == CapacityKind::kSeats
              ? outlook_.gauge().aim({std::floor(r.capacity->limit), r.level}, r.quantile)
              : RiskGauge::nearest(r.quantile);
  auto& table = gammas_[r.aim];
  if (!table) table = std::make_unique<GammaTable>(RiskGauge::chance(r.aim));
}

void SeatBook::set(ItemIx item, const std::optional<Capacity>& capacity,
                   std::optional<std::chrono::minutes> dwell) {
  watch_.changing(item);
  Row& r = row(item);
  if (other_slots(r.capacity, capacity)) {
    r.arrivals = 0;
    r.slot_end = Time::max();
  }
  if (!r.capacity && capacity) {
    r.organic_people = 0.0;
    r.organic_at = r.watched = now_;
  }
  r.capacity = capacity;
  r.dwell = dwell;
  adopt(r);
  if (!is_gauged(r)) {
    r.pressure = 0.0F;
    r.level = 0;
  }
  refresh(item);
  report_idle(item);
}

void SeatBook::remove(ItemIx item) {
  if (find(item) == nullptr) return;
  assert(mentions(item) == 0);
  watch_.changing(item);
  const bool ageing = rows_[index(item)].ageing;
  rows_[index(item)] = Row{};
  rows_[index(item)].ageing = ageing;
  refresh(item);
}

milliseconds SeatBook::dwell(ItemIx item) const {
  const Row* r = find(item);
  return r != nullptr && r->dwell ? milliseconds(*r->dwell) : options_.dwell;
}

bool SeatBook::is_stock(ItemIx item) const {
  const Row* r = find(item);
  return r != nullptr && r->capacity && r->capacity->kind == CapacityKind::kStock;
}

std::int64_t SeatBook::gone(ItemIx item) const {
  const Row* r = find(item);
  return r == nullptr ? 0 : r->gone;
}

void SeatBook::set_gone(ItemIx item, std::int64_t copies) {
  watch_.changing(item);
  row(item).gone = copies;
  refresh(item);
}

bool SeatBook::idle(ItemIx item) const {
  const Row* r = find(item);
  return r == nullptr || (!r->capacity && r->mentions == 0 && r->unnamed.empty());
}

std::uint64_t SeatBook::mentions(ItemIx item) const {
  const Row* r = find(item);
  return r == nullptr ? 0 : r->mentions;
}

void SeatBook::mention(ItemIx item, int count) {
  row(item).mentions += static_cast<std::uint64_t>(std::int64_t{count});
  if (count < 0) report_idle(item);
}

void SeatBook::report_idle(ItemIx item) {
  if (idle(item)) idle_.push_back(item);
}

std::size_t SeatBook::ring_place(std::int64_t part) {
  return static_cast<std::size_t>(part) % kRing;  // also of a negative part: kRing divides 2^64
}

void SeatBook::book_hold(ItemIx item, int count, Seats seats, Party party, Time shown) {
  Row& r = row(item);
  const std::size_t age = ring_place(outlook_.age_part(shown));
  r.held += count * seats;
  r.held_by_age[age] += count * seats;
  r.squares_by_age[age] += count * square(seats);
  r.lumps_by_age[age] += count * std::max(seats * party, square(seats));
  refresh(item);
}

void SeatBook::hold(ItemIx item, Seats seats, Party party, Time shown) {
  book_hold(item, 1, seats, party, shown);
}

void SeatBook::free(ItemIx item, Seats seats, Party party, Time shown) {
  book_hold(item, -1, seats, party, shown);
}

void SeatBook::count(std::vector<Aged>& by_age, int count, Party party, Time since) {
  const std::int64_t part = outlook_.age_part(since);
  auto at = std::find_if(by_age.rbegin(), by_age.rend(), [part](const Aged& aged) {
              return aged.part <= part;
            }).base();
  if (at == by_age.begin() || (at - 1)->part != part) at = by_age.insert(at, {part, 0, 0}) + 1;
  --at;
  at->people += count * std::int64_t{party};
  at->squares += count * std::int64_t{party} * party;
  if (at->people == 0) by_age.erase(at);
}

void SeatBook::come(ItemIx item, int count, Party party, Time since) {
  Row& r = row(item);
  r.coming += count * party;
  this->count(r.coming_by_age, count, party, since);
  refresh(item);
}

void SeatBook::stay(ItemIx item, int count, Party party, Time since) {
  Row& r = row(item);
  r.present += count * party;
  this->count(r.present_by_age, count, party, since);
  refresh(item);
}

void SeatBook::sell(ItemIx item, Party copies) {
  if (!is_stock(item)) return;
  watch_.changing(item);
  rows_[index(item)].gone += copies;
  refresh(item);
}

void SeatBook::count_arrival(ItemIx item, Party people, Time at, Time now) {
  const Row* found = find(item);
  if (found == nullptr || !found->capacity || found->capacity->kind != CapacityKind::kRate) return;
  const milliseconds per = found->capacity->per;
  const Time slot_end = found->slot_end != Time::max()
                            ? found->slot_end
                            : Time(per * (floor_div(now.time_since_epoch(), per) + 1));
  if (at < slot_end - per) return;  // a slot that is over is of no use to anyone any more
  watch_.changing(item);
  Row& r = rows_[index(item)];
  r.arrivals += people;
  r.slot_end = slot_end;
  refresh(item);
}

void SeatBook::stay_unnamed(ItemIx item, Party people, Time since, Time until) {
  watch_.changing(item);
  auto& unnamed = row(item).unnamed;
  unnamed.push_back({since, until, people});
  std::push_heap(unnamed.begin(), unnamed.end(), stays_longer);
  stay(item, 1, people, since);
}

void SeatBook::count_visit(ItemIx item, std::optional<milliseconds> stayed) {
  const Row* r = find(item);
  if (r == nullptr || !r->capacity || r->capacity->kind != CapacityKind::kSeats) return;
  outlook_.visit_over(dwell(item), stayed);
}

void SeatBook::count_follows(ItemIx item, double expected, double followed) {
  watch_.changing(item);
  changed_.add(index(item));
  Row& r = row(item);
  const double keep = std::exp(-expected / kFollowsRemembered);
  r.expected = r.expected * keep + expected;
  r.followed = r.followed * keep + followed;
}

float SeatBook::factor(ItemIx item) const {
  const Row* r = find(item);
  if (r == nullptr) return 1.0F;
  return static_cast<float>((kPriorFollows + r->followed) / (kPriorFollows + r->expected));
}

Time SeatBook::due(ItemIx item) const {
  const Row* r = find(item);
  if (r == nullptr) return Time::max();
  return r->unnamed.empty() ? r->slot_end : std::min(r->slot_end, r->unnamed.front().until);
}

void SeatBook::expire(ItemIx item, Time upto) {
  if (due(item) > upto) return;
  watch_.changing(item);
  Row& r = rows_[index(item)];
  if (r.slot_end <= upto) {
    r.arrivals = 0;
    r.slot_end = Time::max();
  }
  while (!r.unnamed.empty() && r.unnamed.front().until <= upto) {
    const Unnamed& leaves = r.unnamed.front();
    r.present -= leaves.people;
    count(r.present_by_age, -1, leaves.people, leaves.since);
    std::pop_heap(r.unnamed.begin(), r.unnamed.end(), stays_longer);
    r.unnamed.pop_back();
  }
  refresh(item);
  report_idle(item);
}

float SeatBook::used(ItemIx item) const {
  const Row* r = find(item);
  if (r == nullptr || !r->capacity) return 0.0F;
  const double empty = r->rule == RoomRule::kNow ? r->capacity->limit : room_when_empty(*r);
  if (!(empty > 0.0)) return 1.0F;
  return std::clamp(1.0F - room(item) / static_cast<float>(empty), 0.0F, 1.0F);
}

float SeatBook::crowded(ItemIx item) const {
  const Row* r = find(item);
  if (r == nullptr || !r->capacity || r->rule == RoomRule::kNow) return 0.0F;
  const auto room = static_cast<double>(this->room(item));
  const double spread = std::sqrt(kPresentVariance * room_when_empty(*r));
  if (!(spread > 0.0)) return static_cast<float>(r->risk);
  return static_cast<float>(normal_share(r->quantile - room / spread));
}

std::uint8_t SeatBook::level(ItemIx item) const {
  const Row* r = find(item);
  return r == nullptr ? std::uint8_t{0} : r->level;
}

double SeatBook::taken(ItemIx item) const {
  const Row* r = find(item);
  return r == nullptr ? 0.0 : static_cast<double>(taken(*r));
}

Book SeatBook::book(ItemIx item) const {
  Book book;
  book.room = room(item);
  const Row* r = find(item);
  if (r == nullptr) return book;
  book.capacity = r->capacity;
  book.rule = r->rule;
  book.risk = r->risk;
  book.aim = RiskGauge::chance(r->aim);
  book.taken = static_cast<double>(taken(*r));
  book.on_way = static_cast<double>(coming(*r));
  book.held = to_seats(r->held);
  book.organic = r->organic;
  for (std::size_t age = 0; age < kAges; ++age) {
    const std::size_t place = ring_place(part_ - static_cast<std::int64_t>(age));
    book.held_by_age[age] = to_seats(r->held_by_age[place]);
    book.squares_by_age[age] = to_seats(r->squares_by_age[place]);
  }
  const auto by_age = [this](const std::vector<Aged>& from, std::vector<Book::People>& to) {
    for (const Aged& aged : from) {
      to.push_back({(part_ - aged.part) * outlook_.age_step(), aged.people});
    }
  };
  by_age(r->present_by_age, book.present_by_age);
  by_age(r->coming_by_age, book.coming_by_age);
  book.expected_follows = r->expected;
  book.follows = r->followed;
  book.factor = factor(item);
  if (!r->capacity) return book;
  book.organic_rate = organic_rate(*r) * count_of(std::chrono::hours(1));
  if (r->rule == RoomRule::kAhead) room_ahead(*r, &book.horizons);
  return book;
}

void SeatBook::save(ItemIx item, ByteWriter& out) const {
  const Row none;
  const Row& r = find(item) != nullptr ? *find(item) : none;
  out.put(r.capacity.has_value());
  if (r.capacity) {
    out.put(r.capacity->kind);
    out.put(r.capacity->limit);
    out.put(r.capacity->per);
    out.put(r.capacity->rule.has_value());
    out.put(r.capacity->rule.value_or(RoomRule::kAhead));
    out.put(r.capacity->risk.value_or(0.0));
  }
  out.put(r.dwell.value_or(std::chrono::minutes(0)));
  out.put(r.gone);
  out.put(r.arrivals);
  out.put(r.slot_end);
  out.put(r.organic);
  out.put(static_cast<std::uint32_t>(r.unnamed.size()));
  for (const Unnamed& unnamed : r.unnamed) {
    out.put(unnamed.since);
    out.put(unnamed.until);
    out.put(unnamed.people);
  }
  out.put(r.organic_people);
  out.put(r.organic_at);
  out.put(r.watched);
  out.put(r.expected);
  out.put(r.followed);
  out.put(r.pressure);
  out.put(r.level);
}

void SeatBook::load(ItemIx item, ByteReader& in) {
  Row& r = row(item);
  if (in.get<bool>()) {
    Capacity& capacity = r.capacity.emplace();
    capacity.kind = in.get<CapacityKind>();
    capacity.limit = in.get<double>();
    capacity.per = in.get<std::chrono::minutes>();
    const bool has_rule = in.get<bool>();
    const auto rule = in.get<RoomRule>();
    if (has_rule) capacity.rule = rule;
    if (const auto risk = in.get<double>(); risk > 0.0) capacity.risk = risk;
  }
  if (const auto dwell = in.get<std::chrono::minutes>(); dwell.count() > 0) r.dwell = dwell;
  r.gone = in.get<std::int64_t>();
  r.arrivals = in.get<std::int64_t>();
  r.slot_end = in.get<Time>();
  r.organic = in.get<std::uint64_t>();
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    Unnamed& unnamed = r.unnamed.emplace_back();
    unnamed.since = in.get<Time>();
    unnamed.until = in.get<Time>();
    unnamed.people = in.get<Party>();
    r.present += unnamed.people;
    count(r.present_by_age, 1, unnamed.people, unnamed.since);
  }
  r.organic_people = in.get<double>();
  r.organic_at = in.get<Time>();
  r.watched = in.get<Time>();
  r.expected = in.get<double>();
  r.followed = in.get<double>();
  r.pressure = in.get<float>();
  r.level = in.get<std::uint8_t>();
  if (r.level >= RiskGauge::kLevels || !(r.pressure >= 0.0F && r.pressure <= 1.0F))
    throw Error("the state store: an item's demand is damaged");
  adopt(r);
  refresh(item);
}

void SeatBook::save_shared(ByteWriter& out) const {
  out.put(started_);
  outlook_.save(out);
}

void SeatBook::load_shared(ByteReader& in, Time now) {
  now_ = now;
  part_ = outlook_.age_part(now);
  started_ = in.get<Time>();
  outlook_.load(in);
  refresh_all();
}

}  // namespace headroom
