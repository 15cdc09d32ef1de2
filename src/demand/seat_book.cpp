#include "headroom/demand/seat_book.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace headroom {

namespace {

using std::chrono::milliseconds;

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

// Parts of the window are rounded up: no open list is then older than kAges parts.
SeatBook::SeatBook(milliseconds window, milliseconds dwell, RowWatch& watch)
    : age_step_((window.count() + kAges - 2) / (kAges - 1)), dwell_(dwell), watch_(watch) {
  assert(window.count() > 0 && dwell.count() > 0);
}

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
  const Row& r = rows_[index(item)];
  float& room = rooms_[index(item)];
  if (!r.capacity) {
    room = kUnlimited;
    return;
  }
  const Seats left = r.limit - (taken(r) + coming(r)) * kSeat - r.held;
  room = float_below(std::max(left, Seats{0}));
}

void SeatBook::set(ItemIx item, const std::optional<Capacity>& capacity,
                   std::optional<std::chrono::minutes> dwell) {
  watch_.changing(item);
  Row& r = row(item);
  if (other_slots(r.capacity, capacity)) {
    r.arrivals = 0;
    r.slot_end = Time::max();
  }
  r.capacity = capacity;
  r.limit = limit_down(capacity);
  r.dwell = dwell;
  refresh(item);
  report_idle(item);
}

void SeatBook::remove(ItemIx item) {
  if (find(item) == nullptr) return;
  assert(mentions(item) == 0);
  watch_.changing(item);
  rows_[index(item)] = Row{};
  refresh(item);
}

milliseconds SeatBook::dwell(ItemIx item) const {
  const Row* r = find(item);
  return r != nullptr && r->dwell ? milliseconds(*r->dwell) : dwell_;
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

std::int64_t SeatBook::age_part(Time at) const {
  return floor_div(at.time_since_epoch(), age_step_);
}

std::size_t SeatBook::ring_place(std::int64_t part) {
  return static_cast<std::size_t>(part) % kRing;  // also of a negative part: kRing divides 2^64
}

void SeatBook::book_hold(ItemIx item, Seats seats, Seats squares, Time shown) {
  Row& r = row(item);
  const std::size_t age = ring_place(age_part(shown));
  r.held += seats;
  r.held_by_age[age] += seats;
  r.squares_by_age[age] += squares;
  refresh(item);
}

void SeatBook::hold(ItemIx item, Seats seats, Time shown) {
  book_hold(item, seats, square(seats), shown);
}

void SeatBook::free(ItemIx item, Seats seats, Time shown) {
  book_hold(item, -seats, -square(seats), shown);
}

void SeatBook::come(ItemIx item, int people) {
  row(item).coming += people;
  refresh(item);
}

void SeatBook::stay(ItemIx item, int people) {
  row(item).present += people;
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

void SeatBook::count_organic(ItemIx item) {
  watch_.changing(item);
  ++row(item).organic;
}

void SeatBook::stay_unnamed(ItemIx item, Party people, Time until) {
  watch_.changing(item);
  auto& unnamed = row(item).unnamed;
  unnamed.push_back({until, people});
  std::push_heap(unnamed.begin(), unnamed.end(), stays_longer);
  stay(item, people);
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
    r.present -= r.unnamed.front().people;
    std::pop_heap(r.unnamed.begin(), r.unnamed.end(), stays_longer);
    r.unnamed.pop_back();
  }
  refresh(item);
  report_idle(item);
}

float SeatBook::used(ItemIx item) const {
  const Row* r = find(item);
  if (r == nullptr || !r->capacity) return 0.0F;
  return r->limit > 0 ? 1.0F - room(item) / static_cast<float>(r->capacity->limit) : 1.0F;
}

Book SeatBook::book(ItemIx item, Time now) const {
  Book book;
  book.room = room(item);
  const Row* r = find(item);
  if (r == nullptr) return book;
  book.capacity = r->capacity;
  book.taken = static_cast<double>(taken(*r));
  book.on_way = static_cast<double>(coming(*r));
  book.held = to_seats(r->held);
  book.organic = r->organic;
  for (std::size_t age = 0; age < kAges; ++age) {
    const std::size_t place = ring_place(age_part(now) - static_cast<std::int64_t>(age));
    book.held_by_age[age] = to_seats(r->held_by_age[place]);
    book.squares_by_age[age] = to_seats(r->squares_by_age[place]);
  }
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
  }
  out.put(r.dwell.value_or(std::chrono::minutes(0)));
  out.put(r.gone);
  out.put(r.arrivals);
  out.put(r.slot_end);
  out.put(r.organic);
  out.put(static_cast<std::uint32_t>(r.unnamed.size()));
  for (const Unnamed& unnamed : r.unnamed) {
    out.put(unnamed.until);
    out.put(unnamed.people);
  }
}

void SeatBook::load(ItemIx item, ByteReader& in) {
  Row& r = row(item);
  if (in.get<bool>()) {
    Capacity& capacity = r.capacity.emplace();
    capacity.kind = in.get<CapacityKind>();
    capacity.limit = in.get<double>();
    capacity.per = in.get<std::chrono::minutes>();
    r.limit = limit_down(capacity);
  }
  if (const auto dwell = in.get<std::chrono::minutes>(); dwell.count() > 0) r.dwell = dwell;
  r.gone = in.get<std::int64_t>();
  r.arrivals = in.get<std::int64_t>();
  r.slot_end = in.get<Time>();
  r.organic = in.get<std::uint64_t>();
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    Unnamed& unnamed = r.unnamed.emplace_back();
    unnamed.until = in.get<Time>();
    unnamed.people = in.get<Party>();
    r.present += unnamed.people;
  }
  refresh(item);
}

}  // namespace headroom
