#include "headroom/app/edges.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace headroom {
namespace {

using namespace std::chrono_literals;

// Takes what comes next as a batch of so many records, and journals it.
JournalEntry take(LocalLog& log, Store& store, std::uint64_t number, std::size_t records) {
  Batch batch;
  log.take(batch, records, 0ms);
  const JournalEntry entry{number, Time{}, batch.bounds};
  store.journal(entry);
  return entry;
}

TEST_CASE("retention leaves what a checkpoint needs, and takes the journal along") {
  const test::FastTempDir dir;
  Options options;
  options.folder = dir.path();
  options.segment_bytes = 4096;
  options.keep_bytes = 1;
  LogWriter writer(log_folder(options), 1, options.segment_bytes);
  const std::string record(300, 'x');
  const std::string_view view = record;
  for (int i = 0; i < 200; ++i) writer.append(Topic::kEvents, 0, std::span(&view, 1));

  Store store(store_folder(options), Store::Mode::kCreate);
  const auto source = open_source(options, {.until_end = true});
  auto& log = dynamic_cast<LocalLog&>(*source);
  std::vector<JournalEntry> batches;
  for (std::uint64_t number = 1; number <= 20; ++number) {
    batches.push_back(take(log, store, number, 10));
  }
  const auto can_repeat = [&](const JournalEntry& entry) {
    Batch batch;
    batch.bounds = entry.bounds;
    try {
      open_source(options, {.until_end = true})->read_again(batch);
    } catch (const Error&) {
      return false;
    }
    return batch.rejects.size() == 10;
  };

  retain(options, *source, store, 0, Time{});  // no checkpoint yet
  CHECK(store.first_entry()->number == 1);
  CHECK(can_repeat(batches.front()));
  for (const std::uint64_t checkpoint : {7, 8, 15, 20}) {
    source->release(batches[checkpoint - 1].bounds);
    retain(options, *source, store, checkpoint, Time{});
    const std::uint64_t first = store.first_entry() ? store.first_entry()->number : 21;
    INFO("checkpoint " << checkpoint << ", journal from " << first);
    CHECK(first <= checkpoint + 1);
    CHECK(first + 3 >= checkpoint);  // no more than a file is left over
    for (const auto& entry : batches) CHECK(can_repeat(entry) == (entry.number >= first));
  }
}

}  // namespace
}  // namespace headroom
