#include "simulator/seat_judge.hpp"

#include <algorithm>
#include <cmath>

namespace headroom::sim {
namespace {

constexpr double kSteps = 0x1p20;      // of a seat
constexpr double kMostSteps = 0x1p62;  // without a limit

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

SeatJudge::SeatJudge(std::span<const float> capacity, std::size_t users,
                     std::chrono::milliseconds hold, std::chrono::milliseconds stay)
    : hold_(hold), stay_(stay), items_(capacity.size()), users_(users) {
  for (std::size_t j = 0; j < capacity.size(); ++j) {
    const double steps = std::ceil(static_cast<double>(capacity[j]) * kSteps);
    items_[j].capacity = static_cast<Seats>(std::min(steps, kMostSteps));
  }
}

void SeatJudge::advance(Time now) {
  const auto is_due = [&](const std::deque<Due>& of) {
    return !of.empty() && of.front().at <= now;
  };
  while (is_due(lists_) || is_due(visits_)) {
    const bool list =
        is_due(lists_) && (!is_due(visits_) || lists_.front().at <= visits_.front().at);
    std::deque<Due>& from = list ? lists_ : visits_;
    const Due due = from.front();
    from.pop_front();
    User& user = users_[index(due.user)];
    if (list && user.list == due.number) end_list(due.user, due.at);
    if (!list && user.visit == due.number) end_visit(due.user, due.at);
  }
  now_ = std::max(now_, now);
}

void SeatJudge::show(UserIx user, std::span<const ItemIx> items, std::span<const float> people,
                     std::span<double> fits) {
  answer(user);
  User& row = users_[index(user)];
  for (std::size_t n = 0; n < items.size(); ++n) {
    const Item& item = items_[index(items[n])];
    const auto wanted = static_cast<Seats>(std::floor(static_cast<double>(people[n]) * kSteps));
    const Seats left = std::clamp<Seats>(item.capacity - item.taken, 0, wanted);
    fits[n] = wanted > 0 ? static_cast<double>(left) / static_cast<double>(wanted) : 1.0;
    row.holds.push_back({items[n], wanted});
    change(items[n], wanted, now_);
  }
  row.list = ++numbers_;
  lists_.push_back({now_ + hold_, user, row.list});
}

void SeatJudge::answer(UserIx user) {
  if (users_[index(user)].list != 0) end_list(user, now_);
}

void SeatJudge::visit(UserIx user, ItemIx item) {
  if (stay_.count() == 0) return;
  User& row = users_[index(user)];
  if (row.visit != 0) end_visit(user, now_);
  row.visit = ++numbers_;
  row.at = item;
  visits_.push_back({now_ + stay_, user, row.visit});
  change(item, static_cast<Seats>(kSteps), now_);
}

void SeatJudge::end_list(UserIx user, Time at) {
  User& row = users_[index(user)];
  for (const Hold& hold : row.holds) change(hold.item, -hold.seats, at);
  row.holds.clear();
  row.list = 0;
}

void SeatJudge::end_visit(UserIx user, Time at) {
  User& row = users_[index(user)];
  change(row.at, -static_cast<Seats>(kSteps), at);
  row.visit = 0;
}

void SeatJudge::change(ItemIx item, Seats by, Time at) {
  Item& row = items_[index(item)];
  count(row, at);
  row.taken += by;
}

void SeatJudge::count(Item& item, Time upto) {
  const double time = seconds(upto - item.since);
  item.since = upto;
  if (item.taken == 0) return;
  sums_.people += time * static_cast<double>(item.taken) / kSteps;
  if (item.taken < item.capacity) return;
  sums_.full += time;
  if (item.taken == item.capacity) return;
  sums_.overloaded += time;
  sums_.beyond += time * static_cast<double>(item.taken - item.capacity) / kSteps;
}

SeatJudge::Sums SeatJudge::sums() {
  for (Item& item : items_) count(item, now_);
  return sums_;
}

}  // namespace headroom::sim
