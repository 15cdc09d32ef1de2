#include "headroom/demand/deadlines.hpp"

#include <algorithm>
#include <tuple>

namespace headroom {

namespace {

constexpr std::size_t kFewDead = 64;

bool later(const Deadlines::Due& a, const Deadlines::Due& b) {
  return std::tie(a.at, a.key.kind, a.key.row) > std::tie(b.at, b.key.kind, b.key.row);
}

}  // namespace

Time& Deadlines::asked(RowKey key) {
  auto& times = asked_[static_cast<std::size_t>(key.kind)];
  if (key.row >= times.size()) {
    times.resize(std::size_t{key.row} + 1 + times.size() / 2, Time::max());
  }
  return times[key.row];
}

void Deadlines::ask(RowKey key, Time due) {
  if (due == Time::max()) return;
  Time& asked_for = asked(key);
  if (due >= asked_for) return;
  if (asked_for != Time::max()) ++dead_;
  asked_for = due;
  heap_.push_back({due, key});
  std::push_heap(heap_.begin(), heap_.end(), later);
  if (dead_ > kFewDead + heap_.size() / 2) drop_dead();
}

std::optional<Deadlines::Due> Deadlines::pop(Time upto) {
  while (!heap_.empty() && heap_.front().at <= upto) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Due due = heap_.back();
    heap_.pop_back();
    Time& asked_for = asked(due.key);
    if (asked_for == due.at) {
      asked_for = Time::max();
      return due;
    }
    if (dead_ > 0) --dead_;
  }
  return std::nullopt;
}

void Deadlines::drop_dead() {
  std::erase_if(heap_, [this](const Due& due) { return asked(due.key) != due.at; });
  std::make_heap(heap_.begin(), heap_.end(), later);
  dead_ = 0;
}

}  // namespace headroom
