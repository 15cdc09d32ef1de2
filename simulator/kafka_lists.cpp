#include "simulator/kafka_lists.hpp"

#include <utility>

namespace headroom::sim {

// Until somebody asks no list can come, so the history goes in large hauls. The items go by
// themselves, as the source hands on what it has of them before any event.
std::vector<RankedList> KafkaLists::carry(std::vector<Event> events, Time now) {
  constexpr std::size_t kHaul = 10'000;  // records
  bool items = false;
  for (const Event& event : events) {
    asked_ = asked_ || std::holds_alternative<Request>(event.what);
    items = items || std::holds_alternative<ItemUpdate>(event.what);
    road_.send(event);
  }
  said_.push_back({now, events.size()});
  waiting_ += events.size();
  if (!asked_ && !items && waiting_ < kHaul) return {};
  road_.flush();
  for (const Said& said : std::exchange(said_, {})) {
    Batch batch = road_.take(said.records);
    const Outcome outcome = step(batch, said.now);
    road_.deliver(outcome, batch);
  }
  waiting_ = 0;
  return road_.lists();
}

}  // namespace headroom::sim
