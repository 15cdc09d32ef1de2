#include "simulator/served_lists.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "headroom/app/edges.hpp"
#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kPiece = 2000;  // events

// What serve says of itself: an object, empty where there is none.
nlohmann::json status_in(const std::filesystem::path& folder) {
  std::ifstream in(folder / "status.json", std::ios::binary);
  auto status = nlohmann::json::parse(in, nullptr, false);
  return status.is_object() ? status : nlohmann::json::object();
}

void check_ready(const Options& options) {
  const std::string folder = options.folder.string();
  const bool both = options.source == SourceKind::kKafka ? options.sink == SinkKind::kKafka
                                                         : options.sink == SinkKind::kLog;
  if (!both || options.source == SourceKind::kFile || options.source == SourceKind::kStdin) {
    throw Error("source.kind and sink.kind: both log or both kafka are wanted here");
  }
  const auto status = status_in(options.folder);
  if (!is_in_use(store_folder(options)) || !status.value("ready", false)) {
    throw Error(folder + ": no serve is ready there; start one: headroom serve --folder " + folder +
                " --set clock=event");
  }
  if (status.value("events_total", 0) > 0) {
    throw Error(folder + ": its serve has taken events already; one in a new folder is needed");
  }
}

}  // namespace

ServedLists::ServedLists(const Options& options, const LifeOptions& life, Time live_from)
    : ServedLists(options, life, live_from, Patience{}) {}

ServedLists::ServedLists(const Options& options, const LifeOptions& life, Time live_from,
                         Patience patience)
    : EventLists(life), options_(options), live_from_(live_from), patience_(patience) {
  check_ready(options_);
  log_ = open_served_log(options_);
  heard_ = Clock::now();
}

std::vector<RankedList> ServedLists::carry(std::vector<Event> events, Time now) {
  for (Event& event : events) {
    if (const auto* const request = std::get_if<Request>(&event.what)) {
      if (asked_.empty()) heard_ = Clock::now();
      asked_[request->user] = event.at;
    }
    events_.push_back(std::move(event));
  }
  if (now < live_from_ && events_.size() < kPiece) return {};
  log_->append(events_);
  events_.clear();
  std::vector<RankedList> lists;
  take_within(std::chrono::duration_cast<std::chrono::milliseconds>(patience_.list), [&] {
    take(lists);
    look_after_serve();
    return asked_.empty() ? 1 : 0;
  });
  return lists;
}

// A fresh list that nobody asked for is no answer to who asked after it was made.
void ServedLists::take(std::vector<RankedList>& lists) {
  log_->take([&](std::string_view line) {
    RankedList& list = lists.emplace_back();
    if (const auto wrong = decoder_.decode(line, list)) {
      throw std::runtime_error("a list that can't be read: " + wrong->words);
    }
    heard_ = Clock::now();
    const auto asked = asked_.find(list.user);
    if (asked != asked_.end() && list.at >= asked->second) asked_.erase(asked);
  });
}

void ServedLists::look_after_serve() const {
  const bool gone = !is_in_use(store_folder(options_));
  if (!gone && (asked_.empty() || Clock::now() - heard_ < patience_.serve)) return;
  const auto status = status_in(options_.folder);
  std::string words = "headroom serve in " + options_.folder.string();
  words += gone ? " is gone" : " makes no lists";
  const auto problem = status.find("problem");
  if (problem != status.end() && problem->is_string()) {
    words += ": " + problem->get<std::string>();
  } else if (const auto letters = status.value("dead_letters_total", 0); letters > 0) {
    words +=
        "; it refused " + std::to_string(letters) + " records: does it run with --set clock=event?";
  }
  throw std::runtime_error(words);
}

}  // namespace headroom::sim
