#include "headroom/engine/batch.hpp"

#include <map>
#include <random>

#include "support/arrivals.hpp"
#include "support/catch.hpp"

namespace headroom {
namespace {

using std::chrono::seconds;
using test::arrival;

constexpr Time kNoon{std::chrono::hours(480012)};

Arrival event(int at, std::string id, std::uint32_t partition, std::uint64_t offset) {
  return arrival(kNoon + seconds(at), std::move(id), CheckIn{"u", "i", 1.0F, {}},
                 {Topic::kEvents, partition, offset});
}

Arrival item(int at, std::string id, std::uint32_t partition, std::uint64_t offset) {
  return arrival(kNoon + seconds(at), std::move(id), ItemUpdate{},
                 {Topic::kItems, partition, offset});
}

std::vector<std::string> ids(const Batch& batch) {
  std::vector<std::string> all;
  for (const Arrival& arrival : batch.arrivals) all.push_back(arrival.event.id);
  return all;
}

std::vector<std::string> ordered(std::vector<Arrival> arrivals) {
  Batch batch;
  batch.arrivals = std::move(arrivals);
  put_in_order(batch);
  return ids(batch);
}

TEST_CASE("batch order: items first, by place; then events by time") {
  CHECK(ordered({event(1, "a", 0, 0), item(9, "y", 1, 0), event(0, "b", 1, 0),
                 item(99, "x", 0, 5)}) == std::vector<std::string>{"x", "y", "b", "a"});
  CHECK(ordered({}).empty());
}

// Within a partition nothing overtakes: a late record waits for what came before it.
TEST_CASE("batch order: a late event keeps its place in the partition") {
  CHECK(ordered({event(5, "a5", 0, 0), event(1, "late", 0, 1), event(6, "a6", 0, 2),
                 event(4, "b4", 1, 0), event(5, "b5", 1, 1)}) ==
        std::vector<std::string>{"b4", "a5", "late", "b5", "a6"});
}

TEST_CASE("batch order: one record far ahead holds up only its own partition") {
  CHECK(ordered({event(9999, "far", 0, 0), event(1, "a", 0, 1), event(2, "b", 1, 0),
                 event(3, "c", 1, 1)}) == std::vector<std::string>{"b", "c", "far", "a"});
}

TEST_CASE("batch order: an item record among the events has no time that counts") {
  auto moved = item(9999, "x", 0, 0);
  moved.place = {Topic::kEvents, 0, 1};
  CHECK(ordered({event(1, "a", 0, 0), moved, event(2, "b", 0, 2), event(3, "c", 1, 0)}) ==
        std::vector<std::string>{"x", "a", "b", "c"});
}

TEST_CASE("batch order: rejects go by place") {
  Batch batch;
  for (const std::uint64_t offset : {5, 1, 3}) {
    batch.rejects.push_back({{Topic::kEvents, 0, offset}, {}, {}});
  }
  batch.rejects.push_back({{Topic::kItems, 9, 7}, {}, {}});
  put_in_order(batch);
  std::vector<std::uint64_t> offsets;
  for (const Reject& reject : batch.rejects) offsets.push_back(reject.place.offset);
  CHECK(offsets == std::vector<std::uint64_t>{7, 1, 3, 5});
}

// The rule once more, one record at a time.
std::vector<std::string> naive_order(const std::vector<Arrival>& arrivals) {
  std::map<Place, const Arrival*> by_place;
  for (const Arrival& arrival : arrivals) by_place[arrival.place] = &arrival;
  std::vector<std::string> names;
  std::map<std::pair<Time, Place>, std::string> events;
  std::map<std::uint32_t, Time> running;
  for (const auto& [place, arrival] : by_place) {
    if (std::holds_alternative<ItemUpdate>(arrival->event.what)) {
      names.push_back(arrival->event.id);
      continue;
    }
    auto& time = running.try_emplace(place.partition, Time::min()).first->second;
    time = std::max(time, arrival->event.at);
    events[{time, place}] = arrival->event.id;
  }
  for (const auto& [key, id] : events) names.push_back(id);
  return names;
}

TEST_CASE("batch order: the same records in any order of fetching are the same batch") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Arrival> arrivals;
    std::map<std::uint32_t, std::uint64_t> next;
    const auto partitions = 1 + random() % 5;
    for (int n = 0, count = static_cast<int>(random() % 60); n < count; ++n) {
      const auto partition = static_cast<std::uint32_t>(random() % partitions);
      const auto offset = next[partition] += 1 + random() % 3;
      const int at = n + static_cast<int>(random() % 20) - 10;
      const std::string id = std::to_string(n);
      arrivals.push_back(random() % 8 == 0 ? item(at, id, partition, offset)
                                           : event(at, id, partition, offset));
    }
    const auto wanted = naive_order(arrivals);
    for (int shuffles = 0; shuffles < 4; ++shuffles) {
      std::shuffle(arrivals.begin(), arrivals.end(), random);
      if (ordered(arrivals) != wanted) FAIL("round " << round);
    }
  }
}

}  // namespace
}  // namespace headroom
