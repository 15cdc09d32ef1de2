#include <cstdio>
#include <optional>

#include "headroom/app/checkpoints.hpp"
#include "headroom/app/commands.hpp"
#include "headroom/app/demo_town.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/identity.hpp"
#include "headroom/app/runner.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/file.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom {

namespace {

// The live program in one process: events are appended to the local log, read from there, stepped
// through, and the lists are read from the output, where any client would find them.
class DemoRun {
 public:
  DemoRun(const Options& options)
      : options_(options),
        writer_(log_folder(options), options.partitions),
        source_(open_source(options)),
        sink_(open_sink(options, 1)),
        store_(store_folder(options), Store::Mode::kCreate),
        output_(partition_folder(log_folder(options), kListTopic, 0)) {
    claim(store_, options, 0);
    runner_.emplace(options, store_, *sink_);
    output_.seek_to_begin();
  }

  void send(const std::vector<Event>& events) {
    const Router route = make_router(writer_.partitions());
    std::vector<std::string> lines(events.size());
    for (std::size_t n = 0; n < events.size(); ++n) {
      encode(events[n], lines[n]);
      const std::string_view record = lines[n];
      const auto [topic, partition] = route(record);
      pending_[topic == Topic::kItems].push_back(lines[n]);
    }
    for (const bool items : {true, false}) {
      std::vector<std::string_view> records(pending_[items].begin(), pending_[items].end());
      if (records.empty()) continue;
      writer_.append(items ? Topic::kItems : Topic::kEvents, 0, records);
      pending_[items].clear();
    }
  }

  // Steps through what was sent and returns the lists that came out.
  std::vector<RankedList> step() {
    Batch batch;
    while (source_->take(batch, 100'000, {}) > 0) {
    }
    put_in_order(batch);
    runner_->take(std::move(batch), {});
    std::vector<RankedList> lists;
    while (const auto line = output_.next()) {
      if (decoder_.decode(line->bytes, lists.emplace_back())) lists.pop_back();
    }
    return lists;
  }

  void finish() { Checkpoints(options_, runner_->engine(), store_, 0).finish(); }

 private:
  const Options& options_;
  LogWriter writer_;
  std::unique_ptr<EventLog> source_;
  std::unique_ptr<ListSink> sink_;
  Store store_;
  PartitionReader output_;
  OutputDecoder decoder_;
  std::optional<Runner> runner_;
  std::vector<std::string> pending_[2];  // events, items
};

DemoTown::Count evening(Options options, bool tell_seats, RankedList* shown) {
  options.engine.clock = ClockKind::kEvent;
  make_folder(options.folder);
  DemoRun run(options);
  DemoTown town(options.seed, tell_seats);
  run.send(town.places());
  run.send(town.last_week());
  run.step();
  for (int minute = 0; minute < DemoTown::kMinutes; ++minute) {
    const auto events = town.minute(minute);
    if (events.empty()) continue;
    run.send(events);
    for (const RankedList& list : run.step()) {
      if (shown != nullptr && minute == DemoTown::kMinutes / 2) *shown = list;
      town.answer(list, minute);
    }
  }
  run.finish();
  return town.count();
}

void print(const DemoTown::Count& without, const DemoTown::Count& with, const RankedList& list) {
  const auto row = [](const char* words, int a, int b) {
    std::printf("  %-34s %14d %14d\n", words, a, b);
  };
  std::printf("  %-34s %14s %14s\n", "", "without seats", "with seats");
  row("lists", without.lists, with.lists);
  row("people who followed one", without.followed, with.followed);
  row("  of whom found a seat", without.seated, with.seated);
  row("  of whom found none", without.no_seat, with.no_seat);
  const auto worst = [](const DemoTown::Count& count) {
    return std::to_string(count.worst_people) + " on " + std::to_string(count.worst_seats);
  };
  std::printf("  %-34s %14s %14s\n\n", "the fullest place, people on seats", worst(without).c_str(),
              worst(with).c_str());
  std::string line;
  encode(list, line);
  std::printf("One of the lists (wire format):\n%s\n\n", line.c_str());
}

void demo(const Options& options) {
  std::printf(
      "A made-up town: %d people, %d places with 6 to 14 seats, %d minutes of an evening.\n"
      "Events are appended to a log, each is learned from once, every request gets a list of 5.\n"
      "\"Without seats\": the same town, but nobody tells Headroom what the places hold.\n\n",
      DemoTown::kPeople, DemoTown::kPlaces, DemoTown::kMinutes);
  std::fflush(stdout);
  Options without = options, with = options;
  without.folder = options.folder / "without-seats";
  with.folder = options.folder / "with-seats";
  if (std::filesystem::exists(with.folder) || std::filesystem::exists(without.folder)) {
    throw Error(options.folder.string() + ": has the files of an earlier demo; give a new folder");
  }
  RankedList list;
  const auto bare = evening(without, false, nullptr);
  const auto told = evening(with, true, &list);
  print(bare, told, list);
  std::printf(
      "Everything is in %s. Look around:\n"
      "  headroom state inspect --folder %s\n"
      "  head %s/log/headroom.recommendations/0/*.log\n",
      options.folder.c_str(), with.folder.c_str(), with.folder.c_str());
}

}  // namespace

void add_demo_command(CLI::App& app) {
  auto* command = app.add_subcommand("demo", "an evening in a made-up town, on the local log");
  const ConfigFlags config(*command);
  command->callback([config] { demo(config.options()); });
}

}  // namespace headroom
