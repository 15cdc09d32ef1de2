#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "headroom/wire/codec.hpp"

namespace headroom {
namespace {

// Check-ins of about 120 bytes, no two the same.
std::string checkin(int i) {
  const std::string digits = std::to_string(10'000 + i);
  return R"({"event":"checkin","id":"e-)" + digits +
         R"(","timestamp":"2026-03-01T12:00:00Z","user":"u)" + digits + R"(","item":"i)" + digits +
         R"(","value":0.5,"party":2})";
}

std::string head(const char* event, int i) {
  return R"({"event":")" + std::string(event) + R"(","id":"e-)" + std::to_string(10'000 + i) +
         R"(","timestamp":"2026-03-01T12:00:00Z",)";
}

// As a day brings them: for ten check-ins some requests with what becomes of them, and an item.
std::string mixed(int i) {
  switch (i % 20) {
    case 0:
    case 1:
    case 2:
      return head("request", i) + R"("user":"u1","n":10,"lat":1.3,"lon":103.8})";
    case 3:
    case 4:
      return head("feedback", i) +
             R"("user":"u1","recommendation":"r-0-1-77-0","item":"i9","outcome":"follow"})";
    case 5:
      return head("impression", i) + R"("user":"u1","recommendation":"r-0-1-77-0"})";
    case 6:
    case 7:
    case 8:
      return head("checkout", i) + R"("user":"u1","item":"i9"})";
    case 9:
      return head("item", i) + R"("item":"i9","title":"A caf\u00e9","lat":1.3,"lon":103.8,)"
                               R"("capacity":{"kind":"seats","limit":40},"dwell_minutes":45,)"
                               R"("hours":[{"days":[1,2,3,4,5],"from":"11:00","to":"01:00"}],)"
                               R"("time_zone":"Asia/Singapore","closed":false})";
    default:
      return checkin(i);
  }
}

std::vector<std::string> records(std::string (*make)(int)) {
  std::vector<std::string> all;
  for (int i = 0; i < 1000; ++i) all.push_back(make(i));
  return all;
}

// Items per second are events per second, on one thread.
void decode(benchmark::State& state, std::string (*make)(int)) {
  const std::vector<std::string> all = records(make);
  std::size_t bytes = 0;
  for (const std::string& record : all) bytes += record.size();
  EventDecoder decoder;
  Event event;
  for (auto _ : state) {
    for (const std::string& record : all) {
      if (decoder.decode(record, event)) std::abort();
      benchmark::DoNotOptimize(event);
    }
  }
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(all.size()));
  state.SetBytesProcessed(rounds * static_cast<std::int64_t>(bytes));
}

void encode_events(benchmark::State& state, std::string (*make)(int)) {
  EventDecoder decoder;
  std::vector<Event> events;
  for (const std::string& record : records(make)) decoder.decode(record, events.emplace_back());
  std::string line;
  for (auto _ : state) {
    for (const Event& event : events) {
      line.clear();
      encode(event, line);
      benchmark::DoNotOptimize(line);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * events.size()));
}

BENCHMARK_CAPTURE(decode, checkins, checkin);
BENCHMARK_CAPTURE(decode, mix, mixed);
BENCHMARK_CAPTURE(encode_events, mix, mixed);

}  // namespace
}  // namespace headroom

BENCHMARK_MAIN();
